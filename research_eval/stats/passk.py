"""Reliability over repeated trials: pass@k, pass^k, and where the variance lies."""

import math
from collections.abc import Sequence
from typing import NamedTuple

__all__ = [
    "Variance",
    "pass_at_k",
    "pass_hat_k",
    "variance_components",
]


def pass_at_k(n: int, passed: int, k: int) -> float:
    """Return the chance that at least one of `k` trials passes, estimated from `n`.

    Source: Chen et al., arXiv:2107.03374, equation 1.

    >>> round(pass_at_k(4, 2, 2), 6)
    0.833333

    Raises:
        ValueError: If `k` is not between 1 and `n`, or `passed` not between 0 and `n`.
    """
    _check(n, passed, k)
    every = math.comb(n, k)
    return (every - math.comb(n - passed, k)) / every  # whole numbers, so that no rounding is left


def pass_hat_k(n: int, passed: int, k: int) -> float:
    """Return the chance that all of `k` trials pass, estimated from `n`.

    Source: Yao et al., arXiv:2406.12045 (tau-bench).

    >>> round(pass_hat_k(8, 6, 4), 6)
    0.214286

    Raises:
        ValueError: If `k` is not between 1 and `n`, or `passed` not between 0 and `n`.
    """
    _check(n, passed, k)
    return math.comb(passed, k) / math.comb(n, k)


class Variance(NamedTuple):
    """Where the variance of a mean over cases and trials comes from."""

    between: float
    """Variance of the cases' true rates; never below 0."""
    within: float
    """Mean variance of the trials of one case."""
    standard_error: float
    """Of the overall mean, with cases as the sampled units."""


def variance_components(cases: Sequence[Sequence[float]]) -> Variance | None:
    """Split the variance of repeated trials into between cases and within a case.

    Every case needs the same number of trials, at least 1; `None` with fewer than 2 cases.

    Source: one-way analysis of variance; Miller, arXiv:2411.00640, section on resampling.

    Raises:
        ValueError: If the cases do not have the same number of trials.
    """
    if len(cases) < 2:
        return None
    trials = len(cases[0])
    if trials == 0 or any(len(case) != trials for case in cases):
        raise ValueError("every case needs the same number of trials, at least one")
    means = [math.fsum(case) / trials for case in cases]
    of_means = _variance(means)
    within = 0.0
    if trials > 1:
        within = math.fsum(_variance(case) for case in cases) / len(cases)
    between = max(0.0, of_means - within / trials)
    return Variance(between, within, math.sqrt(of_means / len(cases)))


def _variance(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1)


def _check(n: int, passed: int, k: int) -> None:
    if not 1 <= k <= n or not 0 <= passed <= n:
        raise ValueError(f"k = {k} of n = {n} trials with {passed} passed")
