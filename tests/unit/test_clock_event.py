"""The virtual clock for many tasks at once."""

import asyncio
import time

import pytest

from research_eval.clock import EventClock, run_on_event_clock


def test_an_hour_of_virtual_time_costs_no_waiting():
    async def main(clock: EventClock) -> float:
        await clock.sleep(3600)
        return clock.now()

    before = time.monotonic()

    assert run_on_event_clock(main) == 3600
    assert time.monotonic() - before < 300


def test_tasks_wake_in_the_order_of_their_times_whatever_the_order_of_their_start():
    woke: list[tuple[float, int]] = []

    async def sleeper(clock: EventClock, seconds: int) -> None:
        await clock.sleep(seconds / 10)
        woke.append((clock.now(), seconds))

    async def main(clock: EventClock) -> None:
        async with asyncio.TaskGroup() as group:
            for seconds in (7, 3, 11, 1):
                group.create_task(sleeper(clock, seconds))

    run_on_event_clock(main)

    assert woke == [(0.1, 1), (0.3, 3), (0.7, 7), (1.1, 11)]


def test_a_timeout_of_asyncio_acts_on_virtual_time():
    async def main(clock: EventClock) -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await clock.sleep(60)
        return clock.now()

    assert run_on_event_clock(main) == 5


def test_a_wait_that_no_clock_can_end_is_an_error_and_not_a_hang():
    async def main(clock: EventClock) -> None:
        del clock
        await asyncio.get_running_loop().create_future()

    with pytest.raises(RuntimeError, match="every task waits"):
        run_on_event_clock(main)
