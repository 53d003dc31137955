"""Intervals of a single proportion and of a mean of independent values."""

import math
from statistics import NormalDist
from typing import NamedTuple

from scipy.special import betaincinv, stdtrit

__all__ = [
    "Estimate",
    "Interval",
    "clopper_pearson",
    "normal_quantile",
    "t_quantile",
    "two_sided_z",
    "wilson",
    "wilson_of_share",
    "zero_events_upper",
]

CONFIDENCE = 0.95
"""Used wherever a caller does not say otherwise."""


class Interval(NamedTuple):
    """Two bounds, the lower first."""

    low: float
    high: float


class Estimate(NamedTuple):
    """A value with its interval and the number of units that it rests on."""

    value: float
    low: float
    high: float
    n: int


def normal_quantile(probability: float) -> float:
    """Return the standard normal quantile."""
    return NormalDist().inv_cdf(probability)


def two_sided_z(confidence: float) -> float:
    """Return the normal quantile that leaves half of the rest on each side."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    return normal_quantile(0.5 + confidence / 2)


def wilson(successes: float, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Return the score interval of a proportion; `n = 0` gives [0, 1].

    Source: Wilson, JASA 22:209 (1927); method 3 of Newcombe, Stat Med 17:857 (1998).

    >>> wilson(0, 20).low
    0.0
    >>> round(wilson(7, 50).high, 6)
    0.261862

    Raises:
        ValueError: If `successes` is not between 0 and `n`.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes out of {n}")
    if n == 0:
        return Interval(0.0, 1.0)
    return wilson_of_share(successes / n, n, confidence)


def wilson_of_share(share: float, n: float, confidence: float = CONFIDENCE) -> Interval:
    """Return the score interval of a share of `n` units, which need not be a whole number.

    Source: Wilson, JASA 22:209 (1927).

    Raises:
        ValueError: If `n` is not above zero, or `share` lies outside 0 to 1.
    """
    if n <= 0 or not 0 <= share <= 1:
        raise ValueError(f"a share of {share} of {n} units has no interval")
    z = two_sided_z(confidence)
    shrink = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # rounding must not push a bound past the estimate that it encloses
    return Interval(max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


def clopper_pearson(successes: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Return the exact interval of a proportion, which never covers less than it claims.

    Source: Clopper and Pearson, Biometrika 26:404 (1934).

    Raises:
        ValueError: If `successes` is not between 0 and `n`.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes out of {n}")
    tail, failures = (1 - confidence) / 2, n - successes
    low = float(betaincinv(successes, failures + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, failures, 1 - tail)) if failures else 1.0
    return Interval(low, high)


def t_quantile(probability: float, degrees: int) -> float:
    """Return the quantile of Student's t with this many degrees of freedom."""
    return float(stdtrit(degrees, probability))


def zero_events_upper(n: int, confidence: float = CONFIDENCE) -> float:
    """Return the one-sided upper bound of a rate whose event was never seen in `n` trials.

    Source: Louis, Am Stat 35:154 (1981); the rule of three is its approximation.
    """
    return 1.0 if n == 0 else 1.0 - (1.0 - confidence) ** (1.0 / n)
