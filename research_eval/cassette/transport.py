"""The transport for clients of httpx and of httpx2: replay, record or pass through."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any, Final, Literal, Protocol

import httpx
import httpx2
from typing_extensions import override

from research_eval.cassette.failure import failure_of
from research_eval.cassette.interaction import RecordedFailure
from research_eval.cassette.key import CanonicalRequest
from research_eval.cassette.playback import Interaction
from research_eval.cassette.recording import Recording
from research_eval.cassette.response_redaction import IsEnough
from research_eval.cassette.stream import Player, Source, Tee
from research_eval.clock import Clock
from research_eval.errors import CassetteCorruptError
from research_eval.http_library import AnyRequest, AnyTransport, ByteStream, library_of

__all__ = [
    "GAVE_UP",
    "IS_ENOUGH",
    "IS_PLAYED",
    "CassetteTransport",
    "Mode",
    "TrialSession",
    "UnrecordedError",
]

Mode = Literal["replay", "record", "live"]
"""How a channel is used."""

IS_ENOUGH = "is_enough"
"""The extension of a request under which its reader, if it has a cap, says when it has read enough."""

IS_PLAYED = "is_played"
"""The extension of a response by which readers know it from what a server answered just now.

Its value is how many seconds the answer took, to its end, when a reader with the same time limit
recorded it; else 0.
"""

GAVE_UP = RecordedFailure(type="ReadTimeout", message="the caller gave up")
"""What a request that was cancelled is replayed as."""


def marks_of(interaction: Interaction, *, in_time: bool) -> dict[str, Any]:
    """Return the extensions of the response that `interaction` holds.

    `in_time` says that its reader has the time limit of the recording.
    """
    reason = interaction.reason
    return {IS_PLAYED: interaction.took_s if in_time else 0.0} | (
        {"reason_phrase": reason.encode("ascii", "replace")} if reason else {}
    )


class UnrecordedError(httpx.TransportError, httpx2.TransportError):  # type: ignore[misc]
    """The recorded web has no answer; the tool that asked reports it and the trial goes on."""


class _Body(ByteStream):
    """A body as both libraries want one."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @override
    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._source.__aiter__()

    @override
    async def aclose(self) -> None:
        await self._source.aclose()


def _played(library: Any) -> Any:  # noqa: ANN401  # httpx and httpx2 share no type
    """Return the class of a library's responses whose body came whole and plain.

    Reading it all needs none of the usual machinery.
    """

    class Played(library.Response):  # type: ignore[misc]
        player: Player
        is_closed: bool
        is_stream_consumed: bool
        stream: Any

        async def aread(self) -> bytes:
            is_begun = self.is_closed or self.is_stream_consumed or hasattr(self, "_content")
            if not is_begun and (whole := await self.player.whole()) is not None:
                self.is_stream_consumed = True
                self._num_bytes_downloaded = len(whole)
                self._content = whole
                self.is_closed = True
                await self.stream.aclose()
                # what was here refers back to this response
                self.stream = library.ByteStream(whole)
                return whole
            read: bytes = await super().aread()
            return read

    return Played


_PLAYED: Final = {httpx: _played(httpx), httpx2: _played(httpx2)}


class TrialSession(Protocol):
    """What a transport needs of a session."""

    mode: Mode
    clock: Clock

    def went_live(self) -> None:
        """Count a request that goes out unrecorded."""
        ...

    def canonical(
        self, method: str, url: tuple[str, str, str], content_type: str, content: bytes
    ) -> CanonicalRequest:
        """Return a request as recordings know it."""
        ...

    async def match(
        self, canonical: CanonicalRequest, task_id: str, is_enough: IsEnough | None = None
    ) -> Interaction | int:
        """Return the recording that answers a request, or the ordinal under which to record it."""
        ...

    def start(
        self,
        canonical: CanonicalRequest,
        task_id: str,
        ordinal: int,
        headers: Iterable[tuple[str, str]],
        patience_s: float | None,
    ) -> Recording:
        """Begin to record a request that goes out now."""
        ...

    async def shown(
        self, headers: list[tuple[str, str]], stream: Source, is_enough: IsEnough | None
    ) -> tuple[list[tuple[str, str]], Source]:
        """Return a live answer's headers and body without secrets."""
        ...

    def cut_short(self, interaction: Interaction) -> BaseException:
        """Return what to raise where a reader wants more than was recorded."""
        ...

    def damaged(self, error: CassetteCorruptError) -> BaseException:
        """Return what to raise where a recording cannot be read back."""
        ...


class CassetteTransport(AnyTransport):
    """Answers requests from a session's recordings, or records what the network answers.

    In replay there is no code path to the network.
    """

    def __init__(self, session: TrialSession, inner: Any, task_id: str) -> None:  # noqa: ANN401  # httpx and httpx2 share no type
        self._session = session
        self._inner = inner
        self._task_id = task_id

    @override
    async def aclose(self) -> None:
        """Close the way to the network, if there is one."""
        if self._inner is not None:
            await self._inner.aclose()

    @override
    async def handle_async_request(
        self, request: AnyRequest
    ) -> Any:  # httpx and httpx2 share no type
        """Return the recorded or the live answer to `request`.

        Raises:
            CassetteMissError: If a replay has no recording of it.
        """
        session = self._session
        if session.mode == "live":
            session.went_live()
            response = await self._send(request)
            return await self._shown(response, response.stream, request)
        content = await request.aread()
        url = request.url
        canonical = session.canonical(
            request.method,
            (url.scheme, url.netloc.decode("ascii"), url.raw_path.decode("ascii")),
            request.headers.get("content-type", ""),
            content,
        )
        try:
            matched = await session.match(
                canonical, self._task_id, request.extensions.get(IS_ENOUGH)
            )
        except CassetteCorruptError as exc:
            raise session.damaged(exc) from exc
        timeout = request.extensions.get("timeout")
        patience = timeout.get("read") if timeout else None
        if isinstance(matched, Interaction):
            return await self._play(matched, request, patience)
        headers = request.headers.multi_items()
        return await self._record(
            session.start(canonical, self._task_id, matched, headers, patience), request
        )

    async def _send(self, request: AnyRequest) -> Any:  # noqa: ANN401  # httpx and httpx2 share no type
        return await self._inner.handle_async_request(request)

    async def _play(
        self, interaction: Interaction, request: AnyRequest, patience: float | None
    ) -> Any:  # noqa: ANN401  # httpx and httpx2 share no type
        slot = interaction
        clock = self._session.clock
        in_time = patience == slot.read_timeout_s  # it sufficed when this was recorded
        if in_time:
            patience = None
        if patience is not None and slot.latency_s > patience:
            await clock.sleep(patience)
            late = RecordedFailure(
                type="ReadTimeout", message="the recorded answer exceeds the timeout"
            )
            raise _failure(late, request)
        await clock.sleep(slot.latency_s)
        if slot.error is not None and not slot.error.in_body:
            raise _failure(slot.error, request)

        def fail(failure: RecordedFailure) -> Exception:
            return _failure(failure, request)

        def cut() -> BaseException:
            return self._session.cut_short(interaction)

        player = Player(interaction, clock, patience, fail, cut, self._session.damaged)
        response = _PLAYED[library_of(request)](
            interaction.status,
            headers=interaction.header_bytes(),
            stream=_Body(player),
            extensions=marks_of(interaction, in_time=in_time),
            request=request,
        )
        response.player = player
        return response

    async def _record(self, recording: Recording, request: AnyRequest) -> Any:  # noqa: ANN401  # httpx and httpx2 share no type
        try:
            response = await self._send(request)
        except asyncio.CancelledError:
            recording.finish("cancelled", GAVE_UP)
            raise
        except Exception as exc:
            recording.fail(failure_of(exc))
            await self._catch_up(recording)
            raise
        recording.respond(
            response.status_code, response.reason_phrase, response.headers.multi_items()
        )
        await self._catch_up(recording)
        tee = Tee(response.stream, recording, self._session.clock)
        return await self._shown(response, tee, request)

    async def _shown(self, response: Any, stream: Source, request: AnyRequest) -> Any:  # noqa: ANN401  # httpx and httpx2 share no type
        """Return a live answer as the agent may see it."""
        headers = response.headers.multi_items()
        is_enough = request.extensions.get(IS_ENOUGH)
        clean, body = await self._session.shown(headers, stream, is_enough)
        raw = response.headers.raw
        if clean != headers:
            raw = [(name.encode("utf-8"), value.encode("utf-8")) for name, value in clean]
        return library_of(request).Response(
            response.status_code, headers=raw, stream=_Body(body), extensions=response.extensions
        )

    async def _catch_up(self, recording: Recording) -> None:
        """Let a virtual clock pass the time that the answer really took, as replay will."""
        if self._session.clock.is_virtual:
            await self._session.clock.sleep(recording.latency_s)


def _failure(failure: RecordedFailure, request: AnyRequest) -> Exception:
    """Return the exception of the client's library that a recording names."""
    kind = getattr(library_of(request), failure.type)
    error: Exception = kind(failure.message, request=request)
    return error
