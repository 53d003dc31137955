"""What a provider asks for is waited for by all; whom it refuses, nobody asks again."""

import asyncio
import random

import httpx2
import pytest

from research_eval.agent.time_limit import TimeLimit
from research_eval.clock import SystemClock, VirtualClock
from research_eval.errors import AnswerOverdueError, ModelError
from research_eval.model import Limiter, LimitSettings, ModelSettings, ProviderPolicy, build_model
from research_eval.provider_outage import ProviderOutages
from research_eval.waiting import Waits
from tests.unit.wire_lab import FETCH, KEYS, QUESTION, Server, chat

pytestmark = pytest.mark.anyio

SLOW = {"error": {"message": "slow down"}}


def model_of(server, *, clock, outages=None, limiter=None, waits=None, limits=None, **settings):
    chosen = ModelSettings(**({"name": "openai:one", "request_retries": 0} | settings))
    return build_model(
        chosen,
        transport=httpx2.MockTransport(server),
        secrets=KEYS,
        clock=clock,
        rng=random.Random(1),
        case_seed="1",
        limiter=limiter,
        waits=waits,
        provider_policy=ProviderPolicy(chosen, limits, outages),
    )


async def failure(model):
    with pytest.raises(ModelError) as caught:
        await model.reply(QUESTION, (FETCH,))
    return caught.value


async def test_a_long_pause_is_waited_for_though_it_is_longer_than_our_own_delays():
    clock = VirtualClock()
    server = Server((429, SLOW, {"retry-after": "180"}), chat())
    model = model_of(server, clock=clock, request_retries=1, max_wait_s=1)

    await model.reply(QUESTION, (FETCH,))

    assert clock.now() == 180


async def test_a_pause_holds_the_others_even_where_the_request_itself_is_given_up():
    clock = VirtualClock()
    limiter = Limiter(LimitSettings(), clock)
    server = Server((429, SLOW, {"retry-after": "180"}), chat())
    model = model_of(server, clock=clock, limiter=limiter)
    await failure(model)
    held_s = limiter.status.paused_for_s

    await model.reply(QUESTION, (FETCH,))

    assert (held_s, clock.now()) == (180, 180)


async def test_a_longer_pause_than_is_allowed_ends_the_provider_and_says_how_long_it_is():
    clock, outages = VirtualClock(), ProviderOutages()
    server = Server((429, SLOW, {"retry-after": "901"}))
    limiter = Limiter(LimitSettings(), clock)
    one, two = (
        model_of(server, clock=clock, outages=outages, limiter=limiter, name=name)
        for name in ("openai:one", "openai:two")
    )

    first, second = await failure(one), await failure(two)

    assert "it asks to be left alone for 901 s" in str(first)
    assert (first.kind, first.retry_after_s, clock.now()) == ("rate_limited", 901, 0)
    assert len(server.requests) == 1
    assert str(second) == str(first)


@pytest.mark.parametrize(
    ("status", "code", "other_model", "other_key"),
    [(401, "invalid_api_key", False, True), (402, None, False, True), (403, None, True, True)],
)
async def test_a_refusal_counts_for_the_key_or_the_model_that_it_speaks_of(
    status, code, other_model, other_key
):
    clock, outages = VirtualClock(), ProviderOutages()
    server = Server((status, {"error": {"message": "no", "code": code}}), chat())
    await failure(model_of(server, clock=clock, outages=outages))

    def is_served(**settings):
        chosen = ModelSettings(**({"name": "openai:one"} | settings))
        return ProviderPolicy(chosen, None, outages).outage() is None

    assert not is_served()
    assert is_served(name="openai:two") is other_model
    assert is_served(api_key_env="GROQ_API_KEY", name="openai:two") is other_key
    assert is_served(base_url="http://127.0.0.1:1/v1")


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (404, "The model `gpt-9` does not exist or you do not have access to it."),
        (404, "not found"),
        (400, "gpt-9 is not a valid model ID"),
        (400, "The provided model identifier is invalid."),
        (400, "Invalid model: gpt-9"),
    ],
)
async def test_a_model_that_the_server_does_not_know_is_asked_once_and_others_go_on(status, text):
    clock, outages = VirtualClock(), ProviderOutages()
    server = Server((status, {"error": {"message": text}}), chat())
    await failure(model_of(server, clock=clock, outages=outages))
    again = await failure(
        model_of(server, clock=clock, outages=outages, limiter=Limiter(LimitSettings(), clock))
    )

    assert len(server.requests) == 1
    assert text in str(again)
    other = ModelSettings(name="openai:two")
    assert ProviderPolicy(other, None, outages).outage() is None


@pytest.mark.parametrize("text", ["Unknown parameter: 'seed'.", "messages: field required"])
async def test_another_bad_request_ends_its_own_trial_alone(text):
    outages = ProviderOutages()
    server = Server((400, {"error": {"message": text}}))
    await failure(model_of(server, clock=VirtualClock(), outages=outages))

    assert not outages.known()


async def test_calls_that_wait_in_line_are_not_sent_to_a_provider_that_refuses():
    clock, outages = SystemClock(), ProviderOutages()
    limiter = Limiter(LimitSettings(max_in_flight=1), clock)
    server = Server((401, {"error": {"message": "no", "code": "invalid_api_key"}}))
    models = [model_of(server, clock=clock, outages=outages, limiter=limiter) for _ in range(5)]

    failures = await asyncio.gather(*map(failure, models))

    assert len(server.requests) == 1
    assert {exc.kind for exc in failures} == {"auth"}


async def test_a_line_and_a_pause_are_no_time_of_the_trial():
    clock = VirtualClock()
    waits = Waits(clock)
    limiter = Limiter(LimitSettings(requests_per_minute=1), clock)
    server = Server(chat(), (429, SLOW, {"retry-after": "30"}), chat())
    model = model_of(server, clock=clock, limiter=limiter, waits=waits, request_retries=1)

    async with TimeLimit(waits, 5, "trial_timeout"):
        for _ in range(2):
            await model.reply(QUESTION, (FETCH,))

    assert clock.now() >= 60


async def test_the_answer_that_is_waited_for_is():
    clock = VirtualClock()
    waits = Waits(clock)

    async def wait():
        async with TimeLimit(waits, 5, "trial_timeout"):
            with waits.awaited("openai:one"):
                clock.advance(6)

    with pytest.raises(AnswerOverdueError, match="openai:one had not answered"):
        await wait()
