"""What a number of paired cases can show, and how many a difference needs."""

import math
from typing import NamedTuple

from research_eval.stats.interval import zero_events_upper
from research_eval.stats.power import detectable_difference, needed_cases

__all__ = ["WORTH_FINDING", "Reach", "reach"]

WORTH_FINDING = 0.1
"""The smallest difference of two rates that is worth finding, unless somebody says otherwise."""

FEW = 5
"""Fewer cases than this that differ are too few to take a variance from.

Source: Cochran, Biometrics 10:417 (1954), by whom large-sample tests ask for five events expected.
"""


class Reach(NamedTuple):
    """The power of one paired comparison."""

    detectable: float | None
    """The difference that the cases show with a chance of 80 %; `None` of a count without spread."""
    needed: int | None
    """The cases that show the smallest difference worth finding; `None` of a count."""
    is_bound: bool
    """Whether both are the most that is left possible where no case, or hardly one, differs."""


def reach(
    cases: int, spread: float, *, differing: int, difference: float, alpha: float, is_rate: bool
) -> Reach:
    """Return what `cases` pairs can show whose differences have the variance `spread`.

    Of rates, differences between -1 and 1 on a share of the cases have at most the variance of that
    share. So where fewer than `FEW` of them differ, the upper bound of their share is the variance;
    nowhere is it less than the bound where none does.
    """
    if not is_rate:
        if spread == 0:
            return Reach(None, None, is_bound=True)
        return Reach(
            detectable_difference(cases, between=spread, alpha=alpha), None, is_bound=False
        )
    seen = differing if spread and differing < FEW else 0
    most = _most_share(seen, cases, alpha)
    variance = max(spread, most)
    needed = needed_cases(difference, between=variance, alpha=alpha)
    return Reach(
        detectable_difference(cases, between=variance, alpha=alpha),
        max(2, math.ceil(needed)),
        is_bound=most > spread,
    )


def _most_share(seen: int, cases: int, alpha: float) -> float:
    """Return the one-sided upper bound of the share of cases that differ.

    Source: Clopper and Pearson, Biometrika 26:404 (1934); with none seen it is `zero_events_upper`.
    """
    if seen == 0:
        return zero_events_upper(cases, 1 - alpha)
    if seen >= cases:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        if _chance_of_no_more(seen, cases, share) > alpha:
            low = share
        else:
            high = share
    return high


def _chance_of_no_more(seen: int, cases: int, share: float) -> float:
    return math.fsum(
        math.comb(cases, k) * share**k * (1 - share) ** (cases - k) for k in range(seen + 1)
    )
