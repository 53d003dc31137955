"""Ask again only for what has changed: conditional requests when pages are recorded again.

Wrapped around the way to the network, below the cassette: the cassette sees whole answers only.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
from typing_extensions import override

__all__ = ["ConditionalTransport", "PageCache"]

_MAX_BODY = 5_000_000


@dataclass(frozen=True)
class _Kept:
    """An answer that its server can confirm."""

    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    etag: str | None
    modified: str | None


class PageCache:
    """Answers of servers, shared by the trials of a run; bounded, the oldest go first."""

    def __init__(self, *, max_bytes: int = 100_000_000) -> None:
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._max_bytes = max_bytes
        self._bytes = 0

    def get(self, url: str) -> _Kept | None:
        """Return what is kept of `url`."""
        return self._kept.get(url)

    def put(self, url: str, kept: _Kept) -> None:
        """Keep an answer."""
        old = self._kept.pop(url, None)
        self._bytes += len(kept.body) - (0 if old is None else len(old.body))
        self._kept[url] = kept
        while self._bytes > self._max_bytes:
            _, dropped = self._kept.popitem(last=False)
            self._bytes -= len(dropped.body)


class ConditionalTransport(httpx.AsyncBaseTransport):
    """Sends validators with a repeated GET, and answers a 304 with what was kept."""

    def __init__(self, inner: httpx.AsyncBaseTransport, cache: PageCache) -> None:
        self._inner = inner
        self._cache = cache

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer to `request`, from the server or confirmed by it."""
        url = str(request.url)
        kept = self._cache.get(url) if request.method == "GET" else None
        if kept is not None:
            if kept.etag is not None:
                request.headers["If-None-Match"] = kept.etag
            if kept.modified is not None:
                request.headers["If-Modified-Since"] = kept.modified
        response = await self._inner.handle_async_request(request)
        if kept is not None and response.status_code == 304:
            await response.aclose()
            return httpx.Response(
                200, headers=list(kept.headers), stream=httpx.ByteStream(kept.body)
            )
        if request.method == "GET" and response.status_code == 200 and _is_confirmable(response):
            response.stream = _Keeping(response, self._cache, url)
        return response

    @override
    async def aclose(self) -> None:
        """Close the way to the network."""
        await self._inner.aclose()


def _is_confirmable(response: httpx.Response) -> bool:
    headers = response.headers
    return ("etag" in headers or "last-modified" in headers) and "no-store" not in headers.get(
        "cache-control", ""
    )


class _Keeping(httpx.AsyncByteStream):
    """A body that is kept once it has passed through whole."""

    def __init__(self, response: httpx.Response, cache: PageCache, url: str) -> None:
        self._response = response
        self._stream = response.stream
        self._cache = cache
        self._url = url

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        parts: list[bytes] = []
        size = 0
        if not isinstance(self._stream, httpx.AsyncByteStream):
            raise TypeError("the stream is not one for asyncio")
        async for part in self._stream:
            size += len(part)
            if size <= _MAX_BODY:
                parts.append(part)
            yield part
        if size <= _MAX_BODY:
            headers = self._response.headers
            kept = _Kept(
                tuple(headers.raw),
                b"".join(parts),
                headers.get("etag"),
                headers.get("last-modified"),
            )
            self._cache.put(self._url, kept)

    @override
    async def aclose(self) -> None:
        if isinstance(self._stream, httpx.AsyncByteStream):
            await self._stream.aclose()
