"""Limits towards one provider: the minute, calls at once, what it says when it has too much."""

import asyncio

import pytest

from research_eval.clock import SystemClock, VirtualClock
from research_eval.errors import ModelError
from research_eval.model import Limiter, LimiterPool, LimitSettings, ModelSettings
from tests.unit.wire_lab import FETCH, QUESTION, chat, client

pytestmark = pytest.mark.anyio


async def calls(limiter, clock, number, tokens=0, used=0):
    """Make calls one after another and return when each went out."""
    began = []
    for _ in range(number):
        async with limiter.call(tokens) as permit:
            began.append(clock.now())
            limiter.succeeded(permit, used)
    return began


async def test_no_minute_holds_more_requests_than_allowed():
    clock = VirtualClock()
    limiter = Limiter(LimitSettings(requests_per_minute=3), clock)

    began = await calls(limiter, clock, 8)

    assert began == [0, 0, 0, 60, 60, 60, 120, 120]


async def test_tokens_of_a_minute_are_counted_as_they_were_used():
    clock = VirtualClock()
    limiter = Limiter(LimitSettings(tokens_per_minute=100), clock)

    began = await calls(limiter, clock, 5, tokens=10, used=50)

    assert began == [0, 0, 60, 60, 120]


async def test_a_call_that_is_larger_than_the_minute_waits_for_an_empty_one():
    clock = VirtualClock()
    limiter = Limiter(LimitSettings(tokens_per_minute=100), clock)

    began = await calls(limiter, clock, 2, tokens=500)

    assert began == [0, 60]


async def test_a_complaint_holds_everybody_back():
    clock = VirtualClock()
    limiter = Limiter(LimitSettings(), clock)

    limiter.throttled(12.5)

    assert limiter.status.paused_for_s == 12.5
    assert await calls(limiter, clock, 2) == [12.5, 12.5]
    assert limiter.status.paused_for_s == 0


async def test_concurrency_halves_on_a_complaint_and_grows_again():
    clock = VirtualClock()
    limiter = Limiter(LimitSettings(max_in_flight=8), clock)
    limiter.throttled(0)
    limiter.throttled(0)
    low = limiter.status.limit

    await calls(limiter, clock, 2 + 3 + 4)

    assert (low, limiter.status.limit) == (2, 5)


async def test_concurrency_never_falls_below_one_nor_grows_beyond_its_bound():
    clock = VirtualClock()
    limiter = Limiter(LimitSettings(max_in_flight=2), clock)
    for _ in range(5):
        limiter.throttled(0)
    low = limiter.status.limit

    await calls(limiter, clock, 20)

    assert (low, limiter.status.limit) == (1, 2)


async def test_calls_at_once_are_bounded_and_served_in_order():
    limiter = Limiter(LimitSettings(max_in_flight=2), SystemClock())
    order, most = [], 0

    async def one(number):
        nonlocal most
        async with limiter.call(0):
            order.append(number)
            most = max(most, limiter.status.in_flight)
            await asyncio.sleep(0.001)

    async with asyncio.TaskGroup() as group:
        for number in range(7):
            group.create_task(one(number))

    assert order == list(range(7))
    assert most == 2
    assert limiter.status[:2] == (0, 0)


async def test_a_waiting_call_shows_as_waiting_and_can_be_cancelled():
    limiter = Limiter(LimitSettings(max_in_flight=1), SystemClock())
    async with limiter.call(0):
        waiting = asyncio.create_task(calls(limiter, SystemClock(), 1))
        await asyncio.sleep(0.01)
        seen = limiter.status
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    assert (seen.in_flight, seen.waiting) == (1, 1)
    assert limiter.status[:2] == (0, 0)
    assert len(await calls(limiter, SystemClock(), 1)) == 1


async def test_a_failed_call_frees_its_place():
    limiter = Limiter(LimitSettings(max_in_flight=1), VirtualClock())
    model, _ = client("openai", (500, {}), limiter=limiter)

    with pytest.raises(ModelError):
        await model.reply(QUESTION, (FETCH,))

    assert limiter.status.in_flight == 0


async def test_a_429_slows_every_trial_down():
    clock = VirtualClock()
    limiter = Limiter(LimitSettings(max_in_flight=8), clock)
    answers = [(429, {"error": {"message": "slow"}}, {"retry-after": "5"}), chat()]
    model, _ = client("openai", *answers, clock=clock, limiter=limiter, request_retries=1)

    await model.reply(QUESTION, (FETCH,))

    assert limiter.status.limit == 4
    assert clock.now() == 5


def test_models_of_one_provider_share_a_limiter_and_scripts_have_none():
    pool = LimiterPool(SystemClock(), {"openai": LimitSettings(max_in_flight=3)})
    one = pool.get(ModelSettings(name="openai:gpt-a"))

    assert pool.get(ModelSettings(name="openai-responses:gpt-b")) is one
    assert pool.get(ModelSettings(name="anthropic:claude")) is not one
    assert pool.get(ModelSettings(name="openai:q", base_url="http://h/v1")) is not one
    assert pool.get(ModelSettings(name="reference:honest")) is None
    assert pool.status()["openai"].limit == 3


async def test_complaints_of_one_storm_count_once():
    clock = VirtualClock()
    limiter = Limiter(LimitSettings(max_in_flight=32), clock)
    for _ in range(32):
        limiter.throttled(5)
    first = limiter.status.limit
    clock.advance(5)
    limiter.throttled(5)

    assert (first, limiter.status.limit) == (16, 8)


async def test_the_status_tells_the_age_of_calls_and_who_waits_to_ask_again():
    clock = VirtualClock()
    limiter = Limiter(LimitSettings(), clock)
    async with limiter.call(0):
        clock.advance(3)
        async with limiter.call(0):
            seen = limiter.status
    waiting = asyncio.create_task(Limiter.back_off(limiter, 1))
    await waiting

    assert (seen.in_flight, seen.oldest_s) == (2, 3)
    assert (limiter.status.oldest_s, limiter.status.retrying) == (0, 0)
