"""Standard errors and intervals of a mean whose values come in clusters, for instance by case."""

import math
import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from research_eval.stats.interval import (
    CONFIDENCE,
    Estimate,
    Interval,
    normal_quantile,
    t_quantile,
    two_sided_z,
    wilson_of_share,
)
from research_eval.stats.resample import DRAWS, resampled_indices

__all__ = [
    "Cluster",
    "Clusters",
    "cluster_bootstrap",
    "clustered_interval",
    "clustered_mean",
    "clustered_wilson",
    "effective_units",
]


class Cluster(NamedTuple):
    """What one cluster adds to a ratio: its numerator and its denominator."""

    total: float
    weight: float


Floats = npt.NDArray[np.float64]
Clusters = Sequence[Cluster] | Floats
"""Clusters one by one, or as an array of two columns."""


def _columns(clusters: Clusters) -> tuple[Floats, Floats]:
    """Return the totals and the weights."""
    table = np.asarray(clusters, dtype=np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _sum(values: Floats) -> float:
    """Return the sum, rounded once, so that the order of the clusters does not count."""
    return math.fsum(values.tolist())


def clustered_mean(
    clusters: Clusters, confidence: float = CONFIDENCE, *, lowest: float = -math.inf
) -> Estimate | None:
    """Return the ratio of the sums with a t interval on G - 1 degrees of freedom.

    With one value a cluster it is the usual interval of a mean. The standard error carries the
    factor G / (G - 1), without which few clusters give intervals that are too narrow.
    `None` if the clusters weigh nothing; with one cluster the bounds are those of the values seen.
    The lower bound of a mean above `lowest`, which no value should fall below, stays above it.

    Source: Cochran, Sampling Techniques, 3rd ed., 6.3 (ratio estimate); Miller, arXiv:2411.00640.
    """
    totals, weights = _columns(clusters)
    weight = _sum(weights)
    if weight <= 0:
        return None
    value = _sum(totals) / weight
    count = len(totals)
    if count == 1:
        return Estimate(value, value, value, 1)
    spread = _sum((totals - value * weights) ** 2)
    half = t_quantile(0.5 + confidence / 2, count - 1)
    half *= math.sqrt(spread * count / (count - 1)) / weight
    low = value - half
    return Estimate(value, max(lowest, low) if value >= lowest else low, value + half, count)


def clustered_wilson(clusters: Clusters, confidence: float = CONFIDENCE) -> Interval:
    """Return the score interval of a share whose units come in clusters, such as trials of a case.

    The number of units is divided by the design effect, which is how much larger the clustered
    variance is than that of independent units, and lowered once more for the few clusters that the
    variance is estimated from. Where all units are equal, the data cannot show how much those of a
    cluster depend on each other; each cluster then counts as one unit. One unit a cluster gives the
    plain interval.

    Source: Korn and Graubard, Survey Methodology 24:193 (1998), with Wilson's interval as in Franco
    et al., J Surv Stat Methodol 7:334 (2019).

    Raises:
        ValueError: If a total lies outside 0 to its weight.
    """
    share, effective = _share(clusters, confidence)
    if not effective:
        return Interval(0.0, 1.0)
    totals, weights = _columns(clusters)
    if np.any((weights > 0) & ((totals < -1e-9) | (totals > weights + 1e-9))):
        raise ValueError("a cluster holds more successes than units")
    return wilson_of_share(share, effective, confidence)


def clustered_interval(
    clusters: Clusters,
    *,
    is_rate: bool,
    confidence: float = CONFIDENCE,
    lowest: float = -math.inf,
) -> Interval | None:
    """Return the interval of the ratio of the sums: `clustered_wilson` of a rate, else by t.

    `None` where nothing weighs anything, and of a mean whose values are all the same, which show no
    spread to go by.
    """
    if is_rate:
        has_weight = bool(np.any(_columns(clusters)[1] > 0))
        return clustered_wilson(clusters, confidence) if has_weight else None
    found = clustered_mean(clusters, confidence, lowest=lowest)
    return Interval(found.low, found.high) if found and found.low < found.high else None


def effective_units(clusters: Clusters, confidence: float = CONFIDENCE) -> float:
    """Return how many independent units the units of a share are worth that come in clusters.

    Source: Korn and Graubard, Survey Methodology 24:193 (1998).
    """
    return _share(clusters, confidence)[1]


def _share(clusters: Clusters, confidence: float) -> tuple[float, float]:
    """Return a share, and how many independent units it is of; 0 of 0 where nothing weighs anything."""
    totals, weights = _columns(clusters)
    held = weights > 0
    totals, weights = totals[held], weights[held]
    if not len(weights):
        return 0.0, 0.0
    weight, count = _sum(weights), len(weights)
    share = min(1.0, max(0.0, _sum(totals) / weight))
    if np.all(weights <= 1):
        return share, weight
    if count == 1 or share in {0.0, 1.0}:
        return share, float(count)
    spread = _sum((totals - share * weights) ** 2) * count / (count - 1)
    effect = max(1.0, spread / (weight * share * (1 - share)))
    few = (two_sided_z(confidence) / t_quantile(0.5 + confidence / 2, count - 1)) ** 2
    return share, max(1.0, weight / effect * few)


def cluster_bootstrap(
    clusters: Sequence[Cluster] | Mapping[str, Cluster],
    *,
    seed: int,
    draws: int = DRAWS,
    confidence: float = CONFIDENCE,
    corrected: bool = True,
) -> Estimate | None:
    """Return the ratio of the sums with a bootstrap interval that resamples whole clusters.

    Args:
        clusters: One entry a cluster.
        seed: Makes the interval the same on every machine.
        draws: How many resamples.
        confidence: Coverage aimed at.
        corrected: Whether bias and skew are corrected (BCa) or plain percentiles are given.

    Source: Davison and Hinkley, Bootstrap Methods, 3.8; Efron, JASA 82:171 (1987) for BCa.
    """
    rows = list(clusters.values()) if isinstance(clusters, Mapping) else list(clusters)
    table = np.array(rows, dtype=np.float64).reshape(len(rows), 2)
    if not rows or table[:, 1].sum() <= 0:
        return None
    value = float(table[:, 0].sum() / table[:, 1].sum())
    resampled = _resampled_ratios(table, seed, draws)
    low, high = (
        _bca(resampled, table, value, confidence) if corrected else _tails(resampled, confidence)
    )
    return Estimate(value, min(value, low), max(value, high), len(rows))


def _resampled_ratios(table: Floats, seed: int, draws: int) -> Floats:
    parts = []
    for indices in resampled_indices(len(table), draws, random.Random(seed)):
        sums = table[indices].sum(axis=1)
        kept = sums[sums[:, 1] > 0]
        parts.append(kept[:, 0] / kept[:, 1])
    return np.sort(np.concatenate(parts))


def _tails(resampled: Floats, confidence: float) -> Interval:
    tail = (1 - confidence) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail])
    return Interval(float(low), float(high))


def _bca(
    resampled: Floats,
    table: Floats,
    value: float,
    confidence: float,
) -> Interval:
    below = float(np.mean(resampled < value) + np.mean(resampled == value) / 2)
    left_out = table.sum(axis=0) - table
    left_out = left_out[left_out[:, 1] > 0]
    jackknife = left_out[:, 0] / left_out[:, 1] if len(left_out) else np.array([value])
    centred = jackknife.mean() - jackknife
    spread = float((centred**2).sum())
    if not 0 < below < 1 or spread <= 0:
        return _tails(resampled, confidence)
    bias = normal_quantile(below)
    skew = float((centred**3).sum()) / (6 * spread**1.5)
    tail = (1 - confidence) / 2
    bounds = [_shifted(bias, skew, normal_quantile(p)) for p in (tail, 1 - tail)]
    low, high = np.quantile(resampled, bounds)
    return Interval(float(low), float(high))


def _shifted(bias: float, skew: float, z: float) -> float:
    moved = bias + (bias + z) / (1 - skew * (bias + z))
    return 0.5 * math.erfc(-moved / math.sqrt(2))
