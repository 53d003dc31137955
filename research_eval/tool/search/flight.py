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

    def is_under_way(self, key: K) -> bool:
        """Return whether a call under `key` waits for its value."""
        return key in self._tasks

    async def join(self, key: K, start: Callable[[], Awaitable[V]]) -> V:
        """Return the value of the call under `key`, which this starts if none is under way."""
        task = self._tasks.get(key)
        if task is None:
            task = asyncio.create_task(_run(start))
            self._tasks[key] = task
            self._waiting[key] = 0
        self._waiting[key] += 1
        try:
            return await asyncio.shield(task)
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
