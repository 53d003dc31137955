"""Send the requests of any host to the world's server, over a real socket."""

import httpx
from typing_extensions import override

from research_eval.world.server import SCHEME_HEADER

__all__ = ["WorldTransport"]


class WorldTransport(httpx.AsyncBaseTransport):
    """Stands where the network would: connects to the server, keeps the original scheme and host.

    Clients may share one: it keeps no connection beyond a response, so that a client that closes
    cannot hang up on another.

    Args:
        base_url: Where the server listens.
    """

    def __init__(self, base_url: str) -> None:
        self._base = httpx.URL(base_url)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        self._inner = httpx.AsyncHTTPTransport(trust_env=False, limits=limits)

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"host"]
        scheme = (SCHEME_HEADER.encode(), request.url.scheme.encode())
        sent = httpx.Request(
            request.method,
            self._base.copy_with(raw_path=request.url.raw_path),
            headers=[(b"Host", request.url.netloc), *headers, scheme],
            stream=request.stream,
            extensions=request.extensions,
        )
        return await self._inner.handle_async_request(sent)

    @override
    async def aclose(self) -> None:
        """Do nothing: every connection ends with its response."""
