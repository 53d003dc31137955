"""The one table of a run: a row a trial, or a case, and a column a measure.

A cell has a value with its weight, or the cause why there is none; nothing stands for a missing value.
Pieces of a journal are taken into tables of their own, which join to the same table in any order. A
table by case holds the sums over the trials of each case, so that it does not grow with them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from typing_extensions import override

from research_eval.schema import Score

__all__ = ["CAUSES", "Column", "Row", "Table"]

CAUSES = ("error", "not_applicable", "undecided")
"""Why a cell has no value: the infrastructure failed, there was nothing to measure, no verdict."""
STATES = ("scored", *CAUSES)

MOST_HELD = 20_000
"""Different scores that are held before they are added up."""
MOST_WAITING = 1000
"""Rows whose scores are held before they are added up."""

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int32]
Places = npt.NDArray[np.intp]


class Row(NamedTuple):
    """Whose scores a row holds."""

    configuration: str
    case_id: str
    trial: int = 0
    """The repetition, from 1; 0 for all trials of the case together."""


class Column:
    """One measure over the rows of a table."""

    def __init__(self, *, has_values: bool) -> None:
        """Begin without rows.

        Args:
            has_values: Whether the plain values are kept too, which rows of single trials have.
        """
        self.sums: Floats = np.zeros((4 if has_values else 3, 0))
        """Values times their weights, what rounding left of that sum, weights, plain values."""
        self.counts: Counts = np.zeros((4, 0), np.int32)
        """How many trials have a value, and how many have none, by cause: `STATES`."""

    @property
    def total(self) -> Floats:
        """The sum of the values of each row, each times its weight."""
        found: Floats = self.sums[0] + self.sums[1]
        return found

    @property
    def weight(self) -> Floats:
        """The sum of the weights of each row."""
        found: Floats = self.sums[2]
        return found

    @property
    def scored(self) -> Counts:
        """How many trials of each row have a value."""
        found: Counts = self.counts[0]
        return found

    def widen(self, rows: int) -> None:
        """Make room for so many rows."""
        held = self.sums.shape[1]
        if rows > held:
            sums, counts = self.sums, self.counts
            self.sums = np.zeros((len(sums), rows))
            self.counts = np.zeros((4, rows), np.int32)
            self.sums[:, :held], self.counts[:, :held] = sums, counts

    def add(self, rows: Places, sums: Floats, counts: Counts) -> None:
        """Add to `rows`, each of which is named once; the sum is the same in any order.

        Source: Knuth, TAOCP 2, 4.2.2, theorem B, for what rounding leaves of a sum.
        """
        before = self.sums[0, rows]
        after = before + sums[0]
        part = after - before
        left = (before - (after - part)) + (sums[0] - part)
        self.sums[0, rows] = after
        self.sums[1, rows] += sums[1] + left
        self.sums[2:, rows] += sums[2 : len(self.sums)]
        self.counts[:, rows] += counts


class Table:
    """Takes in the scores of trials; columns are read once all are in."""

    def __init__(self, names: Collection[str] | None = None, *, by_case: bool = False) -> None:
        """Begin an empty table.

        Args:
            names: The measures that are kept; `None` keeps all.
            by_case: Whether the trials of a case are added up.
        """
        self._names = None if names is None else frozenset(names)
        self.by_case = by_case
        self._rows: dict[Row, int] = {}
        self._run: list[int] = []
        self._planned: list[int] = []
        """Of each row, how many trials ran, and how many were planned."""
        self._columns: dict[str, Column] = {}
        self._held: dict[int, Score] = {}
        """Scores by their identity, which is theirs alone while they are held here."""
        self._waiting: list[tuple[int, int]] = []
        """Rows with the number of their scores."""
        self._identities: list[int] = []
        self._times: list[int] = []
        self._every: tuple[Row, ...] = ()
        self._cases: dict[bytes, tuple[list[str], Places]] = {}
        """Of some rows, by the bytes of their places: which cases they belong to."""

    @override
    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs, where identities are other ones."""
        self._settle()
        return self.__dict__

    @property
    def rows(self) -> tuple[Row, ...]:
        """Whose rows there are, in the order of first sight."""
        if len(self._every) != len(self._rows):
            self._every = tuple(self._rows)
        return self._every

    @property
    def names(self) -> tuple[str, ...]:
        """Every measure that was met, in the order of first sight."""
        self._settle()
        return tuple(self._columns)

    def run_of(self, row: Row) -> int:
        """Return how many trials of a row ran."""
        place = self._rows.get(row)
        return 0 if place is None else self._run[place]

    @property
    def run(self) -> int:
        """How many trials ran."""
        return sum(self._run)

    def sizes(self, rows: Places) -> tuple[int, int]:
        """Return how many trials of some rows were planned, and how many of them ran."""
        chosen = rows.tolist()
        return sum(self._planned[row] for row in chosen), sum(self._run[row] for row in chosen)

    def add(
        self, row: Row, scores: Iterable[Score], *, times: int = 1, has_run: bool = True
    ) -> None:
        """Take in all scores of a trial, or of so many trials that are alike."""
        if self.by_case and row.trial:
            row = row._replace(trial=0)
        place = self._place(row)
        self._planned[place] += times
        if has_run:
            self._run[place] += times
        every = tuple(scores)
        identities = list(map(id, every))
        if not self._held.keys() >= set(identities):
            self._held.update(zip(identities, every, strict=True))
        self._waiting.append((place, len(identities)))
        self._identities += identities
        self._times.append(times)
        if len(self._held) > MOST_HELD or len(self._waiting) > MOST_WAITING:
            self._settle()

    def merge(self, other: Table) -> None:
        """Take in all that `other` took in."""
        self._settle()
        other._settle()
        mapped = [self._place(row) for row in other._rows]
        for place, run, planned in zip(mapped, other._run, other._planned, strict=True):
            self._run[place] += run
            self._planned[place] += planned
        places = np.array(mapped, np.intp)
        for name, column in other._columns.items():
            filled = np.flatnonzero(column.counts.sum(axis=0))
            mine = self._column(name)
            mine.add(places[filled], column.sums[:, filled], column.counts[:, filled])

    def _place(self, row: Row) -> int:
        place = self._rows.setdefault(row, len(self._rows))
        if place == len(self._run):
            self._run.append(0)
            self._planned.append(0)
        return place

    def _column(self, name: str) -> Column:
        column = self._columns.get(name)
        if column is None:
            column = self._columns[name] = Column(has_values=not self.by_case)
        column.widen(len(self._rows))
        return column

    def column(self, name: str) -> Column:
        """Return one measure over all rows; of one never met, an empty column."""
        self._settle()
        if name in self._columns:
            return self._column(name)
        empty = Column(has_values=not self.by_case)
        empty.widen(len(self._rows))
        return empty

    def _settle(self) -> None:
        """Add up the scores that were only counted so far."""
        if not self._waiting:
            return
        waiting, held = self._waiting, self._held
        place = {identity: number for number, identity in enumerate(held)}
        places = np.fromiter(
            map(place.__getitem__, self._identities), np.intp, len(self._identities)
        )
        lengths = [length for _, length in waiting]
        numbers, rows = np.unique([row for row, _ in waiting], return_inverse=True)
        rows, times = np.repeat(rows, lengths), np.repeat(self._times, lengths)
        self._waiting, self._held, self._identities, self._times = [], {}, [], []
        names, lines, values = self._values(held.values())
        sums = np.zeros((4, len(names), len(numbers)))
        counts = np.zeros((4, len(names), len(numbers)), np.int32)
        kept = lines[places] >= 0
        places, rows, times = places[kept], rows[kept], times[kept]
        cells = lines[places] * len(numbers) + rows
        shape, size = (len(names), len(numbers)), len(names) * len(numbers)
        for target, which in ((0, 0), (2, 1), (3, 3)):
            sums[target] = np.bincount(cells, values[which][places] * times, size).reshape(shape)
        for number in range(len(STATES)):
            same = values[2][places] == number
            counts[number] = np.bincount(cells[same], times[same], size).reshape(shape)
        for line, name in enumerate(names):
            filled = np.flatnonzero(counts[:, line].sum(axis=0))
            column = self._column(name)
            column.add(numbers[filled], sums[:, line, filled], counts[:, line, filled])

    def _values(self, scores: Iterable[Score]) -> tuple[list[str], Places, Floats]:
        """Return the measures that came, and of each score its line, then total, weight, state, value."""
        names: dict[str, int] = {}
        lines, values = [], []
        for score in scores:
            if self._names is not None and score.name not in self._names:
                lines.append(-1)
                values.append((0.0, 0.0, -1, 0.0))
                continue
            lines.append(names.setdefault(score.name, len(names)))
            if score.status == "scored":
                values.append((score.value * score.weight, score.weight, 0, score.value))
            else:
                values.append((0.0, 0.0, STATES.index(score.cause), 0.0))
        return list(names), np.array(lines, np.intp), np.array(values).reshape(-1, 4).T

    def of(self, configuration: str) -> Places:
        """Return the places of one configuration's rows."""
        found = (place for row, place in self._rows.items() if row.configuration == configuration)
        return np.fromiter(found, np.intp)

    def cases(self, rows: Places) -> tuple[list[str], Places]:
        """Return the cases of some rows, and for each row the place of its case among them."""
        known = self._cases.get(rows.tobytes())
        if known is None:
            every, names = self.rows, dict[str, int]()
            places = [names.setdefault(every[row].case_id, len(names)) for row in rows.tolist()]
            known = self._cases[rows.tobytes()] = (list(names), np.array(places, np.intp))
        return known

    def cells(self, name: str, rows: Places) -> Iterator[tuple[Row, float, float]]:
        """Yield the rows of single trials that have a value, with the value and its weight."""
        column, every = self.column(name), self.rows
        value, weight = column.sums[3], column.weight
        for row in rows[column.scored[rows] > 0].tolist():
            yield every[row], float(value[row]), float(weight[row])

    def place(self, row: Row) -> int | None:
        """Return where a row stands; `None` if there is none."""
        return self._rows.get(row)

    def planned(self, rows: Places) -> Places:
        """Return how many trials of each row were planned."""
        return np.array([self._planned[row] for row in rows.tolist()], np.intp)
