"""What a number of paired cases can show, and how many a difference needs."""

import math
from typing import NamedTuple

from research_eval.stats.interval import zero_events_upper
from research_eval.stats.power import detectable_difference, needed_cases

__all__ = ["WORTH_FINDING", "Reach", "reach"]

WORTH_FINDING = 0.1
"""The smallest difference of two rates that is worth finding, unless somebody says otherwise."""


class Reach(NamedTuple):
    """The power of one paired comparison."""

    detectable: float | None
    """The difference that the cases show with a chance of 80 %; `None` of a count without spread."""
    needed: int | None
    """The cases that show the smallest difference worth finding; `None` of a count."""
    is_bound: bool
    """Whether both are the most that is left possible where no case differs from another."""


def reach(cases: int, spread: float, *, difference: float, alpha: float, is_rate: bool) -> Reach:
    """Return what `cases` pairs can show whose differences have the variance `spread`.

    Where no case differs from another, differences between -1 and 1 on as many cases as may still do
    so have at most the variance of their share.
    """
    is_bound = spread == 0
    if is_bound and not is_rate:
        return Reach(None, None, is_bound=True)
    variance = zero_events_upper(cases, 1 - alpha) if is_bound else spread
    needed = needed_cases(difference, between=variance, alpha=alpha)
    return Reach(
        detectable_difference(cases, between=variance, alpha=alpha),
        max(2, math.ceil(needed)) if is_rate else None,
        is_bound,
    )
