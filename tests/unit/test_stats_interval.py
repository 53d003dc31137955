"""Intervals of a single proportion hold the published values."""

import pytest
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from research_eval.stats import clopper_pearson, wilson, zero_events_upper

PUBLISHED = [
    (81, 263, (0.255289, 0.366210), (0.252737, 0.367622)),
    (15, 148, (0.062386, 0.160487), (0.057844, 0.161650)),
    (0, 20, (0.0, 0.161125), (0.0, 0.168433)),
    (7, 50, (0.069508, 0.261862), (0.058192, 0.267396)),
    (1, 10, (0.017876, 0.404150), (0.002529, 0.445016)),
    (20, 20, (0.838875, 1.0), (0.831567, 1.0)),
    (5, 100, (0.021544, 0.111750), (0.016432, 0.112835)),
]


@pytest.mark.parametrize(("k", "n", "score", "exact"), PUBLISHED)
def test_the_score_and_the_exact_interval_are_the_published_ones(k, n, score, exact):
    assert wilson(k, n) == pytest.approx(score, abs=6e-7)
    assert clopper_pearson(k, n) == pytest.approx(exact, abs=6e-7)


@pytest.mark.parametrize(("k", "n"), [(k, n) for k, n, _, _ in PUBLISHED if 0 < k < n])
def test_the_score_interval_agrees_with_scipy_and_statsmodels(k, n):
    ours = wilson(k, n)

    assert ours == pytest.approx(tuple(binomtest(k, n).proportion_ci(method="wilson")), abs=1e-12)
    assert ours == pytest.approx(proportion_confint(k, n, method="wilson"), abs=1e-12)


def test_nothing_seen_leaves_everything_possible():
    assert wilson(0, 0) == (0.0, 1.0)
    assert clopper_pearson(0, 0) == (0.0, 1.0)
    assert zero_events_upper(0) == 1.0


def test_an_event_never_seen_in_30_trials_may_still_happen_in_one_of_ten():
    assert zero_events_upper(30) == pytest.approx(0.09503, abs=5e-6)


@pytest.mark.parametrize(("k", "n"), [(-1, 3), (4, 3), (1, 0)])
def test_more_successes_than_trials_are_refused(k, n):
    with pytest.raises(ValueError, match="successes"):
        wilson(k, n)
    with pytest.raises(ValueError, match="successes"):
        clopper_pearson(k, n)


def test_a_confidence_of_one_is_refused():
    with pytest.raises(ValueError, match="confidence"):
        wilson(1, 2, confidence=1.0)


def test_an_unknown_name_is_an_attribute_error():
    import research_eval.stats as package

    with pytest.raises(AttributeError, match="no_such_test"):
        package.no_such_test  # noqa: B018
