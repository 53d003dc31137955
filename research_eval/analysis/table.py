"""The one table of a run: a row a trial, or a case, and a column a measure.

A cell has a value with its weight, or the cause why there is none; nothing stands for a missing value.
Pieces of a journal are taken into tables of their own, which join to the same table in any order. A
table by case holds the sums over the trials of each case, so that it does not grow with them.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from typing_extensions import override

from research_eval.analysis.column import (
    CAUSES,
    STATES,
    Cells,
    CodedColumn,
    Column,
    Floats,
    Places,
    SummedColumn,
)
from research_eval.schema import Score

__all__ = ["CAUSES", "Row", "Table"]

MOST_HELD = 20_000
"""Different scores that are held before they are added up."""
MOST_WAITING = 1000
"""Rows whose scores are held before they are added up."""


class Row(NamedTuple):
    """Whose scores a row holds."""

    configuration: str
    case_id: str
    trial: int = 0
    """The repetition, from 1; 0 for all trials of the case together."""


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
        self._run = array("i")
        self._planned = array("i")
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
        planned, run = (np.array(each)[rows].sum() for each in (self._planned, self._run))
        return int(planned), int(run)

    def add(
        self, row: Row, scores: Iterable[Score], *, times: int = 1, has_run: bool = True
    ) -> None:
        """Take in all scores of a trial, or, by case, of so many trials that are alike."""
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
        """Take in all that `other` took in, which is by case or by trial as this one is."""
        self._settle()
        other._settle()
        mapped = [self._place(row) for row in other._rows]
        for place, run, planned in zip(mapped, other._run, other._planned, strict=True):
            self._run[place] += run
            self._planned[place] += planned
        places = np.array(mapped, np.intp)
        for name, column in other._columns.items():
            mine = self._column(name)
            mine.merge(places, column)  # type: ignore[arg-type]  # both are by case, or neither

    def _place(self, row: Row) -> int:
        place = self._rows.setdefault(row, len(self._rows))
        if place == len(self._run):
            self._run.append(0)
            self._planned.append(0)
        return place

    def _column(self, name: str) -> Column:
        column = self._columns.get(name)
        if column is None:
            column = self._columns[name] = SummedColumn() if self.by_case else CodedColumn()
        column.widen(len(self._rows))
        return column

    def column(self, name: str) -> Column:
        """Return one measure over all rows; of one never met, an empty column."""
        self._settle()
        if name in self._columns:
            return self._column(name)
        empty = SummedColumn() if self.by_case else CodedColumn()
        empty.widen(len(self._rows))
        return empty

    def at(self, name: str, rows: Places) -> Cells:
        """Return what some rows have of a measure."""
        return self.column(name).at(rows)

    def _settle(self) -> None:
        """Take the scores that were only held so far into the columns."""
        if not self._waiting:
            return
        places = {identity: number for number, identity in enumerate(self._held)}
        found = np.fromiter(
            map(places.__getitem__, self._identities), np.intp, len(self._identities)
        )
        rows, lengths = np.array(self._waiting, np.intp).T
        names, lines, cells = self._cells_held()
        self._waiting, self._held, self._identities = [], {}, []
        times, self._times = np.repeat(np.array(self._times, np.int32), lengths), []
        rows = np.repeat(rows, lengths)
        order = np.argsort(lines[found], kind="stable")
        ends = np.searchsorted(lines[found[order]], np.arange(len(names) + 1)).tolist()
        for name, chosen in zip(names, (order[a:b] for a, b in pairwise(ends)), strict=True):
            self._column(name).take(rows[chosen], cells, found[chosen], times[chosen])

    def _cells_held(self) -> tuple[list[str], Places, Floats]:
        """Return the measures that came, and of each score held which one it is, and its cell."""
        names: dict[str, int] = {}
        lines, cells = [], []
        for score in self._held.values():
            is_kept = self._names is None or score.name in self._names
            lines.append(names.setdefault(score.name, len(names)) if is_kept else -1)
            if score.status == "scored":
                cells.append((score.value, score.weight, 0.0))
            else:
                cells.append((0.0, 0.0, float(STATES.index(score.cause))))
        return list(names), np.array(lines, np.intp), np.array(cells).reshape(-1, 3).T

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
        """Yield the rows of single trials that have a value, with the value and its weight.

        Raises:
            ValueError: If the table is by case.
        """
        column, every = self.column(name), self.rows
        if isinstance(column, SummedColumn):
            raise ValueError("a table by case has no values of single trials")  # noqa: TRY004
        held = rows[column.at(rows).scored > 0]
        for row, value, weight in zip(held.tolist(), *column.values(held), strict=True):
            yield every[row], float(value), float(weight)

    def place(self, row: Row) -> int | None:
        """Return where a row stands; `None` if there is none."""
        return self._rows.get(row)

    def planned(self, rows: Places) -> Places:
        """Return how many trials of each row were planned."""
        return np.array(self._planned, np.intp)[rows]
