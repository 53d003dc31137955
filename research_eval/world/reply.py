"""What the world answers to one request."""

from typing import NamedTuple

__all__ = ["Reply", "Request"]


class Request(NamedTuple):
    """One request as the world sees it."""

    method: str
    scheme: str
    host: str
    target: str
    """Path and query as they were sent."""
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes = b""


class Reply(NamedTuple):
    """Status, headers and body of an answer."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
