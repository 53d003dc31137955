"""Which requests a rule is about."""

import pytest
from pydantic import ValidationError

from research_eval.fault import FaultSettings


def rule(**fields) -> FaultSettings:
    return FaultSettings.model_validate({"channel": "search", "status": 503, **fields})


@pytest.mark.parametrize(
    ("text", "struck"),
    [("1-2", {1, 2}), ("3", {3}), (2, {2}), ("1,4-5", {1, 4, 5}), ("5-", {5, 6, 7})],
)
def test_requests_are_chosen_by_number(text, struck):
    chosen = rule(requests=text)

    assert {number for number in range(1, 8) if chosen.strikes_number(number)} == struck


def test_a_cadence_strikes_every_so_many():
    assert [n for n in range(1, 11) if rule(every=5).strikes_number(n)] == [5, 10]


def test_a_window_of_time_holds_its_start_and_not_its_end():
    chosen = rule(between_s=[10, 20])

    assert [chosen.strikes_time(t) for t in (9.9, 10, 19.9, 20)] == [False, True, True, False]


def test_a_window_without_an_end_lasts():
    assert rule(between_s=[10]).strikes_time(1e9)


@pytest.mark.parametrize(
    ("host", "asked", "meant"),
    [
        ("a.example", "a.example", True),
        ("a.example", "b.a.example", False),
        (".example", "b.a.example", True),
        (".a.example", "a.example", True),
        (".a.example", "nota.example", False),
        ("A.Example", "a.EXAMPLE", True),
        (None, "anything", True),
    ],
)
def test_a_host_is_exact_or_a_suffix(host, asked, meant):
    assert rule(host=host).is_about(asked, "/") is meant


def test_a_path_is_a_start():
    assert rule(path="/res/").is_about("a", "/res/v1")
    assert not rule(path="/res/").is_about("a", "/search")


def test_a_delay_rises_in_a_straight_line():
    slow = rule(kind="slow", status=None, between_s=[0, 100], delay_s=1, delay_to_s=11)

    assert [slow.delay_at(t) for t in (0, 50, 100)] == [1, 6, 11]


@pytest.mark.parametrize(
    "fields",
    [
        {"requests": "0"},
        {"requests": "x"},
        {"requests": "5-2"},
        {"requests": ""},
        {"between_s": [5, 1]},
        {"delay_to_s": 3},
        {"kind": "slow"},
        {"kind": "status", "status": None},
        {"probability": 1.5},
        {"every": 0},
        {"kinds": "slow"},
    ],
)
def test_a_rule_that_contradicts_itself_is_refused(fields):
    with pytest.raises(ValidationError):
        rule(**fields)
