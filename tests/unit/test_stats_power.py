"""Sample sizes and detectable differences hold the published values."""

import math

import pytest

from research_eval.stats import detectable_difference, independent_n, mcnemar_pairs, needed_cases


def test_the_published_sample_size_comes_out():
    assert math.ceil(needed_cases(0.03, between=1 / 9)) == 969


def test_the_published_detectable_differences_come_out():
    """198 cases; variance within a case 1/6 on each side; once and ten times."""
    between = 1 / 9
    for trials, expected in ((1, 0.1327), (10, 0.0757)):
        found = detectable_difference(
            198,
            between=between,
            within_a=1 / 6,
            within_b=1 / 6,
            trials_a=trials,
            trials_b=trials,
        )
        assert found == pytest.approx(expected, abs=5e-5)


def test_needed_cases_and_detectable_difference_are_inverse():
    settings = {"between": 0.2, "within_a": 0.1, "within_b": 0.05, "trials_a": 3, "trials_b": 2}

    n = needed_cases(0.1, **settings)

    found = detectable_difference(round(n), **settings)
    assert found == pytest.approx(0.1, rel=0.01)


@pytest.mark.parametrize(
    ("share", "difference", "pairs"), [(0.25, 0.1, 193.8), (0.15, 0.05, 468.6)]
)
def test_pairs_for_mcnemar(share, difference, pairs):
    assert mcnemar_pairs(share, difference) == pytest.approx(pairs, abs=0.05)


def test_two_independent_samples():
    assert independent_n(0.8, 0.7) == pytest.approx(291.7, abs=0.05)


def test_no_difference_needs_no_number():
    with pytest.raises(ValueError, match="zero"):
        needed_cases(0, between=0.1)
    with pytest.raises(ValueError, match="zero"):
        independent_n(0.5, 0.5)
    with pytest.raises(ValueError, match="no cases"):
        detectable_difference(0, between=0.1)


@pytest.mark.parametrize(("share", "difference"), [(0.1, 0), (0.1, 0.2), (1.1, 0.1)])
def test_a_difference_beyond_the_discordant_share_is_refused(share, difference):
    with pytest.raises(ValueError, match="discordant"):
        mcnemar_pairs(share, difference)
