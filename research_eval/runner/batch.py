"""Run many trials side by side, bounded; stop cleanly when asked to, and keep what is done."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from research_eval.runner.trial import TrialResult
from research_eval.schema import TrialKey

__all__ = ["run_batch"]

RunOne = Callable[[TrialKey], Awaitable[TrialResult | None]]
"""Runs one trial to its end; `None` if there is nothing to keep of it."""


async def run_batch(
    keys: Sequence[TrialKey],
    run_one: RunOne,
    keep: Callable[[TrialResult], None],
    *,
    concurrency: int,
    may_start: Callable[[], bool] = lambda: True,
    is_served: Callable[[TrialKey], bool] = lambda _: True,
) -> None:
    """Run the trials of `keys`, at most `concurrency` at once.

    Args:
        keys: The trials, started in this order.
        run_one: Runs one of them.
        keep: Takes a result the moment it is there; what it raises stops the batch.
        concurrency: Trials in flight.
        may_start: Asked before each start; once it says no, the batch drains and returns.
        is_served: Asked before each start; a trial of which it says no is passed over.
    """
    waiting = iter(keys)

    async def work() -> None:
        for key in waiting:
            if not may_start():
                return
            if not is_served(key):
                continue
            if (result := await run_one(key)) is not None:
                keep(result)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(concurrency, len(keys))):
            group.create_task(work())
