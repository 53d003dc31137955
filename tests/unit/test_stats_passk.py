"""pass@k, pass^k and the variance components hold the published values."""

import pytest

from research_eval.stats import (
    mean_pass_at_k,
    mean_pass_hat_k,
    pass_at_k,
    pass_hat_k,
    variance_components,
)

TAU_AIRLINE = {0: 14, 1: 12, 2: 10, 3: 4, 4: 10}
"""Tasks by passed trials of 4: tau-bench, gpt-4o, airline (MIT)."""
TAU_CASES = [(4, passed) for passed, tasks in TAU_AIRLINE.items() for _ in range(tasks)]


@pytest.mark.parametrize(
    ("n", "passed", "k", "at", "hat"),
    [
        (10, 3, 5, 0.916667, 0),
        (8, 6, 4, 1, 0.214286),
        (5, 4, 2, 1, 0.6),
        (4, 2, 2, 0.833333, 0.166667),
    ],
)
def test_single_cases(n, passed, k, at, hat):
    assert pass_at_k(n, passed, k) == pytest.approx(at, abs=5e-7)
    assert pass_hat_k(n, passed, k) == pytest.approx(hat, abs=5e-7)


def test_the_published_table_of_tau_bench_comes_out():
    hats = [round(mean_pass_hat_k(TAU_CASES, k), 4) for k in (1, 2, 3, 4)]
    ats = [round(mean_pass_at_k(TAU_CASES, k), 4) for k in (1, 2, 3, 4)]

    assert hats == [0.42, 0.2733, 0.22, 0.2]
    assert ats == [0.42, 0.5667, 0.66, 0.72]


def test_a_case_with_too_few_trials_is_left_out_and_none_left_is_none():
    assert mean_pass_hat_k([(4, 4), (1, 0)], 2) == 1.0
    assert mean_pass_at_k([(1, 1)], 2) is None


@pytest.mark.parametrize(("n", "passed", "k"), [(3, 1, 4), (3, 4, 1), (3, -1, 1), (3, 1, 0)])
def test_impossible_counts_are_refused(n, passed, k):
    with pytest.raises(ValueError, match="k ="):
        pass_at_k(n, passed, k)
    with pytest.raises(ValueError, match="k ="):
        pass_hat_k(n, passed, k)


def test_variance_is_split_into_between_and_within_cases():
    steady = variance_components([[1, 1], [0, 0], [1, 1], [0, 0]])
    noisy = variance_components([[1, 0], [0, 1], [1, 0], [0, 1]])

    assert steady == pytest.approx((1 / 3, 0.0, (1 / 3 / 4) ** 0.5))
    assert noisy == pytest.approx((0.0, 0.5, 0.0))


def test_single_trials_show_no_variance_within():
    assert variance_components([[1], [0]]) == pytest.approx((0.5, 0.0, 0.5))


def test_variance_needs_two_cases_of_equal_size():
    assert variance_components([[1, 0]]) is None
    with pytest.raises(ValueError, match="same number"):
        variance_components([[1, 0], [1]])
