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


def clustered_mean(
    clusters: Sequence[Cluster], confidence: float = CONFIDENCE, *, lowest: float = -math.inf
) -> Estimate | None:
    """Return the ratio of the sums with a t interval on G - 1 degrees of freedom.

    With one value a cluster it is the usual interval of a mean. The standard error carries the
    factor G / (G - 1), without which few clusters give intervals that are too narrow.
    `None` if the clusters weigh nothing; with one cluster the bounds are those of the values seen.
    The lower bound of a mean above `lowest`, which no value should fall below, stays above it.

    Source: Cochran, Sampling Techniques, 3rd ed., 6.3 (ratio estimate); Miller, arXiv:2411.00640.
    """
    weight = math.fsum(c.weight for c in clusters)
    if weight <= 0:
        return None
    value = math.fsum(c.total for c in clusters) / weight
    count = len(clusters)
    if count == 1:
        return Estimate(value, value, value, 1)
    spread = math.fsum((c.total - value * c.weight) ** 2 for c in clusters)
    half = t_quantile(0.5 + confidence / 2, count - 1)
    half *= math.sqrt(spread * count / (count - 1)) / weight
    low = value - half
    return Estimate(value, max(lowest, low) if value >= lowest else low, value + half, count)


def clustered_wilson(clusters: Sequence[Cluster], confidence: float = CONFIDENCE) -> Interval:
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
    held = [c for c in clusters if c.weight > 0]
    weight = math.fsum(c.weight for c in held)
    if not held:
        return Interval(0.0, 1.0)
    share = min(1.0, max(0.0, math.fsum(c.total for c in held) / weight))
    if any(not -1e-9 <= c.total <= c.weight + 1e-9 for c in held):
        raise ValueError("a cluster holds more successes than units")
    return wilson_of_share(share, _effective(held, share, weight, confidence), confidence)


def clustered_interval(
    clusters: Sequence[Cluster],
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
        return (
            clustered_wilson(clusters, confidence) if any(c.weight > 0 for c in clusters) else None
        )
    found = clustered_mean(clusters, confidence, lowest=lowest)
    return Interval(found.low, found.high) if found and found.low < found.high else None


def effective_units(clusters: Sequence[Cluster], confidence: float = CONFIDENCE) -> float:
    """Return how many independent units the units of a share are worth that come in clusters.

    Source: Korn and Graubard, Survey Methodology 24:193 (1998).
    """
    held = [c for c in clusters if c.weight > 0]
    weight = math.fsum(c.weight for c in held)
    if not held:
        return 0.0
    share = min(1.0, max(0.0, math.fsum(c.total for c in held) / weight))
    return _effective(held, share, weight, confidence)


def _effective(held: Sequence[Cluster], share: float, weight: float, confidence: float) -> float:
    count = len(held)
    if all(c.weight <= 1 for c in held):
        return weight
    if count == 1 or share in {0.0, 1.0}:
        return float(count)
    spread = math.fsum((c.total - share * c.weight) ** 2 for c in held) * count / (count - 1)
    effect = max(1.0, spread / (weight * share * (1 - share)))
    few = (two_sided_z(confidence) / t_quantile(0.5 + confidence / 2, count - 1)) ** 2
    return max(1.0, weight / effect * few)


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


def _resampled_ratios(
    table: npt.NDArray[np.float64], seed: int, draws: int
) -> npt.NDArray[np.float64]:
    parts = []
    for indices in resampled_indices(len(table), draws, random.Random(seed)):
        sums = table[indices].sum(axis=1)
        kept = sums[sums[:, 1] > 0]
        parts.append(kept[:, 0] / kept[:, 1])
    return np.sort(np.concatenate(parts))


def _tails(resampled: npt.NDArray[np.float64], confidence: float) -> Interval:
    tail = (1 - confidence) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail])
    return Interval(float(low), float(high))


def _bca(
    resampled: npt.NDArray[np.float64],
    table: npt.NDArray[np.float64],
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
