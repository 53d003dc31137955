"""The transport for httpx clients."""

from collections.abc import AsyncIterator
from typing import cast

import httpx
from typing_extensions import override

from research_eval.cassette.base_transport import BaseTransport, marks_of
from research_eval.cassette.interaction import RecordedFailure
from research_eval.cassette.playback import Interaction
from research_eval.cassette.stream import Player, Source

__all__ = ["CassetteTransport", "UnrecordedError"]


class UnrecordedError(httpx.TransportError):
    """The recorded web has no answer; the tool that asked reports it and the trial goes on."""


class _Body(httpx.AsyncByteStream):
    """A body as httpx wants one."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @override
    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._source.__aiter__()

    @override
    async def aclose(self) -> None:
        await self._source.aclose()


class _Played(httpx.Response):
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
            await cast("httpx.AsyncByteStream", self.stream).aclose()
            self.stream = httpx.ByteStream(whole)  # what was here refers back to this response
            return whole
        return await super().aread()


class CassetteTransport(BaseTransport[httpx.Request, httpx.Response], httpx.AsyncBaseTransport):
    """Answers an `httpx.AsyncClient` from recordings; in replay there is no code path to the network."""

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
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
        self, interaction: Interaction, stream: Player, request: httpx.Request
    ) -> httpx.Response:
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
        self, response: httpx.Response, headers: list[tuple[bytes, bytes]], stream: Source
    ) -> httpx.Response:
        return httpx.Response(
            response.status_code,
            headers=headers,
            stream=_Body(stream),
            extensions=response.extensions,
        )

    @override
    def _failure(self, failure: RecordedFailure, request: httpx.Request) -> Exception:
        kind: type[httpx.RequestError] = getattr(httpx, failure.type)
        return kind(failure.message, request=request)

    @override
    def _unrecorded(self, words: str, request: httpx.Request) -> Exception:
        return UnrecordedError(words, request=request)
