"""How many cases a difference needs, and which difference a number of cases can show.

All of it is for the test that rules on a comparison: the paired permutation test over cases.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from scipy.special import betaincinv
from typing_extensions import override

from research_eval.stats.interval import normal_quantile, zero_events_upper

__all__ = [
    "ALPHA",
    "POWER",
    "WORTH_FINDING",
    "Assumption",
    "Power",
    "detectable_difference",
    "detectable_unpaired",
    "needed_cases",
    "power_of",
]

ALPHA = 0.05
POWER = 0.8
WORTH_FINDING = 0.1
"""The smallest difference of two rates that is worth finding, unless somebody says otherwise."""

FEW = 5
"""Fewer cases than this that differ are too few to take a variance from.

Source: Cochran, Biometrics 10:417 (1954), by whom large-sample tests ask for five events expected.
"""
MOST = 10**15
"""Cases beyond this many are no plan."""


class Assumption(NamedTuple):
    """What is taken for granted of two rates before anything was measured."""

    rate: float = 0.7
    """The rate that is expected of both."""
    between_share: float = 0.5
    """Share of the variance that lies between cases, not between trials of one."""
    correlation: float = 0.5
    """How alike the two configurations' rates are, case by case."""

    @property
    def between(self) -> float:
        """Variance, over cases, of the true differences."""
        return 2 * self.between_share * self.rate * (1 - self.rate) * (1 - self.correlation)

    @property
    def within(self) -> float:
        """Variance of the trials of one case, of one configuration."""
        return (1 - self.between_share) * self.rate * (1 - self.rate)

    def variance(self, trials: int) -> float:
        """Return the variance of the differences of case means over so many trials each."""
        return self.between + 2 * self.within / trials

    @override
    def __str__(self) -> str:
        return (
            f"rates near {100 * self.rate:g} %, {100 * self.between_share:g} % of the variance between cases,"
            f" correlation {self.correlation:g}"
        )


def _margin(
    cases: float, difference: float, variance: float, step: float, errors: tuple[float, float]
) -> float:
    """Return how far the sum of differences lies beyond what the test asks for, in its own unit.

    The test flips signs, so that the sum has the variance of all squared differences if there is no
    effect, and moves in steps of `2 * step`. With an effect, sum and squares move together.

    Source: Fisher, The Design of Experiments (1935), section 21, for the test; Connor, Biometrics
    43:207 (1987), for the two variances; the rest is the delta method on the studentised sum.
    """
    alpha, power = errors
    z_alpha, z_beta = -normal_quantile(alpha / 2), normal_quantile(power)
    square = variance + difference**2
    if square == 0:
        return -math.inf
    # how differences and their squares move together, and how far squares spread: of an even spread,
    # and of -1, 0 and 1 alone, which is what one trial a case gives; more trials lie between
    coarse = step * math.sqrt(step)
    smooth = 1 - coarse
    together = smooth * 2 * variance * difference + coarse * difference * max(0.0, 1 - square)
    squares = smooth * (2 * variance**2 + 4 * variance * difference**2)
    squares += coarse * square * max(0.0, 1 - square)
    pull = z_alpha / math.sqrt(cases * square)
    asked = z_alpha * math.sqrt(cases * square) * (1 - squares / (8 * cases * square**2))
    moved = variance - pull * together + pull**2 * squares / 4
    left = z_beta * math.sqrt(cases * max(moved, 0.05 * variance))
    return difference * cases - step - asked - left


def needed_cases(
    difference: float,
    variance: float,
    *,
    step: float = 0.0,
    alpha: float = ALPHA,
    power: float = POWER,
) -> int:
    """Return how many cases show `difference` in a paired comparison.

    Args:
        difference: The smallest difference of means worth finding.
        variance: Of the differences of case means.
        step: Of rates, 1 over the trials of a case: differences are multiples of it. 0 of means.
        alpha: Two-sided error rate of the test.
        power: Chance to find a difference that is there.

    Raises:
        ValueError: If `difference` is not above zero.
    """
    if difference <= 0:
        raise ValueError("no number of cases shows a difference of zero")
    low, high = 1, 2
    while high < MOST and _margin(high, difference, variance, step, (alpha, power)) < 0:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if _margin(middle, difference, variance, step, (alpha, power)) < 0:
            low = middle
        else:
            high = middle
    return high


def detectable_difference(
    cases: int,
    variance: float,
    *,
    step: float = 0.0,
    alpha: float = ALPHA,
    power: float = POWER,
) -> float | None:
    """Return the smallest difference that `cases` pairs show with this power; `None` if they show none.

    The arguments are those of `needed_cases`, whose inverse this is.

    Raises:
        ValueError: If there are no cases.
    """
    if cases < 1:
        raise ValueError("no cases show no difference")
    high = max(math.sqrt(variance / cases), step, 1e-9)
    for _ in range(80):
        if _margin(cases, high, variance, step, (alpha, power)) >= 0:
            return _root(
                lambda d: _margin(cases, d, variance, step, (alpha, power)) >= 0, 0.0, high
            )
        high *= 2
    return None


def _root(is_reached: Callable[[float], bool], low: float, high: float) -> float:
    for _ in range(60):
        middle = (low + high) / 2
        if is_reached(middle):
            high = middle
        else:
            low = middle
    return high


class Power(NamedTuple):
    """The power of one paired comparison."""

    detectable: float | None
    """The difference that the cases show with a chance of 80 %; `None` where they show none, or of a
    count without spread."""
    needed: int | None
    """The cases that show the smallest difference worth finding; `None` of a count."""
    is_bound: bool
    """Whether both are the most that is left possible where no case, or hardly one, differs."""


def power_of(
    cases: int,
    spread: float,
    *,
    differing: int,
    is_rate: bool,
    trials: int = 1,
    difference: float = WORTH_FINDING,
    alpha: float = ALPHA,
    power: float = POWER,
) -> Power:
    """Return what `cases` pairs can show whose differences have the variance `spread`.

    Of rates, differences between -1 and 1 on a share of the cases have at most the variance of that
    share. So where fewer than `FEW` of them differ, the upper bound of their share is the variance;
    nowhere is it less than the bound where none does.
    """
    if not is_rate:
        shown = detectable_difference(cases, spread, alpha=alpha, power=power) if spread else None
        return Power(shown, None, is_bound=spread == 0)
    most = _most_share(differing if spread and differing < FEW else 0, cases, alpha)
    variance, step = max(spread, most), 1 / trials
    needed = needed_cases(difference, variance, step=step, alpha=alpha, power=power)
    shown = detectable_difference(cases, variance, step=step, alpha=alpha, power=power)
    is_any = shown is not None and shown < 1
    return Power(shown if is_any else None, max(2, needed), is_bound=most > spread)


def _most_share(seen: int, cases: int, alpha: float) -> float:
    """Return the one-sided upper bound of the share of cases that differ.

    Source: Clopper and Pearson, Biometrika 26:404 (1934); with none seen it is `zero_events_upper`.
    """
    if seen == 0:
        return zero_events_upper(cases, 1 - alpha)
    return 1.0 if seen >= cases else float(betaincinv(seen + 1, cases - seen, 1 - alpha))


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
    z_sum = normal_quantile(power) - normal_quantile(alpha / 2)  # of the small tail, which is exact
    return z_sum * math.sqrt(rate * (1 - rate) * (1 / n1 + 1 / n2))
