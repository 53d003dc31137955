"""The path from a number to the trials behind it: conditions on rows, and a column to sum.

Every count of a report is made by putting a `Trace` to the rows, so that the number and the list
of trials which the report shows for it can't disagree.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from research_eval.report.fact import Fact
from research_eval.report.row import Rows

__all__ = ["Condition", "Count", "Total", "Trace", "count", "fact_text", "find", "total"]


class Condition(NamedTuple):
    """One column and the values that it may have; `*` stands for any."""

    column: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """Which trials a number is made of."""

    where: tuple[Condition, ...] = ()
    measure: str | None = None
    """The column that is summed; `None` where trials are counted."""

    def narrowed(self, column: str, *values: str) -> "Trace":
        """Return this trace with one more condition."""
        return Trace(where=(*self.where, Condition(column, values)), measure=self.measure)

    def summing(self, column: str) -> "Trace":
        """Return this trace with `column` summed."""
        return Trace(where=self.where, measure=column)


@dataclass(frozen=True, slots=True)
class Count:
    """How many trials meet some conditions."""

    value: int
    trace: Trace


@dataclass(frozen=True, slots=True)
class Total:
    """A column summed over the trials that meet some conditions."""

    value: float
    trials: int
    trace: Trace

    @property
    def mean(self) -> float | None:
        """The sum per trial, where there is a trial."""
        return self.value / self.trials if self.trials else None


Places = npt.NDArray[np.intp]


def find(rows: Rows, trace: Trace, *, within: Places | None = None) -> Places:
    """Return the places of the rows that meet every condition.

    Args:
        rows: All rows.
        trace: The conditions.
        within: The places that are looked at; `None` takes all.
    """
    found = np.arange(len(rows)) if within is None else within
    for condition in trace.where:
        column = rows.columns.get(condition.column)
        if column is None:
            return found[:0]
        wanted = condition.values
        found = column.among(found, [_meets(fact, wanted) for fact in column.different])
    return found


def _meets(value: Fact, wanted: tuple[str, ...]) -> bool:
    if value is None:
        return False
    if isinstance(value, tuple):
        return "*" in wanted or any(one in value for one in wanted)
    return fact_text(value) in wanted or "*" in wanted


def fact_text(value: str | float) -> str:
    """Return a fact as conditions and tables write it: whole numbers without a point."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def count(rows: Rows, trace: Trace) -> Count:
    """Return how many of `rows` the trace finds."""
    return Count(value=len(find(rows, trace)), trace=trace)


def total(rows: Rows, trace: Trace, *, within: Places | None = None) -> Total:
    """Return the sum of the trace's column over the rows that it finds and that have it.

    Raises:
        ValueError: If the trace names no column.
    """
    if trace.measure is None:
        raise ValueError("a trace without a column has no sum")
    column = rows.columns.get(trace.measure)
    if column is None:
        return Total(value=0.0, trials=0, trace=trace)
    values = column.numbers(find(rows, trace) if within is None else within)
    return Total(value=math.fsum(values), trials=len(values), trace=trace)
