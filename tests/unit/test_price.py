"""What calls cost: the provider's word first, then a price and the usage; what is unknown is counted."""

from datetime import date

import pytest

from research_eval.clock import VirtualClock
from research_eval.experiment import Configuration
from research_eval.model import ModelSettings, list_price
from research_eval.runner.budget import Budget, BudgetSettings
from research_eval.runner.estimate import assumed, estimate, total
from research_eval.runner.manifest import differences
from research_eval.schema import (
    ConfigurationSummary,
    Cost,
    Price,
    PriceStep,
    RunRecord,
    Usage,
    call_cost,
)

DAY = date(2026, 11, 1)
PRICE = Price(input=2.0, output=8.0, cache_read=0.5, cache_write=4.0)


def used(input_tokens=1000, output_tokens=100, **more):
    return Usage(requests=1, input_tokens=input_tokens, output_tokens=output_tokens, **more)


def test_cached_tokens_have_prices_of_their_own():
    usage = used(cache_read_tokens=400, cache_write_tokens=100)

    assert PRICE.of(usage) == pytest.approx((500 * 2 + 400 * 0.5 + 100 * 4 + 100 * 8) / 1e6)
    assert Price(input=2, output=8).of(usage) == pytest.approx((1000 * 2 + 100 * 8) / 1e6)


def test_a_long_prompt_puts_all_its_tokens_on_the_higher_step():
    price = Price(input=1, output=2, call=0.01, steps=(PriceStep(above=1000, input=3, output=5),))

    assert price.of(used(1000, 0)) == pytest.approx(0.011)
    assert price.of(used(1001, 10)) == pytest.approx(0.01 + (1001 * 3 + 10 * 5) / 1e6)


def test_the_providers_word_wins_and_the_unknown_is_counted():
    costs = [
        call_cost(used(reported_cost_usd=0.5), PRICE),
        call_cost(used(), PRICE),
        call_cost(used(), None),
        call_cost(Usage(requests=1, unmeasured_requests=1), PRICE),
    ]

    whole = Cost.total(costs)

    assert whole.usd == pytest.approx(0.5 + PRICE.of(used()))
    assert (whole.reported, whole.listed, whole.unpriced, whole.unmeasured) == (1, 1, 1, 1)
    assert whole.is_lower_bound


@pytest.mark.parametrize(
    "name",
    [
        "openai:gpt-5-mini",
        "openai-responses:gpt-5-mini",
        "anthropic:claude-sonnet-4-5",
        "google:gemini-2.5-pro",
        "mistral:mistral-small-latest",
        "groq:llama-3.3-70b-versatile",
        "openrouter:openai/gpt-5-mini",
        "bedrock:us.amazon.nova-micro-v1:0",
    ],
)
def test_the_list_knows_models_of_every_provider_and_names_its_version(name):
    price = list_price(ModelSettings(name=name), DAY)

    assert price is not None
    assert 0 < price.input <= price.output
    assert price.source.startswith("genai-prices ")
    assert price.source.endswith("2026-11-01")


@pytest.mark.parametrize(
    "settings",
    [
        {"name": "openai:no-such-model"},
        {"name": "openai:gpt-5-mini", "base_url": "http://127.0.0.1:8000/v1"},
        {"name": "openai:gpt-5-mini", "base_url": "https://models.example/v1"},
        {"name": "ollama:llama3"},
        {"name": "reference:honest"},
    ],
)
def test_what_no_list_has_is_unknown(settings):
    assert list_price(ModelSettings(**settings), DAY) is None


def budget(prices=None, **limits):
    return Budget(BudgetSettings(**limits), VirtualClock(), prices or {"c": PRICE})


def test_a_budget_counts_calls_at_their_price():
    spent = budget(max_cost_usd=0.005)
    spent.add("c", used())
    assert spent.exhausted() is None

    spent.add("c", used())

    assert spent.exhausted() == "$0.0056 of at most $0.0050 are spent"


def test_a_limit_in_dollars_says_when_it_cannot_hold():
    unknown = budget({"c": None}, max_cost_usd=1.0)
    unknown.add("c", used())
    silent = budget(max_cost_usd=1.0)
    for _ in range(6):
        silent.add("c", Usage(requests=1, unmeasured_requests=1))

    assert "no cost is known for replies of c" in unknown.exhausted()
    assert "most replies carry no usage" in silent.exhausted()
    assert "most replies carry no usage" in _silent_tokens().exhausted()


def _silent_tokens():
    found = budget(max_tokens=100)
    for _ in range(6):
        found.add("c", Usage(requests=1, unmeasured_requests=1))
    return found


def configuration(**more):
    return Configuration.model_validate({"name": "c", "model": "openai:gpt-5-mini", **more})


def test_an_estimate_keeps_to_the_settings_and_sums_up():
    short = configuration(agent={"max_turns": 2})

    one = estimate(10, assumed(short, PRICE))
    both = total([one, estimate(5, assumed(short, None))])

    assert one.calls == 20
    assert one.usd == pytest.approx(10 * (PRICE.of(used(1000, 200)) + PRICE.of(used(2450, 200))))
    assert (both.calls, both.usd, both.is_lower_bound) == (30, one.usd, True)


def test_another_price_is_the_same_experiment():
    summary = ConfigurationSummary(
        name="c", model="m", is_reference_agent=False, gate="g", max_retries=1, max_turns=2,
        search="none", tools=("fetch",), settings={},
    )  # fmt: skip
    run = RunRecord(
        experiment="e", experiment_sha256="0", dataset="d", dataset_sha256="0",
        dataset_is_synthetic=False, cassettes_sha256=None, code_version="1", packages={},
        model_mode="live", web_mode="live", seed=0, trials=1, case_ids=("a",),
        configurations=(summary,),
    )  # fmt: skip
    priced = summary.model_copy(update={"price": PRICE})
    other = run.model_copy(update={"configurations": (priced,)})

    assert differences(run, other) == []
    assert "price" not in run.model_dump()["configurations"][0]
    assert RunRecord.model_validate_json(other.model_dump_json()) == other
