"""Two configurations on the same cases: differences, McNemar, permutation, corrected p values."""

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr, chdtrc

from research_eval.stats.cluster import Cluster, cluster_bootstrap
from research_eval.stats.interval import CONFIDENCE, Estimate, t_quantile
from research_eval.stats.resample import DRAWS, random_signs

__all__ = [
    "McNemar",
    "PairedDifference",
    "holm",
    "mcnemar",
    "paired_bootstrap",
    "paired_difference",
    "paired_permutation",
]

LATTICE = 200_000
"""Largest sum of numerators for which the permutation distribution is computed whole."""
DENOMINATOR = 10_000
"""Differences that are fractions with a denominator up to this have an exact permutation test."""


class PairedDifference(NamedTuple):
    """A mean difference over pairs, with its t interval."""

    value: float
    low: float
    high: float
    n: int
    standard_error: float
    unpaired_standard_error: float
    """What it would be if the pairing were thrown away."""
    correlation: float | None
    """Between the pairs; `None` where one side is constant."""


def paired_difference(
    a: Sequence[float], b: Sequence[float], confidence: float = CONFIDENCE
) -> PairedDifference:
    """Return the mean of `a - b` over pairs, each pair the two means of one case.

    Source: Miller, arXiv:2411.00640, section on paired differences.

    Raises:
        ValueError: If there are fewer than two pairs, or the lengths differ.
    """
    if len(a) != len(b) or len(a) < 2:
        raise ValueError(f"{len(a)} and {len(b)} values do not make two or more pairs")
    n = len(a)
    var_a, var_b, covariance = _moments(a, b)
    mean = math.fsum(a) / n - math.fsum(b) / n
    differences = [x - y for x, y in zip(a, b, strict=True)]
    spread = math.fsum((d - mean) ** 2 for d in differences) / (n - 1)
    error = math.sqrt(spread / n)
    half = t_quantile(0.5 + confidence / 2, n - 1) * error
    scale = math.sqrt(var_a * var_b)
    return PairedDifference(
        value=mean,
        low=mean - half,
        high=mean + half,
        n=n,
        standard_error=error,
        unpaired_standard_error=math.sqrt((var_a + var_b) / n),
        correlation=covariance / scale if scale > 0 else None,
    )


def _moments(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, float]:
    n = len(a)
    mean_a, mean_b = math.fsum(a) / n, math.fsum(b) / n
    pairs = [(x - mean_a, y - mean_b) for x, y in zip(a, b, strict=True)]
    var_a = math.fsum(x * x for x, _ in pairs) / (n - 1)
    var_b = math.fsum(y * y for _, y in pairs) / (n - 1)
    return var_a, var_b, math.fsum(x * y for x, y in pairs) / (n - 1)


class McNemar(NamedTuple):
    """A test of two yes-or-no outcomes on the same units."""

    only_first: int
    """Units on which only the first said yes."""
    only_second: int
    exact_p: float
    mid_p: float
    chi2: float
    chi2_p: float
    corrected_chi2: float
    corrected_p: float


def mcnemar(only_first: int, only_second: int) -> McNemar:
    """Test whether the discordant pairs fall evenly on both sides.

    Source: McNemar, Psychometrika 12:153 (1947); mid-p as in Fagerland et al., BMC Med Res
    Methodol 13:91 (2013).

    Raises:
        ValueError: If a count is negative.
    """
    if only_first < 0 or only_second < 0:
        raise ValueError("counts of discordant pairs cannot be negative")
    n, low = only_first + only_second, min(only_first, only_second)
    if n == 0:
        return McNemar(0, 0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0)
    point = math.comb(n, low) / 2**n
    exact = min(1.0, 2 * float(bdtr(low, n, 0.5)))
    tied = only_first == only_second
    mid = 1 - point / 2 if tied else exact - point
    gap = abs(only_first - only_second)
    chi2, corrected = gap**2 / n, max(0, gap - 1) ** 2 / n
    return McNemar(
        only_first=only_first,
        only_second=only_second,
        exact_p=exact,
        mid_p=mid,
        chi2=chi2,
        chi2_p=float(chdtrc(1, chi2)),
        corrected_chi2=corrected,
        corrected_p=float(chdtrc(1, corrected)),
    )


def paired_bootstrap(
    differences: Sequence[float], *, seed: int, draws: int = DRAWS, confidence: float = CONFIDENCE
) -> Estimate | None:
    """Return the mean difference with a BCa interval that resamples whole cases.

    Source: Davison and Hinkley, Bootstrap Methods, 3.8; Efron, JASA 82:171 (1987) for BCa.
    """
    return cluster_bootstrap(
        [Cluster(d, 1.0) for d in differences], seed=seed, draws=draws, confidence=confidence
    )


def paired_permutation(differences: Sequence[float], *, seed: int, draws: int = DRAWS) -> float:
    """Return the two-sided p value of a mean of zero, flipping the sign of each difference.

    Exact where the differences are fractions of a small common denominator, as means of a few
    yes-or-no trials are; otherwise from `draws` seeded flips, each value counted once more.

    Source: Fisher, The Design of Experiments (1935), section 21; Phipson and Smyth, Stat Appl
    Genet Mol Biol 9:39 (2010) for counting the observed value.
    """
    moved = [d for d in differences if d != 0]
    if not moved:
        return 1.0
    steps = _on_lattice(moved)
    if steps is not None:
        return _exact_flips(steps)
    values = np.abs(np.array(moved))
    observed = abs(math.fsum(moved)) - 1e-12
    extreme = sum(
        int((np.abs(signs @ values) >= observed).sum())
        for signs in random_signs(len(moved), draws, random.Random(seed))
    )
    return (extreme + 1) / (draws + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p values that hold for all comparisons together, in the order given.

    Source: Holm, Scand J Stat 6:65 (1979).

    >>> holm([0.01, 0.04, 0.03, 0.005])
    [0.03, 0.06, 0.06, 0.02]
    """
    found, most = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        most = max(most, min(1.0, (len(p_values) - rank) * p_values[place]))
        found[place] = most
    return found


def _on_lattice(values: Sequence[float]) -> list[int] | None:
    fractions = [Fraction(v).limit_denominator(DENOMINATOR) for v in values]
    if any(abs(float(f) - v) > 1e-12 for f, v in zip(fractions, values, strict=True)):
        return None
    scale = math.lcm(*(f.denominator for f in fractions))
    steps = [int(f * scale) for f in fractions]
    return steps if sum(map(abs, steps)) <= LATTICE else None


def _exact_flips(steps: Sequence[int]) -> float:
    """Add up the chances of all sums at least as far from zero as the one observed."""
    total = sum(map(abs, steps))
    chances = np.zeros(2 * total + 1)
    chances[total] = 1.0
    for step in steps:
        size = abs(step)
        chances = (np.roll(chances, size) + np.roll(chances, -size)) / 2
    observed = abs(sum(steps))
    distance = np.abs(np.arange(-total, total + 1))
    return min(1.0, float(chances[distance >= observed].sum()))
