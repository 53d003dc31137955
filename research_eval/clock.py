"""Where time comes from: the system's clock, or a virtual one that costs no waiting."""

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from typing_extensions import override

__all__ = ["Clock", "EventClock", "SystemClock", "VirtualClock", "run_on_event_clock"]

T = TypeVar("T")


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


class EventClock:
    """A virtual clock for many tasks: time jumps to the next moment at which one of them wakes.

    It is made by `run_on_event_clock`, on whose event loop every wait is a wait of this clock.
    """

    is_virtual = True

    def __init__(self, tell: Callable[[], float]) -> None:
        self._tell = tell

    def now(self) -> float:
        """Return the virtual seconds that have passed."""
        return round(self._tell(), 6)

    async def sleep(self, seconds: float) -> None:
        """Let the other tasks run until `seconds` of virtual time have passed."""
        await asyncio.sleep(max(0.0, seconds))


def run_on_event_clock(main: Callable[[EventClock], Coroutine[Any, Any, T]]) -> T:
    """Run `main` to its end on virtual time: no wait costs real time, the order is always the same.

    Raises:
        RuntimeError: If every task waits for something that no clock brings about.
    """
    # not asyncio.Runner: its signal handler writes out the main task, result and all
    loop = _EventLoop()
    try:
        return loop.run_until_complete(main(EventClock(loop.time)))
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        with suppress(RuntimeError):
            loop.run_until_complete(_settled(left))
            loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _settled(tasks: set[asyncio.Task[Any]]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)


class _NextMoment(selectors.SelectSelector):
    """Where an event loop would wait for the next moment, be there at once."""

    now_s = 0.0

    @override
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("every task waits, and no clock can wake one")
        self.now_s += max(0.0, timeout)
        return []


class _EventLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._moment = _NextMoment()
        super().__init__(self._moment)

    @override
    def time(self) -> float:
        return self._moment.now_s
