"""Cassette: an HTTP request in, its recorded response out."""

from research_eval.cassette.exchange import ModelCassettes, ModelSession, Prospect
from research_eval.cassette.redact import Redactor
from research_eval.cassette.session import Refresh, Session
from research_eval.cassette.transport import GAVE_UP, IS_PLAYED, Mode, UnrecordedError
from research_eval.cassette.verdict import Divergence, ReplayVerdict, replay_verdict, run_verdict
from research_eval.cassette.web import RepeatPolicy, WebCassettes, WebSession
from research_eval.secret import SCRUBBED

__all__ = [
    "GAVE_UP",
    "IS_PLAYED",
    "SCRUBBED",
    "Divergence",
    "Mode",
    "ModelCassettes",
    "ModelSession",
    "Prospect",
    "Redactor",
    "Refresh",
    "RepeatPolicy",
    "ReplayVerdict",
    "Session",
    "UnrecordedError",
    "WebCassettes",
    "WebSession",
    "replay_verdict",
    "run_verdict",
]
