"""Trials run side by side, never more than asked for, and one failure does not lose another's work."""

import asyncio

import pytest

from research_eval.runner.batch import run_batch
from research_eval.schema import TrialKey

KEYS = [TrialKey(str(index), "c", 1) for index in range(20)]


@pytest.mark.anyio
@pytest.mark.parametrize("concurrency", [1, 3, 50])
async def test_every_trial_runs_once_and_the_bound_holds(concurrency):
    flying, peak, kept = 0, 0, []

    async def run_one(key):
        nonlocal flying, peak
        flying += 1
        peak = max(peak, flying)
        await asyncio.sleep(0)
        flying -= 1
        return key

    await run_batch(KEYS, run_one, kept.append, concurrency=concurrency)

    assert sorted(kept) == sorted(KEYS)
    assert peak <= concurrency


@pytest.mark.anyio
async def test_once_nothing_may_start_the_batch_drains():
    kept = []

    async def run_one(key):
        await asyncio.sleep(0)
        return key

    await run_batch(KEYS, run_one, kept.append, concurrency=4, may_start=lambda: len(kept) < 5)

    assert 5 <= len(kept) <= 8


@pytest.mark.anyio
async def test_trials_that_nobody_serves_are_passed_over_and_the_others_go_on():
    kept = []

    async def run_one(key):
        await asyncio.sleep(0)
        return key

    refused = set(KEYS[3:9])
    served = lambda key: key not in refused or len(kept) < 4  # noqa: E731
    await run_batch(KEYS, run_one, kept.append, concurrency=2, is_served=served)

    assert set(kept) - refused == set(KEYS) - refused
    assert len(set(kept) & refused) < 4


@pytest.mark.anyio
async def test_a_fault_of_the_harness_stops_the_batch_and_shows():
    async def run_one(key):
        await asyncio.sleep(0)
        raise RuntimeError("bug")

    with pytest.raises(ExceptionGroup):
        await run_batch(KEYS, run_one, lambda _: None, concurrency=2)
