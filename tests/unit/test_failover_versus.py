"""Two settings beside each other over seeds: the same load, the same chance, an honest verdict."""

import pytest

from research_eval.errors import ConfigError
from research_eval.failover import Scenario, run_scenario, variant
from research_eval.failover.versus import Pairing, SideSummary, pairings, parse_seeds, versus_table

DOWN = {"channel": "search", "host": "google.serper.dev", "status": 503}


def scenario(*providers: str, **fault) -> Scenario:
    load = {"searches": 60, "over_s": 60, "distinct_queries": 1000, "popularity": 1}
    return Scenario.model_validate(
        {
            "name": "custom",
            "title": "t",
            "load": load,
            "provider": [{"provider": name} for name in providers],
            "resilience": {"rate_per_s": 5},
            "fault": [{**DOWN, **fault}],
        }
    )


def side_summary(served: int, p95_s: float | None) -> SideSummary:
    return SideSummary(
        searches=100, served=served, p95_s=p95_s, wasted_requests=0, above_rate=0, cost_usd=0
    )


@pytest.mark.parametrize(
    ("mine", "other", "speed", "is_good"),
    [
        ((100, 1.0), (100, 1.1), "better", True),
        ((100, 1.0), (100, 1.01), "same", True),
        ((100, 1.2), (100, 1.1), "worse", False),
        ((99, 1.0), (100, 1.1), "better", False),
        ((100, None), (100, 1.1), "worse", False),
        ((100, 9.0), (80, None), "better", True),
        ((90, None), (80, None), "never", True),
    ],
)
def test_a_verdict_needs_as_many_served_and_no_more_time(mine, other, speed, is_good):
    pair = Pairing(
        scenario="s", has_fallback=True, settings=side_summary(*mine), against=side_summary(*other)
    )

    assert (pair.speed, pair.is_good) == (speed, is_good)


def test_a_search_without_results_is_never_fast():
    (pair,) = pairings([scenario("serper", between_s=[0, 30])], [1], "original", "original")

    assert pair.settings == pair.against
    assert pair.settings.served < 57
    assert pair.settings.p95_s is None


def test_requests_above_the_rate_limit_are_counted():
    hasty = scenario("serper", "brave", between_s=[0, 60])
    hasty = hasty.model_copy(update={"resilience": {"rate_per_s": 1}})
    (pair,) = pairings([hasty], [1, 2])

    assert pair.against.above_rate > 0
    assert pair.settings.above_rate == 0
    assert "→ 0 |" in versus_table([pair])


def test_the_same_chance_meets_the_same_request_under_every_variant():
    flaky = scenario("serper", probability=0.5)

    def failed_first(name: str) -> dict[str, bool]:
        trace = run_scenario(flaky, variant(flaky, name))
        asked = {s.query: s.tries[0] for s in trace.searches if s.tries[0].requests}
        return {
            query: tried.outcome == "error" or tried.requests > 1 for query, tried in asked.items()
        }

    mine, other = failed_first("default"), failed_first("original")
    both = mine.keys() & other.keys()

    assert len(both) > 30
    assert {query: mine[query] for query in both} == {query: other[query] for query in both}


@pytest.mark.parametrize("text", ["", "x", "5..1", "1..5000", "-1", "1...3"])
def test_seeds_are_a_short_range(text):
    with pytest.raises(ConfigError, match=r"--seeds .*1\.\.10"):
        parse_seeds(text)
