"""Tests over several configurations hold the published values."""

import pytest

from research_eval.stats import cochran_q, holm, newcombe

ROWS = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 0]]


def test_cochrans_q_holds_the_reference_vector():
    result = cochran_q(ROWS)

    assert result.q == pytest.approx(7.0)
    assert result.degrees == 2
    assert result.p == pytest.approx(0.030197, abs=5e-7)


def test_configurations_that_never_differ_have_q_zero():
    assert cochran_q([[1, 1], [0, 0]]) == (0.0, 1, 1.0)


@pytest.mark.parametrize("rows", [[], [[1]], [[1, 2]], [[1, 0], [1]]])
def test_rows_that_are_no_outcomes_are_refused(rows):
    with pytest.raises(ValueError, match="zeros and ones"):
        cochran_q(rows)


def test_corrections_for_many_comparisons():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_newcombes_interval_holds_the_published_value():
    estimate = newcombe(56, 70, 48, 80)

    assert estimate[:3] == pytest.approx((0.2, 0.052431, 0.333873), abs=6e-7)
    assert estimate.n == 150


def test_newcombes_interval_stays_within_its_range():
    estimate = newcombe(3, 3, 0, 3)

    assert estimate.value == estimate.high == 1.0
    assert estimate.low > 0


@pytest.mark.parametrize("counts", [(0, 0, 1, 2), (3, 2, 1, 2), (1, 2, -1, 2)])
def test_what_is_no_proportion_is_refused(counts):
    with pytest.raises(ValueError, match="two proportions"):
        newcombe(*counts)
