"""A time limit that holds on a real clock and, at the end of the block, on a virtual one."""

import asyncio
from types import TracebackType

from research_eval.agent.course import NoAnswer
from research_eval.clock import Clock

__all__ = ["TimeLimit"]


class TimeLimit:
    """Ends the block after some seconds; on a virtual clock, when the block is through.

    A virtual clock moves only inside the block, so nothing can interrupt it there.
    """

    def __init__(self, clock: Clock, seconds: float | None, kind: str) -> None:
        self._clock = clock
        self._seconds = seconds
        self._kind = kind
        self._began = 0.0
        self._timeout: asyncio.Timeout | None = None

    async def __aenter__(self) -> None:
        """Start to count."""
        if self._seconds is None:
            return
        self._began = self._clock.now()
        if not self._clock.is_virtual:
            self._timeout = asyncio.timeout(self._seconds)
            await self._timeout.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop to count.

        Raises:
            NoAnswer: If the time was up.
        """
        if self._seconds is None:
            return
        if self._timeout is not None:
            try:
                await self._timeout.__aexit__(kind, error, traceback)
            except TimeoutError as exc:
                raise self._exceeded() from exc
        if error is None:
            self.check()

    def check(self) -> None:
        """Raise if the time is up; on a virtual clock nothing else interrupts a longer block.

        Raises:
            NoAnswer: If the time was up.
        """
        if self._seconds is not None and self._clock.now() - self._began > self._seconds:
            raise self._exceeded()

    def _exceeded(self) -> NoAnswer:
        return NoAnswer("limit", self._kind, f"no answer within {self._seconds:g} s")
