"""The transport for httpx2 clients."""

from collections.abc import AsyncIterator
from typing import cast

import httpx2
from typing_extensions import override

from research_eval.cassette.base_transport import BaseTransport, marks_of
from research_eval.cassette.interaction import RecordedFailure
from research_eval.cassette.playback import Interaction
from research_eval.cassette.stream import Player, Source

__all__ = ["CassetteTransport2", "UnrecordedError2"]


class UnrecordedError2(httpx2.TransportError):
    """The recorded web has no answer, for a client of httpx2."""


class _Body(httpx2.AsyncByteStream):
    """A body as httpx2 wants one."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @override
    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._source.__aiter__()

    @override
    async def aclose(self) -> None:
        await self._source.aclose()


class _Played(httpx2.Response):
    """A response whose body came whole and plain: reading it all needs none of the usual machinery."""

    player: Player

    @override
    async def aread(self) -> bytes:
        is_untouched = not (self.is_closed or self.is_stream_consumed or hasattr(self, "_content"))
        if is_untouched and (whole := await self.player.whole()) is not None:
            self.is_stream_consumed = True
            self._num_bytes_downloaded = len(whole)
            self._content = whole
            self.is_closed = True
            await cast("httpx2.AsyncByteStream", self.stream).aclose()
            self.stream = httpx2.ByteStream(whole)  # what was here refers back to this response
            return whole
        return await super().aread()


class CassetteTransport2(BaseTransport[httpx2.Request, httpx2.Response], httpx2.AsyncBaseTransport):
    """Answers an `httpx2.AsyncClient` from recordings; in replay there is no code path to the network."""

    @override
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the recorded or the live answer to `request`.

        Raises:
            CassetteMissError: If a replay has no recording of it.
        """
        return await self._handle(request)

    @override
    async def aclose(self) -> None:
        """Close the way to the network, if there is one."""
        if self._inner is not None:
            await self._inner.aclose()

    @override
    def _answer(
        self, interaction: Interaction, stream: Player, request: httpx2.Request
    ) -> httpx2.Response:
        response = _Played(
            interaction.status,
            headers=interaction.header_bytes(),
            stream=_Body(stream),
            extensions=marks_of(interaction),
            request=request,
        )
        response.player = stream
        return response

    @override
    def _swap(
        self, response: httpx2.Response, headers: list[tuple[bytes, bytes]], stream: Source
    ) -> httpx2.Response:
        return httpx2.Response(
            response.status_code,
            headers=headers,
            stream=_Body(stream),
            extensions=response.extensions,
        )

    @override
    def _failure(self, failure: RecordedFailure, request: httpx2.Request) -> Exception:
        kind: type[httpx2.RequestError] = getattr(httpx2, failure.type)
        return kind(failure.message, request=request)

    @override
    def _unrecorded(self, words: str, request: httpx2.Request) -> Exception:
        return UnrecordedError2(words, request=request)
