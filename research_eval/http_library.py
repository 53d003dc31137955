"""httpx and httpx2 share no types: which of the two a request belongs to, and what serves both."""

from typing import Any

import httpx
import httpx2

__all__ = ["AnyRequest", "AnyTransport", "ByteStream", "library_of"]


AnyRequest = httpx.Request | httpx2.Request


class AnyTransport(httpx.AsyncBaseTransport, httpx2.AsyncBaseTransport):  # type: ignore[misc]
    """A transport for clients of either library; it answers in the library of the request."""


class ByteStream(httpx.AsyncByteStream, httpx2.AsyncByteStream):
    """A body for responses of either library."""


def library_of(request: AnyRequest) -> Any:  # noqa: ANN401  # httpx and httpx2 share no type
    """Return httpx2 for a request of httpx2, else httpx."""
    return httpx2 if isinstance(request, httpx2.Request) else httpx
