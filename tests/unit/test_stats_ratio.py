"""The paired ratio: a share of a mean on the same cases, with an interval over cases."""

import math

import pytest

from research_eval.stats import clustered_mean, paired_ratio
from research_eval.stats.cluster import Cluster


def test_the_ratio_of_means_has_the_interval_of_a_ratio_estimate():
    under, clean = [1.0, 0.5, 0.0, 1.0, 0.5], [1.0, 1.0, 0.5, 1.0, 0.5]
    found = paired_ratio(under, clean)

    assert found.value == pytest.approx(3 / 4)
    assert found == clustered_mean([Cluster(a, b) for a, b in zip(under, clean, strict=True)])
    spread = sum((a - 0.75 * b) ** 2 for a, b in zip(under, clean, strict=True))
    half = 2.7764451 * math.sqrt(spread * 5 / 4) / 4
    assert found.low == pytest.approx(0.75 - half, abs=1e-6)


def test_cases_that_fare_alike_leave_room_for_what_was_never_seen():
    assert paired_ratio([1.0] * 30, [1.0] * 30).low == pytest.approx(0.05 ** (1 / 30))
    assert paired_ratio([0.0] * 30, [1.0] * 30).high == pytest.approx(1 - 0.05 ** (1 / 30))


@pytest.mark.parametrize(("under", "clean"), [([], []), ([1.0], [1.0]), ([1.0, 0.0], [0.0, 0.0])])
def test_nothing_is_a_share_of_nothing(under, clean):
    assert paired_ratio(under, clean) is None


def test_unequal_lengths_are_an_error():
    with pytest.raises(ValueError, match="do not make pairs"):
        paired_ratio([1.0], [1.0, 0.0])
