"""Failures of a transport: an exception in, the name and words that replay raises it from out."""

from research_eval.cassette.interaction import RecordedFailure

__all__ = ["REPLAYABLE", "failure_of"]

REPLAYABLE = frozenset(
    {
        "CloseError",
        "ConnectError",
        "ConnectTimeout",
        "DecodingError",
        "LocalProtocolError",
        "NetworkError",
        "PoolTimeout",
        "ProtocolError",
        "ProxyError",
        "ReadError",
        "ReadTimeout",
        "RemoteProtocolError",
        "RequestError",
        "TimeoutException",
        "TransportError",
        "UnsupportedProtocol",
        "WriteError",
        "WriteTimeout",
    }
)
"""Exceptions that httpx and httpx2 both have; a recording may name no other."""


def failure_of(exc: BaseException) -> RecordedFailure | None:
    """Return `exc` as a recording keeps it, or `None` if it did not come from a transport.

    A subclass that somebody made of a transport's exception is kept as the nearest one of theirs.
    """
    for kind in type(exc).__mro__:
        if kind.__name__ in REPLAYABLE and kind.__module__.partition(".")[0] in {"httpx", "httpx2"}:
            return RecordedFailure(type=kind.__name__, message=str(exc))
    return None
