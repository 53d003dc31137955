"""Cassette: an HTTP request in, its recorded response out."""

from research_eval.cassette.deck import GAVE_UP, IS_PLAYED, Mode
from research_eval.cassette.exchange import ModelCassette, ModelSession
from research_eval.cassette.redact import Redactor
from research_eval.cassette.session import Refresh, Session
from research_eval.cassette.transport import OffTapeError
from research_eval.cassette.transport2 import OffTapeError2
from research_eval.cassette.verdict import Divergence, ReplayVerdict, replay_verdict, run_verdict
from research_eval.cassette.web import RepeatPolicy, WebCassette, WebSession
from research_eval.secret import SCRUBBED

__all__ = [
    "GAVE_UP",
    "IS_PLAYED",
    "SCRUBBED",
    "Divergence",
    "Mode",
    "ModelCassette",
    "ModelSession",
    "OffTapeError",
    "OffTapeError2",
    "Redactor",
    "Refresh",
    "RepeatPolicy",
    "ReplayVerdict",
    "Session",
    "WebCassette",
    "WebSession",
    "replay_verdict",
    "run_verdict",
]
