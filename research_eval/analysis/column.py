"""One measure over the rows of a table: sums where a row is a case, codes of values where it is a trial.

Many trials have the same value. A column of single trials therefore keeps each different cell once and,
for each row, a small number that stands for it: one byte up to 255 different cells.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = [
    "CAUSES",
    "STATES",
    "Cells",
    "CodedColumn",
    "Column",
    "Counts",
    "Floats",
    "Places",
    "SummedColumn",
]

CAUSES = ("error", "not_applicable", "undecided")
"""Why a cell has no value: the infrastructure failed, there was nothing to measure, no verdict."""
STATES = ("scored", *CAUSES)

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int32]
Places = npt.NDArray[np.intp]
Codes = npt.NDArray[np.uint8] | npt.NDArray[np.uint16] | npt.NDArray[np.uint32]


Cell = tuple[float, float, float]
"""Value, weight and state of one trial's score: a place among `STATES`; -1 where it has none."""

NOTHING: Cell = (0.0, 0.0, -1.0)


class Cells(NamedTuple):
    """What some rows have of a measure."""

    total: Floats
    """The sum of the values of each row, each times its weight."""
    weight: Floats
    """The sum of the weights of each row."""
    counts: Counts
    """How many trials of each row have a value, and how many have none, by cause: `STATES`."""

    @property
    def scored(self) -> Counts:
        """How many trials of each row have a value."""
        found: Counts = self.counts[0]
        return found


class SummedColumn:
    """One measure of which the trials of a row are added up."""

    def __init__(self) -> None:
        self.sums: Floats = np.zeros((3, 0))
        """Values times their weights, what rounding left of that sum, weights."""
        self.counts: Counts = np.zeros((4, 0), np.int32)

    def widen(self, rows: int) -> None:
        """Make room for so many rows."""
        held = self.sums.shape[1]
        if rows > held:
            sums, counts = self.sums, self.counts
            self.sums = np.zeros((len(sums), rows))
            self.counts = np.zeros((4, rows), np.int32)
            self.sums[:, :held], self.counts[:, :held] = sums, counts

    def at(self, rows: Places) -> Cells:
        """Return what some rows have."""
        total, left, weight = self.sums[:, rows]
        return Cells(total + left, weight, self.counts[:, rows])

    def take(self, rows: Places, cells: Floats, which: Places, times: Counts) -> None:
        """Add to rows that may be named often.

        Args:
            rows: Which rows.
            cells: Value, weight and state of different cells.
            which: Of each row, which of the cells is added.
            times: Of each row, how often.
        """
        value, weight, state = cells[:, which]
        numbers, turn = np.unique(rows, return_inverse=True)
        size = len(numbers)
        sums = np.zeros((3, size))
        sums[0] = np.bincount(turn, value * weight * times, size)
        sums[2] = np.bincount(turn, weight * times, size)
        flat = state.astype(np.intp) * size + turn
        counts = np.bincount(flat, times, len(STATES) * size).reshape(len(STATES), size)
        self._add(numbers, sums, counts.astype(np.int32))

    def merge(self, places: Places, other: SummedColumn) -> None:
        """Add what `other` has; `places` says where its rows stand here."""
        filled = np.flatnonzero(other.counts.sum(axis=0))
        self._add(places[filled], other.sums[:, filled], other.counts[:, filled])

    def _add(self, rows: Places, sums: Floats, counts: Counts) -> None:
        """Add to `rows`, each of which is named once; the sum is the same in any order.

        Source: Knuth, TAOCP 2, 4.2.2, theorem B, for what rounding leaves of a sum.
        """
        before = self.sums[0, rows]
        after = before + sums[0]
        part = after - before
        left = (before - (after - part)) + (sums[0] - part)
        self.sums[0, rows] = after
        self.sums[1, rows] += sums[1] + left
        self.sums[2, rows] += sums[2]
        self.counts[:, rows] += counts


class CodedColumn:
    """One measure of which a row has one trial; a trial that comes again replaces the earlier one."""

    def __init__(self) -> None:
        self.codes: Codes = np.zeros(0, np.uint8)
        """For each row the place of its cell among `different`."""
        self.different: list[Cell] = [NOTHING]
        self._places = {NOTHING: 0}
        self._decoded: npt.NDArray[np.float64] = np.array(self.different)

    def widen(self, rows: int) -> None:
        """Make room for so many rows."""
        held = len(self.codes)
        if rows > held:
            codes = self.codes
            self.codes = np.zeros(rows, codes.dtype)
            self.codes[:held] = codes

    def take(self, rows: Places, cells: Floats, which: Places, times: Counts) -> None:
        """Set the cells of some rows, as `SummedColumn.take` adds them."""
        del times
        different, turn = np.unique(which, return_inverse=True)
        found = zip(*cells[:, different].tolist(), strict=True)
        self._put(rows, self._codes_of(found)[turn])

    def merge(self, places: Places, other: CodedColumn) -> None:
        """Take in what `other` has; `places` says where its rows stand here."""
        codes = self._codes_of(other.different)[other.codes]
        filled = np.flatnonzero(codes)
        self._put(places[filled], codes[filled])

    def _codes_of(self, cells: Iterable[Cell]) -> Places:
        """Return the numbers that stand for some cells."""
        codes = []
        for cell in cells:
            codes.append(self._places.setdefault(cell, len(self.different)))
            if codes[-1] == len(self.different):
                self.different.append(cell)
        return np.array(codes, np.intp)

    def _put(self, rows: Places, codes: Places) -> None:
        most = np.min_scalar_type(len(self.different) - 1)
        if most.itemsize > self.codes.itemsize:
            self.codes = self.codes.astype(most)
        self.codes[rows] = codes

    @property
    def decoded(self) -> Floats:
        """Value, weight and state of each different cell."""
        if len(self._decoded) != len(self.different):
            self._decoded = np.array(self.different)
        return self._decoded.T

    def at(self, rows: Places) -> Cells:
        """Return what some rows have."""
        value, weight, state = self.decoded
        codes = self.codes[rows]
        counts = np.arange(len(STATES))[:, None] == state
        return Cells((value * weight)[codes], weight[codes], counts[:, codes].astype(np.int32))

    def values(self, rows: Places) -> tuple[Floats, Floats]:
        """Return the value and the weight of each of some rows, 0 where there is none."""
        value, weight, _ = self.decoded
        codes = self.codes[rows]
        return value[codes], weight[codes]


Column = SummedColumn | CodedColumn
