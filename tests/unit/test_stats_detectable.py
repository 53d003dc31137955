"""Estimates and powers that stand beside tables hold what a textbook formula gives."""

import pytest

from research_eval.stats import (
    Cluster,
    clopper_pearson,
    clustered_interval,
    detectable_difference,
    detectable_unpaired,
    needed_cases,
    zero_events_upper,
)
from research_eval.stats.power import power_of


@pytest.mark.parametrize(
    ("clusters", "is_rate", "expected"),
    [
        ([], True, None),
        ([], False, None),
        ([Cluster(3.0, 1.0)] * 4, False, None),
        ([Cluster(1.0, 1.0), Cluster(3.0, 1.0)], False, (2 - 12.7062, 2 + 12.7062)),
        ([Cluster(1.0, 1.0)] * 20, True, (0.838875, 1.0)),
    ],
)
def test_a_rate_has_wilsons_interval_and_a_mean_students(clusters, is_rate, expected):
    found = clustered_interval(clusters, is_rate=is_rate)

    assert found == (expected and pytest.approx(expected, abs=1e-4))


def test_two_rates_on_different_cases_show_what_the_formula_gives():
    """With 293 cases each, rates of .8 and .7 are told apart in four of five runs (Cohen: 291.7)."""
    assert detectable_unpaired(0.75, 293, 293) == pytest.approx(0.1, abs=5e-4)
    with pytest.raises(ValueError, match="no cases"):
        detectable_unpaired(0.5, 0, 3)


def test_a_comparison_reaches_what_its_spread_allows():
    found = power_of(100, 0.25, differing=25, is_rate=True, trials=3)

    assert found.detectable == detectable_difference(100, 0.25, step=1 / 3)
    assert found.needed == needed_cases(0.1, 0.25, step=1 / 3)
    assert not found.is_bound


def test_without_any_spread_a_rate_has_a_bound_and_a_count_has_nothing():
    found = power_of(10, 0.0, differing=0, is_rate=True)

    assert found.detectable == detectable_difference(10, zero_events_upper(10), step=1)
    assert found.is_bound
    assert power_of(10, 0.0, differing=0, is_rate=False)[:2] == (None, None)


def test_one_case_that_differs_promises_no_more_than_none():
    """The one-sided bound of one event in 54 is 0.0849, of none it is 0.0540."""
    found = [power_of(54, k / 54, differing=k, is_rate=True) for k in range(9)]

    for k in range(1, 5):
        share = clopper_pearson(k, 54, confidence=0.9).high
        assert found[k].detectable == pytest.approx(
            detectable_difference(54, share, step=1), rel=1e-9
        )
    assert [one.is_bound for one in found] == [True] * 5 + [False] * 4
    assert all(one.detectable > found[0].detectable for one in found[1:])


def test_small_differences_of_many_trials_promise_no_more_than_none():
    """Six cases of 54, each with one trial of ten that flipped, spread less than the bound of none."""
    none = power_of(54, 0.0, differing=0, is_rate=True)

    assert power_of(54, 0.001, differing=6, is_rate=True) == none


def test_a_count_has_the_spread_that_was_measured():
    found = power_of(54, 0.01, differing=1, is_rate=False)

    assert found.detectable == detectable_difference(54, 0.01)
    assert not found.is_bound


def test_more_comparisons_at_once_show_less():
    one, many = (power_of(54, 0.2, differing=20, is_rate=True, alpha=0.05 / n) for n in (1, 15))

    assert one.detectable < many.detectable
    assert one.needed < many.needed
