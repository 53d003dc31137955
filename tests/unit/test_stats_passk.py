"""pass@k, pass^k and the variance components hold the published values."""

import pytest

from research_eval.analysis.summary import reliability
from research_eval.analysis.table import Row, Table
from research_eval.schema import Scored
from research_eval.stats import (
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


def judged(cases):
    """Return the reliability of cases, each given as (trials, passed), up to four trials."""
    table = Table()
    for case, (n, passed) in enumerate(cases):
        for trial in range(n):
            score = Scored(name="final_passed", value=float(trial < passed))
            table.add(Row("a", str(case), trial + 1), [score])
    return reliability(table, "final_passed", table.of("a"), 4)


def test_the_published_table_of_tau_bench_comes_out():
    found = judged(TAU_CASES)

    assert [round(one.every.value, 4) for one in found] == [0.42, 0.2733, 0.22, 0.2]
    assert [round(one.some.value, 4) for one in found] == [0.42, 0.5667, 0.66, 0.72]
    assert {one.every.n for one in found} == {50}


def test_a_case_with_too_few_trials_is_left_out_and_none_left_is_none():
    one, two = judged([(2, 2), (1, 0)])

    assert (one.every.value, one.every.n) == (0.5, 2)
    assert (two.every.value, two.every.n) == (1.0, 1)
    assert len(judged([(1, 1)])) == 1


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
