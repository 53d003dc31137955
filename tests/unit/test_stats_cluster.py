"""Clustered errors and bootstraps hold the reference values and stand still."""

import numpy as np
import pytest
import statsmodels.api as sm

from research_eval.stats import (
    Cluster,
    cluster_bootstrap,
    clustered_mean,
    clustered_wilson,
    wilson,
)

VALUES = [1, 1, 1, 0, 0, 0, 1, 1, 0, 1, 1, 0]
GROUPS = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


def _ols(*, correction):
    model = sm.OLS(np.array(VALUES, dtype=float), np.ones(12))
    options = {"groups": np.array(GROUPS), "use_correction": correction}
    return float(model.fit(cov_type="cluster", cov_kwds=options).bse[0])


def test_the_interval_of_a_clustered_mean_has_the_small_sample_correction():
    clusters = [Cluster(sum(VALUES[i : i + 3]), 3) for i in range(0, 12, 3)]

    estimate = clustered_mean(clusters)

    assert estimate is not None
    assert estimate.value == pytest.approx(0.583333, abs=5e-7)
    assert _ols(correction=True) == pytest.approx(0.209718, abs=5e-7)
    half = (estimate.high - estimate.low) / 2
    assert half / 3.182446305 == pytest.approx(_ols(correction=True), rel=1e-6)
    assert estimate.n == 4


def test_the_interval_of_what_cannot_be_negative_ends_at_nought():
    few = [Cluster(6.0, 3.0), *[Cluster(0.0, 3.0)] * 5]

    assert clustered_mean(few).low < 0
    assert clustered_mean(few, lowest=0.0).low == 0
    assert clustered_mean([Cluster(-3.0, 1.0), Cluster(-1.0, 1.0)], lowest=0.0).low < -2


def test_a_mean_of_nothing_is_none():
    assert clustered_mean([]) is None
    assert clustered_mean([Cluster(0, 0)]) is None
    assert cluster_bootstrap([], seed=1) is None
    assert cluster_bootstrap([Cluster(0, 0)], seed=1) is None


def test_one_cluster_has_no_spread():
    assert clustered_mean([Cluster(2, 4)]) == (0.5, 0.5, 0.5, 1)
    assert cluster_bootstrap([Cluster(2, 4)], seed=1) == (0.5, 0.5, 0.5, 1)


def test_a_bootstrap_is_the_same_for_a_seed_and_another_for_another():
    clusters = [Cluster(i % 3, 3 + i % 5) for i in range(20)]

    first = cluster_bootstrap(clusters, seed=1)

    assert first == cluster_bootstrap({str(i): c for i, c in enumerate(clusters)}, seed=1)
    assert first != cluster_bootstrap(clusters, seed=2)


def test_a_bootstrap_interval_comes_near_the_t_interval_of_many_clusters():
    clusters = [Cluster(i % 4, 3) for i in range(200)]
    t = clustered_mean(clusters)

    for corrected in (True, False):
        ours = cluster_bootstrap(clusters, seed=3, corrected=corrected)
        assert ours is not None
        assert ours.low == pytest.approx(t.low, abs=0.01)
        assert ours.high == pytest.approx(t.high, abs=0.01)


def test_clusters_without_weight_do_not_break_a_ratio():
    clusters = [Cluster(0, 0)] * 5 + [Cluster(1, 2), Cluster(2, 2)]

    estimate = cluster_bootstrap(clusters, seed=1, draws=2000)

    assert estimate is not None
    assert estimate.low <= estimate.value == 0.75 <= estimate.high


def test_many_clusters_are_resampled_in_blocks():
    clusters = [Cluster(i % 2, 1) for i in range(30_000)]

    estimate = cluster_bootstrap(clusters, seed=1, draws=200)

    assert estimate is not None
    assert estimate.high - estimate.low == pytest.approx(2 * 1.96 * 0.5 / 30_000**0.5, rel=0.25)


def test_one_unit_a_cluster_gives_the_plain_score_interval():
    singles = [Cluster(1.0, 1.0)] * 7 + [Cluster(0.0, 1.0)] * 43

    assert clustered_wilson(singles) == wilson(7, 50)


def test_repetitions_that_always_agree_are_worth_hardly_more_than_one():
    """Three equal trials of 20 cases say what 19 cases say, and a little less for few clusters."""
    same = [Cluster(3.0, 3.0)] * 12 + [Cluster(0.0, 3.0)] * 8
    low, high = clustered_wilson(same)
    once = wilson(12, 20)

    assert low < once.low < once.high < high
    assert high - low == pytest.approx(once.high - once.low, rel=0.1)


def test_repetitions_that_differ_like_coins_are_worth_nearly_all():
    coins = [Cluster(1.0, 2.0)] * 20 + [Cluster(0.0, 2.0)] * 10 + [Cluster(2.0, 2.0)] * 10
    low, high = clustered_wilson(coins)

    assert high - low == pytest.approx(wilson(40, 80).high - wilson(40, 80).low, rel=0.06)


def test_where_all_trials_pass_cases_are_the_units():
    assert clustered_wilson([Cluster(3.0, 3.0)] * 20) == wilson(20, 20)
    assert clustered_wilson([Cluster(0.0, 3.0)] * 20) == wilson(0, 20)


def test_nothing_observed_leaves_everything_possible():
    assert clustered_wilson([]) == clustered_wilson([Cluster(0.0, 0.0)]) == (0.0, 1.0)


def test_more_successes_than_units_are_an_error():
    with pytest.raises(ValueError, match="more successes than units"):
        clustered_wilson([Cluster(3.0, 2.0), Cluster(0.0, 2.0)])
