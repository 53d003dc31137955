"""Identical calls at the same time share one: the first starts it, the others wait with it."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

__all__ = ["SharedFlight"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class SharedFlight(Generic[K, V]):
    """Calls under way, by key; a call is cancelled only when nobody waits for it any more."""

    def __init__(self) -> None:
        self._tasks: dict[K, asyncio.Task[V]] = {}
        self._waiting: dict[K, int] = {}

    async def join(self, key: K, start: Callable[[], Awaitable[V]]) -> tuple[V, bool]:
        """Return the value of the call under `key`, and whether this caller started it."""
        task = self._tasks.get(key)
        is_own = task is None
        if task is None:
            task = asyncio.create_task(_run(start))
            self._tasks[key] = task
            self._waiting[key] = 0
        self._waiting[key] += 1
        try:
            return await asyncio.shield(task), is_own
        finally:
            self._leave(key, task)

    def _leave(self, key: K, task: "asyncio.Task[V]") -> None:
        if self._tasks.get(key) is not task:
            return
        self._waiting[key] -= 1
        if task.done() or not self._waiting[key]:
            del self._tasks[key], self._waiting[key]
            task.cancel()


async def _run(start: Callable[[], Awaitable[V]]) -> V:
    return await start()
