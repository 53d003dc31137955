"""How many cases a difference needs, and which difference a number of cases can show."""

import math

from research_eval.stats.interval import normal_quantile

__all__ = [
    "detectable_difference",
    "detectable_unpaired",
    "independent_n",
    "mcnemar_pairs",
    "needed_cases",
]

ALPHA = 0.05
POWER = 0.8


def needed_cases(
    difference: float,
    *,
    between: float,
    within_a: float = 0.0,
    within_b: float = 0.0,
    trials_a: int = 1,
    trials_b: int = 1,
    alpha: float = ALPHA,
    power: float = POWER,
) -> float:
    """Return how many cases show `difference` in a paired comparison; round it up.

    Args:
        difference: The smallest difference of means worth finding.
        between: Variance of the case-wise true differences.
        within_a: Variance of the trials of one case, first configuration.
        within_b: The same of the second.
        trials_a: Trials a case, first configuration.
        trials_b: The same of the second.
        alpha: Two-sided error rate of the test.
        power: Chance to find a difference that is there.

    Source: Miller, arXiv:2411.00640, section on power.

    Raises:
        ValueError: If `difference` is zero.
    """
    if difference == 0:
        raise ValueError("no number of cases shows a difference of zero")
    variance = between + within_a / trials_a + within_b / trials_b
    return _z_sum(alpha, power) ** 2 * variance / difference**2


def detectable_difference(
    cases: int,
    *,
    between: float,
    within_a: float = 0.0,
    within_b: float = 0.0,
    trials_a: int = 1,
    trials_b: int = 1,
    alpha: float = ALPHA,
    power: float = POWER,
) -> float:
    """Return the smallest difference that `cases` pairs show with this power.

    The arguments are those of `needed_cases`, whose inverse this is.

    Source: Miller, arXiv:2411.00640, section on power.

    Raises:
        ValueError: If there are no cases.
    """
    if cases < 1:
        raise ValueError("no cases show no difference")
    variance = between + within_a / trials_a + within_b / trials_b
    return _z_sum(alpha, power) * math.sqrt(variance / cases)


def mcnemar_pairs(
    discordant: float, difference: float, *, alpha: float = ALPHA, power: float = POWER
) -> float:
    """Return how many pairs McNemar's test needs; round it up.

    Args:
        discordant: The share of pairs on which the two differ.
        difference: The difference of the two rates.
        alpha: Two-sided error rate of the test.
        power: Chance to find a difference that is there.

    Source: Connor, Biometrics 43:207 (1987).

    Raises:
        ValueError: If `difference` is zero or larger than `discordant`.
    """
    if not 0 < abs(difference) <= discordant <= 1:
        raise ValueError("a difference is above zero and at most the discordant share")
    z_alpha, z_beta = -normal_quantile(alpha / 2), normal_quantile(power)
    root = z_alpha * math.sqrt(discordant) + z_beta * math.sqrt(discordant - difference**2)
    return (root / difference) ** 2


def independent_n(p1: float, p2: float, *, alpha: float = ALPHA, power: float = POWER) -> float:
    """Return how many cases each of two samples needs to tell `p1` from `p2`; round it up.

    Source: Cohen, Statistical Power Analysis, 2nd ed., chapter 6 (effect size h).

    Raises:
        ValueError: If the two are equal.
    """
    h = 2 * math.asin(math.sqrt(p1)) - 2 * math.asin(math.sqrt(p2))
    if h == 0:
        raise ValueError("no number of cases shows a difference of zero")
    return 2 * _z_sum(alpha, power) ** 2 / h**2


def detectable_unpaired(
    rate: float, n1: int, n2: int, *, alpha: float = ALPHA, power: float = POWER
) -> float:
    """Return the smallest difference of two rates near `rate` that different cases show.

    Source: Fleiss, Statistical Methods for Rates and Proportions, 2nd ed., 3.2, with the variance of
    one common rate.

    Raises:
        ValueError: If there are no cases.
    """
    if min(n1, n2) < 1:
        raise ValueError("no cases show no difference")
    return _z_sum(alpha, power) * math.sqrt(rate * (1 - rate) * (1 / n1 + 1 / n2))


def _z_sum(alpha: float, power: float) -> float:
    return normal_quantile(power) - normal_quantile(alpha / 2)  # of the small tail, which is exact
