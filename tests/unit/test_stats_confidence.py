"""Calibration measures count every item, the last bin too."""

import pytest

from research_eval.stats import (
    area_under_risk_coverage,
    brier,
    expected_calibration_error,
    penalised_score,
    rms_calibration_error,
)


def test_the_last_bin_counts():
    """700 calibrated items and 130 at 0.99 that are all wrong: code in wide use reports 0.0."""
    confidences = [0.5] * 700 + [0.99] * 130
    correct = [i % 2 == 0 for i in range(700)] + [False] * 130

    error = rms_calibration_error(confidences, correct)

    assert error == pytest.approx((130 * 0.99**2 / 830) ** 0.5, rel=0.02)
    assert error == pytest.approx(0.392, abs=0.0005)


def test_too_few_items_have_no_root_mean_square_error():
    assert rms_calibration_error([0.5] * 99, [True] * 99) is None


def test_the_mean_calibration_error_counts_every_bin():
    assert expected_calibration_error([0.9] * 10, [True] * 5 + [False] * 5) == pytest.approx(0.4)
    assert expected_calibration_error([0.2, 0.9], [True, False], bins=1) == pytest.approx(0.05)


def test_brier_is_a_squared_distance():
    assert brier([1.0, 0.0], [True, False]) == 0.0
    assert brier([0.5, 1.0], [True, False]) == pytest.approx(0.625)


def test_confident_errors_cost_more_than_hesitant_ones():
    good = area_under_risk_coverage([0.9, 0.1], [True, False])
    bad = area_under_risk_coverage([0.1, 0.9], [True, False])

    assert good == pytest.approx(0.25)
    assert bad == pytest.approx(0.75)


@pytest.mark.parametrize(
    "measure",
    [
        area_under_risk_coverage,
        expected_calibration_error,
        lambda stated, right: rms_calibration_error(stated, right, bin_size=4),
    ],
)
def test_items_of_one_confidence_may_come_in_any_order(measure):
    """Or the same answers would be worth more in another order of their cases."""
    stated = [0.9] * 10 + [0.4] * 3
    right = [True] * 9 + [False] * 3 + [True]

    there, back = measure(stated, right), measure(stated[::-1], right[::-1])

    assert there == pytest.approx(back)


def test_one_confidence_that_comes_true_as_often_as_it_says_has_no_calibration_error():
    assert expected_calibration_error([0.9] * 10, [True] * 9 + [False]) == pytest.approx(0)


@pytest.mark.parametrize(("threshold", "score"), [(0, 0.5), (0.5, 0.25), (0.75, -0.25)])
def test_wrong_answers_cost_what_the_threshold_says(threshold, score):
    assert penalised_score(2, 1, 1, threshold) == pytest.approx(score)


def test_no_answers_have_no_score_and_a_threshold_of_one_is_refused():
    assert penalised_score(0, 0, 0, 0.5) is None
    with pytest.raises(ValueError, match="threshold"):
        penalised_score(1, 0, 0, 1.0)


@pytest.mark.parametrize("measure", [brier, expected_calibration_error, area_under_risk_coverage])
def test_nothing_to_average_is_refused(measure):
    with pytest.raises(ValueError, match="confidences"):
        measure([], [])
    with pytest.raises(ValueError, match="confidences"):
        measure([0.5], [])
