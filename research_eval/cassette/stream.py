"""Streams of a body: one that plays recorded pieces at their times, one that records while it passes on."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from research_eval.cassette.failure import failure_of
from research_eval.cassette.interaction import FailureOnTape
from research_eval.cassette.recording import Recording
from research_eval.cassette.tape import Interaction
from research_eval.clock import Clock
from research_eval.errors import CassetteCorruptError

__all__ = ["Player", "Source", "Tee", "chunk_plan"]


class Source(Protocol):
    """A body that arrives in pieces and can be closed early."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Return the pieces."""
        ...

    async def aclose(self) -> None:
        """Stop listening."""
        ...


def chunk_plan(text: str | None, size: int) -> list[tuple[int, float]]:
    """Return the pieces of a body as pairs of size and seconds since the headers.

    Raises:
        CassetteCorruptError: If they do not add up to the body.
    """
    if text is None:
        return [(size, 0.0)] if size else []
    try:
        pairs = [chunk.split("@") for chunk in text.split(" ")]
        plan = [(int(length), float(offset)) for length, offset in pairs]
    except ValueError as exc:
        raise CassetteCorruptError(f"chunks {text[:60]!r} are not written as bytes@seconds") from exc
    if sum(length for length, _ in plan) != size or any(length < 0 for length, _ in plan):
        raise CassetteCorruptError(f"chunks {text[:60]!r} do not add up to a body of {size} bytes")
    return plan


class Player:
    """Plays the body of a recorded response."""

    def __init__(
        self,
        interaction: Interaction,
        clock: Clock,
        patience_s: float | None,
        fail: Callable[[FailureOnTape], BaseException],
        cut: Callable[[int], BaseException],
    ) -> None:
        self._interaction = interaction
        self._clock = clock
        self._patience_s = patience_s
        self._fail = fail
        self._cut = cut

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Return the pieces, each at its time, and the failure that ended them, if one did."""
        content = self._interaction.content
        slot = self._interaction.record.tape
        start, elapsed = 0, 0.0
        for size, offset in chunk_plan(slot.chunks, len(content)):
            gap = offset - elapsed
            if gap > 0.0:
                if self._patience_s is not None and gap > self._patience_s:
                    await self._clock.sleep(self._patience_s)
                    raise self._fail(FailureOnTape(type="ReadTimeout", message="recorded pause exceeds the timeout"))
                await self._clock.sleep(gap)
                elapsed = offset
            yield content[start : start + size]
            start += size
        if slot.error is not None:
            raise self._fail(slot.error)
        if slot.end != "complete":
            raise self._cut(len(content))

    async def aclose(self) -> None:
        """Do nothing: there is no connection."""


class Tee:
    """Passes a live body on piece by piece, and records what passed and how it ended."""

    def __init__(self, source: Source, recording: Recording) -> None:
        self._source = source
        self._recording = recording

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Return the pieces as they arrive."""
        try:
            async for chunk in self._source:
                self._recording.add(chunk)
                yield chunk
        except asyncio.CancelledError:
            self._recording.finish("cancelled", FailureOnTape(type="ReadTimeout", message="the caller gave up"))
            raise
        except Exception as exc:
            failure = failure_of(exc)
            if failure is None:
                self._recording.abandon()
            else:
                self._recording.finish("error", failure)
            raise
        self._recording.finish("complete")

    async def aclose(self) -> None:
        """Close the live body; what was not read is not recorded."""
        try:
            await self._source.aclose()
        finally:
            self._recording.finish("early_close")
