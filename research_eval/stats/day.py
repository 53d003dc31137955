"""How much runs of the same thing differ, for instance from day to day, beyond what cases do by chance."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import fdtrc, fdtri

from research_eval.stats.interval import CONFIDENCE, Interval

__all__ = ["RunVariation", "run_variation"]


class RunVariation(NamedTuple):
    """The spread of the true means of several runs."""

    sd: float
    """Standard deviation between runs; 0 where the runs differ no more than chance makes them."""
    interval: Interval
    p: float
    """Of the test that the runs do not differ at all."""


def run_variation(
    values: Sequence[Sequence[float]], confidence: float = CONFIDENCE
) -> RunVariation:
    """Return the variation between runs of the same cases, one row of case means a run.

    The model has a part of the case, a part of the run, and chance; the interval is that of F on the
    ratio of the last two. Where nothing varies at all, everything is 0 and p is 1.

    Source: Searle, Casella and McCulloch, Variance Components, 4.7 and 3.6 (two-way random model
    without interaction, exact interval of the ratio).

    Raises:
        ValueError: If there are fewer than two runs or two cases, or a row lacks a case.
    """
    table = np.array(values, np.float64)
    if table.ndim != 2 or min(table.shape) < 2:
        raise ValueError("two runs of two cases are needed at least, with a value for each")
    runs, cases = table.shape
    of_run, of_case = table.mean(axis=1), table.mean(axis=0)
    rest = table - of_run[:, None] - of_case[None, :] + table.mean()
    free = (runs - 1, (runs - 1) * (cases - 1))
    chance = float((rest**2).sum()) / free[1]
    between = cases * float(of_run.var(ddof=1))
    if chance <= 1e-18:
        sd = math.sqrt(between / cases) if between > 1e-18 else 0.0
        return RunVariation(sd, Interval(sd, sd), 0.0 if sd else 1.0)
    ratio = between / chance
    tail = (1 - confidence) / 2
    low, high = (
        math.sqrt(max(0.0, (ratio / float(fdtri(*free, at)) - 1) / cases) * chance)
        for at in (1 - tail, tail)
    )
    sd = math.sqrt(max(0.0, between - chance) / cases)
    return RunVariation(sd, Interval(low, high), float(fdtrc(*free, ratio)))
