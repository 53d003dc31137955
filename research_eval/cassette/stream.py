"""Streams of a body: one that plays recorded pieces at their times, one that records while it passes on."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from research_eval.cassette.failure import failure_of
from research_eval.cassette.interaction import RecordedFailure
from research_eval.cassette.playback import Interaction
from research_eval.cassette.recording import Recording
from research_eval.clock import Clock
from research_eval.errors import CassetteCorruptError

__all__ = ["Player", "Source", "Tee"]


class Source(Protocol):
    """A body that arrives in pieces and can be closed early."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Return the pieces."""
        ...

    async def aclose(self) -> None:
        """Stop listening."""
        ...


class Player:
    """Plays the body of a recorded response."""

    def __init__(
        self,
        interaction: Interaction,
        clock: Clock,
        patience_s: float | None,
        fail: Callable[[RecordedFailure], Exception],
        cut: Callable[[], BaseException],
        damaged: Callable[[CassetteCorruptError], BaseException],
    ) -> None:
        self._interaction = interaction
        self._clock = clock
        self._patience_s = patience_s
        self._fail = fail
        self._cut = cut
        self._damaged = damaged

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Return the pieces, each at its time, and the failure that ended them, if one did."""
        slot = self._interaction
        elapsed = 0.0
        for piece, offset in self._pieces():
            if offset > elapsed:
                await self._wait(offset - elapsed)
                elapsed = offset
            yield piece
        if slot.ended_s is not None and slot.ended_s > elapsed:
            await self._wait(slot.ended_s - elapsed)
        if slot.error is not None:
            raise self._fail(slot.error)
        if slot.end != "complete":
            raise self._cut()

    async def whole(self) -> bytes | None:
        """Return the body if it came in one plain piece and ended well, at its time; else `None`."""
        played = self._interaction
        pieces = self._pieces()
        if played.end != "complete" or played.is_encoded or len(pieces) > 1:
            return None
        if not pieces:
            return b""
        piece, offset = pieces[0]
        if offset > 0:
            await self._wait(offset)
        return piece

    async def aclose(self) -> None:
        """Do nothing: there is no connection."""

    def _pieces(self) -> list[tuple[bytes, float]]:
        try:
            return self._interaction.pieces()
        except CassetteCorruptError as exc:
            raise self._damaged(exc) from exc

    async def _wait(self, gap_s: float) -> None:
        if self._patience_s is None or gap_s <= self._patience_s:
            await self._clock.sleep(gap_s)
            return
        await self._clock.sleep(self._patience_s)
        raise self._fail(
            RecordedFailure(type="ReadTimeout", message="the recorded pause exceeds the timeout")
        )


class Tee:
    """Passes a live body on piece by piece, and records what passed and how it ended."""

    def __init__(self, source: Source, recording: Recording, clock: Clock) -> None:
        self._source = source
        self._recording = recording
        self._clock = clock

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Return the pieces as they arrive."""
        try:
            async for chunk in self._source:
                gap_s = self._recording.add(chunk)
                if self._clock.is_virtual:
                    await self._clock.sleep(gap_s)
                yield chunk
        except asyncio.CancelledError:
            self._recording.finish(
                "cancelled", RecordedFailure(type="ReadTimeout", message="the caller gave up")
            )
            raise
        except Exception as exc:
            gap_s = self._recording.pause_s()
            self._recording.fail(failure_of(exc))
            if self._clock.is_virtual:
                await self._clock.sleep(gap_s)
            raise
        self._recording.finish("complete")

    async def aclose(self) -> None:
        """Close the live body; what was not read is not recorded."""
        try:
            await self._source.aclose()
        finally:
            self._recording.finish("early_close")
