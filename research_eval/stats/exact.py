"""The exact interval of a proportion, from statsmodels."""

from statsmodels.stats.proportion import proportion_confint

from research_eval.stats.interval import CONFIDENCE, Interval

__all__ = ["clopper_pearson"]


def clopper_pearson(successes: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Return the exact interval of a proportion, which never covers less than it claims.

    Source: Clopper and Pearson, Biometrika 26:404 (1934).

    Raises:
        ValueError: If `successes` is not between 0 and `n`.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes out of {n}")
    if n == 0:
        return Interval(0.0, 1.0)
    low, high = proportion_confint(successes, n, alpha=1 - confidence, method="beta")
    return Interval(float(low), float(high))
