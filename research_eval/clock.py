"""Where time comes from: the system's clock, or a virtual one that costs no waiting."""

import asyncio
import time
from typing import Protocol

__all__ = ["Clock", "SystemClock", "VirtualClock"]


class Clock(Protocol):
    """A source of elapsed time that can also wait."""

    is_virtual: bool
    """Whether waiting costs no real time, so that its readings are the same in every replay."""

    def now(self) -> float:
        """Return seconds since an arbitrary start; never runs backwards."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait `seconds`; less than or equal to zero returns at once."""
        ...


class SystemClock:
    """The real monotonic clock."""

    is_virtual = False

    def now(self) -> float:
        """Return the monotonic clock's reading, in seconds."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait `seconds` of real time."""
        await asyncio.sleep(max(0.0, seconds))


class VirtualClock:
    """A clock for one task at a time: waiting moves it forward and returns at once.

    One trial owns one; inside a trial tool calls run one after another.
    """

    is_virtual = True

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        """Return the virtual seconds that have passed."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move forward by `seconds`, for instance by a recorded latency."""
        self._now = round(self._now + max(0.0, seconds), 6)

    async def sleep(self, seconds: float) -> None:
        """Move forward by `seconds` without waiting."""
        self.advance(seconds)
