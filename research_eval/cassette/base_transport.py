"""The part of a transport that httpx and httpx2 share: replay, record or pass through."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, Literal, Protocol, TypeVar

from research_eval.cassette.failure import failure_of
from research_eval.cassette.interaction import RecordedFailure
from research_eval.cassette.key import Asked
from research_eval.cassette.playback import Interaction
from research_eval.cassette.recording import Recording
from research_eval.cassette.response_redaction import IsEnough
from research_eval.cassette.stream import Player, Source, Tee
from research_eval.clock import Clock
from research_eval.errors import CassetteCorruptError

__all__ = ["GAVE_UP", "IS_ENOUGH", "IS_PLAYED", "BaseTransport", "Mode", "TrialSession", "marks_of"]

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")

Mode = Literal["replay", "record", "live"]
"""How a channel is used."""

IS_ENOUGH = "is_enough"
"""The extension of a request under which its reader, if it has a cap, says when it has read enough."""

IS_PLAYED = "is_played"
"""The extension of a response by which readers know it from what a server answered just now."""

GAVE_UP = RecordedFailure(type="ReadTimeout", message="the caller gave up")
"""What a request that was cancelled is replayed as."""


def marks_of(interaction: Interaction) -> dict[str, Any]:
    """Return the extensions of the response that `interaction` holds."""
    reason = interaction.reason
    return {IS_PLAYED: True} | (
        {"reason_phrase": reason.encode("ascii", "replace")} if reason else {}
    )


class Unrecorded(Exception):  # noqa: N818  # never leaves this package: each transport raises its own
    """The recorded web has no answer, and the tool that asked is to be told so."""


class TrialSession(Protocol):
    """What a transport needs of a session."""

    mode: Mode
    clock: Clock

    def went_live(self) -> None:
        """Count a request that goes out unrecorded."""
        ...

    def ask(
        self, method: str, url: tuple[str, str, str], content_type: str, content: bytes
    ) -> Asked:
        """Return a request as recordings know it."""
        ...

    async def match(
        self, asked: Asked, task_id: str, is_enough: IsEnough | None = None
    ) -> Interaction | int:
        """Return the recording that answers a request, or the ordinal under which to record it."""
        ...

    def start(
        self,
        asked: Asked,
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


class BaseTransport(ABC, Generic[RequestT, ResponseT]):
    """Answers requests from a session's recordings, or records what the network answers."""

    def __init__(self, session: TrialSession, inner: Any, task_id: str) -> None:  # noqa: ANN401  # httpx and httpx2 share no type
        self._session = session
        self._inner = inner
        self._task_id = task_id

    @abstractmethod
    def _answer(self, interaction: Interaction, stream: Player, request: RequestT) -> ResponseT:
        """Return the recorded response."""

    @abstractmethod
    def _swap(
        self, response: ResponseT, headers: list[tuple[bytes, bytes]], stream: Source
    ) -> ResponseT:
        """Return a live response with other headers and another body."""

    @abstractmethod
    def _failure(self, failure: RecordedFailure, request: RequestT) -> Exception:
        """Return the exception of the client's library that a recording names."""

    @abstractmethod
    def _unrecorded(self, words: str, request: RequestT) -> Exception:
        """Return what the tool that asked is told where the web has no answer."""

    async def _handle(self, request: Any) -> ResponseT:  # noqa: ANN401  # httpx and httpx2 share no type
        session = self._session
        if session.mode == "live":
            session.went_live()
            response = await self._send(request)
            return await self._shown(response, response.stream, request)
        content = await request.aread()
        url = request.url
        asked = session.ask(
            request.method,
            (url.scheme, url.netloc.decode("ascii"), url.raw_path.decode("ascii")),
            request.headers.get("content-type", ""),
            content,
        )
        try:
            matched = await session.match(asked, self._task_id, request.extensions.get(IS_ENOUGH))
        except Unrecorded as exc:
            raise self._unrecorded(str(exc), request) from None
        except CassetteCorruptError as exc:
            raise session.damaged(exc) from exc
        timeout = request.extensions.get("timeout")
        patience = timeout.get("read") if timeout else None
        if isinstance(matched, Interaction):
            return await self._play(matched, request, patience)
        headers = request.headers.multi_items()
        return await self._record(
            session.start(asked, self._task_id, matched, headers, patience), request
        )

    async def _send(self, request: Any) -> Any:  # noqa: ANN401  # httpx and httpx2 share no type
        return await self._inner.handle_async_request(request)

    async def _play(
        self, interaction: Interaction, request: RequestT, patience: float | None
    ) -> ResponseT:
        slot = interaction
        clock = self._session.clock
        if patience == slot.read_timeout_s:
            patience = None  # it sufficed when this was recorded
        if patience is not None and slot.latency_s > patience:
            await clock.sleep(patience)
            late = RecordedFailure(
                type="ReadTimeout", message="the recorded answer exceeds the timeout"
            )
            raise self._failure(late, request)
        await clock.sleep(slot.latency_s)
        if slot.error is not None and not slot.error.in_body:
            raise self._failure(slot.error, request)

        def fail(failure: RecordedFailure) -> Exception:
            return self._failure(failure, request)

        def cut() -> BaseException:
            error = self._session.cut_short(interaction)
            return self._unrecorded(str(error), request) if isinstance(error, Unrecorded) else error

        player = Player(interaction, clock, patience, fail, cut, self._session.damaged)
        return self._answer(interaction, player, request)

    async def _record(self, recording: Recording, request: Any) -> ResponseT:  # noqa: ANN401  # httpx and httpx2 share no type
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

    async def _shown(self, response: Any, stream: Source, request: Any) -> ResponseT:  # noqa: ANN401  # httpx and httpx2 share no type
        """Return a live answer as the agent may see it."""
        headers = response.headers.multi_items()
        is_enough = request.extensions.get(IS_ENOUGH)
        clean, body = await self._session.shown(headers, stream, is_enough)
        raw = response.headers.raw
        if clean != headers:
            raw = [(name.encode("utf-8"), value.encode("utf-8")) for name, value in clean]
        return self._swap(response, raw, body)

    async def _catch_up(self, recording: Recording) -> None:
        """Let a virtual clock pass the time that the answer really took, as replay will."""
        if self._session.clock.is_virtual:
            await self._session.clock.sleep(recording.latency_s)
