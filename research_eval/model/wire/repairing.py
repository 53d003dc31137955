"""The transport between an SDK and whatever answers it, that repairs what servers get wrong."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
from typing_extensions import override

from research_eval.cassette import GAVE_UP
from research_eval.model.wire.repair import repaired_reply
from research_eval.model.wire.stream import StreamRepairer
from research_eval.waiting import Waits

__all__ = ["RepairingTransport"]

_DROPPED = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})
"""Headers that speak of a body that is no longer sent as it was."""


class RepairingTransport(httpx2.AsyncBaseTransport):
    """Hands requests on; recordings, which lie behind it, keep the answers as they came."""

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport,
        waits: Waits,
        timeout_s: float,
    ) -> None:
        """Take who answers.

        Args:
            inner: A cassette, a recorder, the network.
            waits: Passes the time where a recording says that its caller gave up on the answer.
            timeout_s: Seconds after which a request is given up that has no whole reply.
        """
        self._inner = inner
        self._waits = waits
        self._timeout_s = timeout_s
        self._notes: list[str] = []

    def take_notes(self) -> tuple[str, ...]:
        """Return what was noticed in answers since the last call, in stable words, and forget it."""
        notes, self._notes = self._notes, []
        return tuple(dict.fromkeys(notes))

    @override
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        limit = _Limit(self._timeout_s, request, is_virtual=self._waits.is_virtual)
        began = self._waits.counted_s()
        try:
            with limit.named():
                async with limit.enforced():
                    response = await self._inner.handle_async_request(request)
        except GaveUpError:
            await self._waits.give_up(self._timeout_s - (self._waits.counted_s() - began))
            raise
        response.stream = _LimitedBody(response.stream, limit)
        kind = response.headers.get("content-type", "").lower()
        if response.status_code != 200 or "amazon.eventstream" in kind:
            return response
        if "event-stream" in kind:
            return _rebuilt(response, 200, _MendedEvents(response, self._notes))
        body = await response.aread()
        try:
            repaired = repaired_reply(body)
        except EOFError as exc:
            raise httpx2.RemoteProtocolError(str(exc), request=request) from None
        self._notes += repaired.notes
        if repaired.status == 200 and repaired.body is body:
            return response
        return _rebuilt(response, repaired.status, httpx2.ByteStream(repaired.body))

    @override
    async def aclose(self) -> None:
        await self._inner.aclose()


class GaveUpError(httpx2.ReadTimeout):
    """The time for a whole reply was up, now or when this was recorded."""


class _Limit:
    """The time for a whole reply, which is kept only while something is waited for.

    So a reply that is given up is given up inside the recorder, which then knows it. In a replay,
    where no real time may decide, the recording says which reply was given up, and when.
    """

    def __init__(self, timeout_s: float, request: httpx2.Request, *, is_virtual: bool) -> None:
        self._request = request
        self._words = f"no whole reply within {timeout_s:g} seconds"
        self._ends = None if is_virtual else asyncio.get_running_loop().time() + timeout_s

    def enforced(self) -> asyncio.Timeout:
        """Raise `TimeoutError` in the block when the time is up."""
        return asyncio.timeout_at(self._ends)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Say in the same words that the time was up, whether now or in a recording."""
        try:
            yield
        except TimeoutError:
            raise GaveUpError(self._words, request=self._request) from None
        except httpx2.ReadTimeout as exc:
            if str(exc) == GAVE_UP.message:
                raise GaveUpError(self._words, request=self._request) from None
            raise


class _LimitedBody(httpx2.AsyncByteStream):
    """A body that is waited for no longer than the limit allows."""

    def __init__(self, source: Any, limit: _Limit) -> None:  # noqa: ANN401  # a stream of either kind
        self._source = source
        self._limit = limit

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces = aiter(self._source)
        while True:
            with self._limit.named():
                async with self._limit.enforced():
                    piece = await anext(pieces, None)
            if piece is None:
                return
            yield piece

    @override
    async def aclose(self) -> None:
        await self._source.aclose()


def _rebuilt(
    response: httpx2.Response, status: int, stream: httpx2.AsyncByteStream
) -> httpx2.Response:
    kept = [(k, v) for k, v in response.headers.raw if k.lower() not in _DROPPED]
    return httpx2.Response(status, headers=kept, stream=stream)


class _MendedEvents(httpx2.AsyncByteStream):
    """An event stream, line by line, each as soon as it is whole."""

    def __init__(self, response: httpx2.Response, notes: list[str]) -> None:
        self._response = response
        self._repairer = StreamRepairer(notes)

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        rest = b""
        async for chunk in self._response.aiter_bytes():
            *lines, rest = (rest + chunk).split(b"\n")
            if lines:
                yield self._repaired(line + b"\n" for line in lines)
        if rest:
            yield self._repaired([rest])
        if self._repairer.was_cut:
            raise httpx2.RemoteProtocolError("the stream ended before the reply was complete")

    def _repaired(self, lines: Iterable[bytes]) -> bytes:
        repaired = b"".join(map(self._repairer.line, lines))
        if self._repairer.broken_off is not None:
            raise httpx2.RemoteProtocolError(
                f"the server broke the reply off, {self._repairer.broken_off}"
            )
        return repaired

    @override
    async def aclose(self) -> None:
        await self._response.aclose()
