"""A setting swept over its values."""

import pytest

from research_eval.errors import ConfigError
from research_eval.failover import bundled_scenarios, parse_sweep, sweep


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("failure_threshold=1..4", [1, 2, 3, 4]),
        ("cooldown_s=15,30,60", [15, 30, 60]),
        ("backoff_s=0.5..2..0.5", [0.5, 1, 1.5, 2]),
        ("probes=1,none", [1, None]),
        ("coalesce=true,false", [True, False]),
        (" rate_per_s = 0.1..0.3..0.1 ", [0.1, 0.2, 0.3]),
    ],
)
def test_values_are_listed_or_ranged(text, values):
    assert parse_sweep(text) == (text.partition("=")[0].strip(), values)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "x=",
        "=1",
        "x=1..",
        "x=5..1",
        "x=1..9..0",
        "x=a..b",
        "x=nonsense",
        "x=1..1000000",
        "x=1..2..-1",
        "x=inf..inf",
    ],
)
def test_what_is_no_list_of_values_is_refused(text):
    with pytest.raises(ConfigError):
        parse_sweep(text)


@pytest.mark.parametrize(
    ("name", "value"), [("no_such", 1), ("failure_threshold", 0), ("probes", "x")]
)
def test_a_setting_that_does_not_exist_or_fit_is_named(name, value):
    with pytest.raises(ConfigError, match=name):
        list(sweep([bundled_scenarios()["outage"]], name, [value]))


def test_a_lower_threshold_wastes_fewer_requests():
    scenario = bundled_scenarios()["malformed"]
    load = scenario.load.model_copy(update={"searches": 150, "answers": 0})
    scenario = scenario.model_copy(update={"load": load})

    found = dict(sweep([scenario], "failure_threshold", [1, 10]))

    assert found[1].wasted_requests < found[10].wasted_requests
    assert found[1].variant == "failure_threshold = 1"
