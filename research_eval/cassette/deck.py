"""The part of a transport that httpx and httpx2 share: replay, record or pass through."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

from research_eval.cassette.failure import failure_of
from research_eval.cassette.interaction import FailureOnTape
from research_eval.cassette.recording import Recording
from research_eval.cassette.session import Miss, Session
from research_eval.cassette.stream import Player, Source, Tee
from research_eval.cassette.tape import Interaction

__all__ = ["TapeDeck"]

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")


class TapeDeck(Generic[RequestT, ResponseT]):
    """Answers requests from a session's recordings, or records what the network answers."""

    def __init__(self, session: Session, inner: Any, lane: str) -> None:
        self._session = session
        self._inner = inner
        self._lane = lane

    def _answer(self, interaction: Interaction, stream: Source, request: RequestT) -> ResponseT:
        raise NotImplementedError

    def _swap(self, response: ResponseT, stream: Source) -> ResponseT:
        raise NotImplementedError

    def _failure(self, failure: FailureOnTape, request: RequestT) -> Exception:
        raise NotImplementedError

    def _off_tape(self, words: str, request: RequestT) -> Exception:
        raise NotImplementedError

    async def _handle(self, request: Any) -> ResponseT:
        session = self._session
        if session.mode == "live":
            session.count("live")
            return await self._send(request)
        content = await request.aread()
        url = request.url
        asked = session.ask(
            request.method,
            (url.scheme, url.netloc.decode("ascii"), url.raw_path.decode("ascii")),
            request.headers.get("content-type", ""),
            content,
        )
        try:
            claimed = await session.claim(asked, self._lane)
        except Miss as exc:
            if getattr(session, "raises_off_tape", False):
                session.count("off_tape")
                raise self._off_tape(str(exc), request) from None
            session.miss(asked, str(exc))
        patience = request.extensions.get("timeout", {}).get("read")
        if isinstance(claimed, Interaction):
            return await self._play(claimed, request, patience)
        headers = request.headers.multi_items()
        recording = session.start(asked, self._lane, claimed, headers, patience)
        return await self._record(recording, request)

    async def _send(self, request: Any) -> ResponseT:
        send: Callable[[Any], Awaitable[ResponseT]] = self._inner.handle_async_request
        return await send(request)

    async def _play(self, interaction: Interaction, request: RequestT, patience: float | None) -> ResponseT:
        slot = interaction.record.tape
        clock = self._session.clock
        if patience is not None and patience == slot.read_timeout_s:
            patience = None
        if patience is not None and slot.latency_s > patience:
            await clock.sleep(patience)
            raise self._failure(FailureOnTape(type="ReadTimeout", message="recorded answer exceeds the timeout"), request)
        await clock.sleep(slot.latency_s)
        if slot.error is not None and not slot.error.in_body:
            raise self._failure(slot.error, request)
        player = Player(
            interaction,
            clock,
            patience,
            lambda failure: self._failure(failure, request),
            lambda size: self._cut(interaction, size, request),
        )
        return self._answer(interaction, player, request)

    def _cut(self, interaction: Interaction, size: int, request: RequestT) -> BaseException:
        words = f"the recording of {interaction.record.request.uri} was closed by its reader after {size} bytes"
        session = self._session
        if getattr(session, "raises_off_tape", False):
            session.count("off_tape")
            return self._off_tape(words, request)
        try:
            session.miss(None, words)
        except BaseException as exc:  # noqa: BLE001
            return exc

    async def _record(self, recording: Recording, request: Any) -> ResponseT:
        try:
            response: Any = await self._send(request)
        except asyncio.CancelledError:
            recording.finish("cancelled", FailureOnTape(type="ReadTimeout", message="the caller gave up"))
            raise
        except Exception as exc:
            failure = failure_of(exc)
            if failure is None:
                recording.abandon()
            else:
                recording.finish("error", failure)
            raise
        recording.respond(response.status_code, response.reason_phrase, response.headers.multi_items())
        return self._swap(response, Tee(response.stream, recording))
