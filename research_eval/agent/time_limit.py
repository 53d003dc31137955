"""A time limit that holds on a real clock and, at the end of the block, on a virtual one."""

import asyncio
from contextlib import ExitStack
from math import inf
from types import TracebackType

from research_eval.agent.conversation import NoAnswer
from research_eval.errors import AnswerOverdueError
from research_eval.waiting import Waits

__all__ = ["TimeLimit"]


class TimeLimit:
    """Ends the block after some seconds; on a virtual clock, when the block is through.

    A virtual clock moves only inside the block, so nothing can interrupt it there.
    What the trial is held back does not count.
    """

    def __init__(self, waits: Waits, seconds: float | None, kind: str) -> None:
        self._waits = waits
        self._seconds = seconds
        self._kind = kind
        self._began = 0.0
        self._timeout: asyncio.Timeout | None = None
        self._known = ExitStack()

    async def __aenter__(self) -> None:
        """Start to count."""
        if self._seconds is None:
            return
        self._began = self._waits.counted_s()
        if not self._waits.is_virtual:
            self._timeout = asyncio.timeout(self._seconds)
            await self._timeout.__aenter__()
        self._known.enter_context(self._waits.limited(self))

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop to count.

        Raises:
            NoAnswer: If the agent used the time up.
            AnswerOverdueError: If a provider had not answered when it was up.
        """
        if self._seconds is None:
            return
        self._known.close()
        if self._timeout is not None:
            try:
                await self._timeout.__aexit__(kind, error, traceback)
            except TimeoutError as exc:
                raise self._exceeded(self._seconds) from exc
        if error is None:
            self.check()

    def check(self) -> None:
        """Raise if the time is up; on a virtual clock nothing else interrupts a longer block.

        Raises:
            NoAnswer: If the agent used the time up.
            AnswerOverdueError: If a provider had not answered when it was up.
        """
        if self._seconds is not None and self.left_s() < 0:
            raise self._exceeded(self._seconds)

    def left_s(self) -> float:
        """Return the seconds that are left."""
        passed = self._waits.counted_s() - self._began
        return inf if self._seconds is None else self._seconds - passed

    def stop(self) -> None:
        """Let no time run out until `go_on`."""
        self._end_at(None)

    def go_on(self) -> None:
        """Count again."""
        self._end_at(self.left_s())

    def _end_at(self, left_s: float | None) -> None:
        if self._timeout is not None and not self._timeout.expired():
            now = asyncio.get_running_loop().time()
            self._timeout.reschedule(None if left_s is None else now + left_s)

    def _exceeded(self, seconds: float) -> NoAnswer | AnswerOverdueError:
        until = min(self._began + seconds, self._waits.counted_s())
        whom = self._waits.overdue(self._began, until)
        if whom is None:
            return NoAnswer("limit", self._kind, f"no answer within {seconds:g} s")
        return AnswerOverdueError(
            f"{whom} had not answered when the {self._kind.partition('_')[0]}'s {seconds:g} s "
            f"({self._kind}_s) were over"
        )
