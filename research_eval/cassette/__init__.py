"""Cassette: an HTTP request in, its recorded response out."""

from research_eval.cassette.exchange import ModelCassette, ModelSession, Refresh
from research_eval.cassette.redact import Redactor
from research_eval.cassette.session import Mode, OffTapeError, Session
from research_eval.cassette.web import RepeatPolicy, WebCassette, WebSession

__all__ = [
    "Mode",
    "ModelCassette",
    "ModelSession",
    "OffTapeError",
    "Redactor",
    "RepeatPolicy",
    "Refresh",
    "Session",
    "WebCassette",
    "WebSession",
]
