"""Runs of the laboratory: repeatable, on virtual time, measured right."""

import hashlib
import json
import os
import subprocess
import sys

import pytest

from research_eval.failover import (
    COMPARED,
    Scenario,
    broken,
    bundled_scenarios,
    compare,
    measure,
    options,
    run_scenario,
    run_variant,
    variant,
)
from research_eval.failover.measure import percentile
from research_eval.failover.report import files_of, write_files
from research_eval.tool.search import WIRES

SCENARIOS = bundled_scenarios()


def small(name: str, searches: int = 120) -> Scenario:
    """Return a bundled scenario with a thinner load."""
    scenario = SCENARIOS[name]
    load = scenario.load.model_copy(update={"searches": searches, "answers": 4})
    return scenario.model_copy(update={"load": load})


def custom(**fields) -> Scenario:
    base = {
        "name": "custom",
        "title": "t",
        "load": {
            "searches": 60,
            "over_s": 60,
            "arrival": "regular",
            "distinct_queries": 1000,
            "popularity": 1,
        },
        "provider": [{"provider": "serper", "price_usd": 0.01}, {"provider": "brave"}],
        "resilience": {"rate_per_s": None, "cache_size": 0},
    }
    return Scenario.model_validate({**base, **fields})


def down(**fields) -> dict:
    return {"channel": "search", "host": "google.serper.dev", "status": 503, **fields}


def digest(scenario: Scenario) -> str:
    _, metrics = run_variant(scenario, variant(scenario, "default"), "default")
    return hashlib.sha256(metrics.model_dump_json().encode()).hexdigest()


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_must_hold_of_a_bundled_scenario_holds_and_two_runs_are_the_same(name):
    scenario = SCENARIOS[name]
    settings = variant(scenario, "default")
    trace = run_scenario(scenario, settings)
    calm = run_scenario(scenario, settings, is_calm=True)
    again = run_scenario(scenario, settings)

    assert broken(scenario, measure(trace, calm)) == []
    assert again == trace


def test_a_run_is_the_same_in_another_process_with_another_hash_seed():
    code = (
        "import json, hashlib\n"
        "from research_eval.failover import bundled_scenarios, run_variant, variant\n"
        "s = bundled_scenarios()['brownout']\n"
        "s = s.model_copy(update={'load': s.load.model_copy(update={'searches': 120, 'answers': 4})})\n"
        "m = run_variant(s, variant(s, 'default'), 'default')[1]\n"
        "print(hashlib.sha256(m.model_dump_json().encode()).hexdigest())\n"
    )
    env = {**os.environ, "PYTHONHASHSEED": "77", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    other = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )

    assert other.stdout.strip() == digest(small("brownout"))


def test_report_and_pictures_of_two_runs_are_the_same_bytes(tmp_path):
    from research_eval.failover.picture import draw_sweep, draw_timeline

    def everything() -> dict:
        scenario = small("outage")
        found = list(compare([scenario], ["default", "no breaker"]))
        rows = [metrics for _, metrics in found]
        pictures = {
            "outage": draw_timeline(found[0][0]),
            "curve": draw_sweep("failure_threshold", [1, None], rows, "t"),
        }
        return files_of([scenario], rows, pictures)

    first, second = everything(), everything()

    assert first == second
    assert first["outage.svg"].startswith(b"<?xml")
    assert b"<dc:date>" not in first["outage.svg"]
    written = write_files(tmp_path / "out", first)
    assert sorted(path.name for path in written) == sorted(
        path.name for path in (tmp_path / "out").iterdir()
    )


def test_without_faults_nothing_is_wasted_and_nothing_added():
    _, metrics = run_variant(custom(), variant(custom(), "default"), "default")

    assert (metrics.served_share, metrics.wasted_requests, metrics.openings) == (1, 0, 0)
    assert metrics.served_by == {"serper": 60}
    assert metrics.added_p99_s == 0
    assert metrics.cost_usd == pytest.approx(0.6)
    assert metrics.time_to_open_s is None
    assert metrics.answers_passed_share is None


@pytest.mark.parametrize("name", ["stampede", "both_down", "storm_429"])
def test_the_searches_account_for_every_request_that_went_out(name):
    load = SCENARIOS[name].load.model_copy(update={"answers": 0})
    scenario = SCENARIOS[name].model_copy(update={"load": load})

    trace = run_scenario(scenario, variant(scenario, "default"))

    told = sum(one.requests for search in trace.searches for one in search.tries)
    assert told == len(trace.requests)


def test_an_outage_is_measured_by_the_clock():
    scenario = custom(
        fault=[down(between_s=[10, 30])],
        resilience={
            "preset": "0.1",
            "rate_per_s": None,
            "cache_size": 0,
            "request_retries": 0,
            "cooldown_s": 8,
        },
    )

    trace = run_scenario(scenario, variant(scenario, "default"))
    metrics = measure(trace, run_scenario(scenario, variant(scenario, "default"), is_calm=True))

    assert metrics.served_share == 1
    assert metrics.time_to_open_s == pytest.approx(4, abs=0.1)
    assert (metrics.wasted_requests, metrics.probes) == (6, 2)
    assert 0 < metrics.time_to_recover_s < 1
    assert metrics.skipped > 10


def test_the_cache_s_share_in_an_outage_is_counted():
    scenario = custom(
        load={"searches": 100, "over_s": 100, "arrival": "regular", "distinct_queries": 2},
        resilience={"rate_per_s": None},
        fault=[down(between_s=[50, 60])],
    )

    _, metrics = run_variant(scenario, variant(scenario, "default"), "default")

    assert metrics.cached_in_outage == 10
    assert metrics.cached == 98


def test_variants_leave_out_what_they_say():
    scenario = small("outage")
    settings = {name: variant(scenario, name) for name in COMPARED}

    assert settings["no breaker"].resilience.failure_threshold is None
    assert settings["no cache"].resilience.cache_size == 0
    assert [entry.provider for entry in settings["no fallback"].chain] == ["serper"]
    assert settings["original"].resilience.probes is None
    assert (
        settings["default"].resilience.rate_per_s == settings["original"].resilience.rate_per_s == 5
    )


def test_each_option_changes_the_original_in_its_own_settings_alone():
    scenario = small("outage")
    original = variant(scenario, "original").resilience.model_dump()
    changed = {
        name: {
            k
            for k, v in variant(scenario, name).resilience.model_dump().items()
            if v != original[k]
        }
        for name in options()[1:-1]
    }

    assert all(changed.values())
    everything = set().union(*changed.values())
    default = variant(scenario, "default").resilience.model_dump()
    assert everything == {k for k, v in default.items() if v != original[k]}


def test_without_a_breaker_a_provider_that_is_down_is_asked_all_the_time():
    rows = {m.variant: m for _, m in compare([small("malformed")], ["default", "no breaker"])}

    assert rows["no breaker"].wasted_requests > 2 * rows["default"].wasted_requests


def test_without_fallback_an_outage_goes_unserved():
    rows = {m.variant: m for _, m in compare([small("outage")], ["default", "no fallback"])}

    assert rows["no fallback"].served_share < rows["default"].served_share == 1


@pytest.mark.parametrize("provider", WIRES)
def test_the_laboratory_speaks_every_provider_s_format(provider):
    scenario = custom(provider=[{"provider": provider}], load={"searches": 5, "over_s": 5})

    trace = run_scenario(scenario, variant(scenario, "default"))

    assert [search.served_by for search in trace.searches] == [provider] * 5


@pytest.mark.parametrize("provider", WIRES)
def test_a_provider_that_knows_nothing_is_empty_and_not_broken(provider):
    scenario = custom(
        provider=[{"provider": provider, "knows_share": 0}], load={"searches": 3, "over_s": 3}
    )

    trace = run_scenario(scenario, variant(scenario, "default"))

    assert {one.outcome for search in trace.searches for one in search.tries} == {"empty"}


def test_answers_of_an_honest_agent_fail_only_when_nothing_can_be_found():
    load = {"searches": 10, "over_s": 100, "answers": 10}
    scenario = custom(
        load=load,
        provider=[{"provider": "serper"}],
        fault=[down(between_s=[40, 70])],
        resilience={"rate_per_s": None, "cache_size": 0, "cooldown_s": 5},
    )

    _, metrics = run_variant(scenario, variant(scenario, "default"), "default")

    assert metrics.answers == 10
    assert 5 <= metrics.answers_passed < 10


@pytest.mark.parametrize(("percent", "value"), [(0, 1), (50, 5), (95, 10), (99, 10), (100, 10)])
def test_percentiles_are_values_that_occurred(percent, value):
    assert percentile(list(range(1, 11)), percent) == value


def test_metrics_round_trip_as_json():
    _, metrics = run_variant(custom(), variant(custom(), "default"), "default")

    assert type(metrics).model_validate(json.loads(metrics.model_dump_json())) == metrics


def test_a_full_cache_that_lets_stale_answers_go_first_sends_fewer_requests():
    scenario = SCENARIOS["small_cache"]

    plain, refined = (
        metrics for _, metrics in compare([scenario], ["original", "original + evict expired"])
    )

    assert refined.requests < plain.requests
    assert refined.cost_usd < plain.cost_usd
