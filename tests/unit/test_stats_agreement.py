"""Agreement beyond chance, and rates freed of a rater's errors."""

import random

import pytest

from research_eval.stats import Validation, cohen_kappa, corrected_rate, rogan_gladen

RATER = Validation(true_positive=90, false_negative=10, true_negative=80, false_positive=20)


def test_kappa_holds_the_reference_value():
    assert cohen_kappa([[45, 15], [25, 15]]) == pytest.approx(0.130435, abs=5e-7)


def test_perfect_agreement_is_one_and_agreement_by_default_is_none():
    assert cohen_kappa([[3, 0], [0, 4]]) == 1.0
    assert cohen_kappa([[5, 0], [0, 0]]) is None


@pytest.mark.parametrize("table", [[[1, 2]], [[0, 0], [0, 0]], []])
def test_what_is_no_table_of_two_raters_is_refused(table):
    with pytest.raises(ValueError, match="square table"):
        cohen_kappa(table)


def test_a_perfect_rater_changes_nothing():
    assert rogan_gladen(0.37, 1, 1) == pytest.approx(0.37)


def test_a_known_error_is_taken_out():
    """A true rate of 0.2 is seen as 0.2 * 0.9 + 0.8 * 0.2 = 0.34."""
    assert rogan_gladen(0.34, 0.9, 0.8) == pytest.approx(0.2)


def test_a_corrected_rate_stays_a_rate():
    assert rogan_gladen(0.0, 0.9, 0.8) == 0.0
    assert rogan_gladen(1.0, 0.9, 0.8) == 1.0


def test_a_rater_like_a_coin_is_refused():
    with pytest.raises(ValueError, match="no better than chance"):
        rogan_gladen(0.5, 0.5, 0.5)


def test_the_interval_of_a_corrected_rate_is_wider_than_of_the_observed():
    estimate = corrected_rate(34, 100, RATER, seed=1)

    assert estimate is not None
    assert estimate.value == pytest.approx(0.2)
    assert estimate.low < 0.2 < estimate.high
    assert estimate.high - estimate.low > 2 * 1.96 * (0.34 * 0.66 / 100) ** 0.5
    assert estimate == corrected_rate(34, 100, RATER, seed=1)


def test_a_count_of_none_is_no_certainty():
    """None of 54 called unsupported, by a check that finds 44 % of those and errs on no other."""
    estimate = corrected_rate(0, 54, Validation(103, 131, 115, 0), seed=1)

    assert estimate is not None
    assert (estimate.value, estimate.low) == (0.0, 0.0)
    assert 0.02 < estimate.high < 0.15


def test_the_interval_holds_the_true_rate_in_most_simulated_validations():
    """A true rate of 0.3, a rater of 0.8 and 0.9 that was tried on 150 items of each kind."""
    rng, held = random.Random(1), 0
    for number in range(200):
        seen = sum(rng.random() < 0.3 * 0.8 + 0.7 * 0.1 for _ in range(200))
        tp = sum(rng.random() < 0.8 for _ in range(150))
        tn = sum(rng.random() < 0.9 for _ in range(150))
        found = corrected_rate(
            seen, 200, Validation(tp, 150 - tp, tn, 150 - tn), seed=number, draws=400
        )
        held += found is not None and found.low <= 0.3 <= found.high

    assert 183 <= held <= 198


def test_without_labelled_items_there_is_no_correction():
    assert corrected_rate(1, 2, Validation(0, 0, 5, 5), seed=1) is None
    assert corrected_rate(0, 0, RATER, seed=1) is None
    assert corrected_rate(1, 2, Validation(1, 1, 1, 1), seed=1) is None


def test_draws_in_which_the_rater_is_a_coin_widen_the_interval_to_everything():
    estimate = corrected_rate(5, 10, Validation(3, 2, 3, 2), seed=1)

    assert estimate is not None
    assert (estimate.low, estimate.high) == (0.0, 1.0)
