"""Scores of many trials in, one summary for each measure out; memory grows with cases, not trials."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from typing_extensions import override

from research_eval.schema import Score
from research_eval.scorer.measure import Kinds, Measure, is_occasional
from research_eval.stats import Interval, wilson

__all__ = ["CaseSum", "Summary", "Tally"]


CAUSES = ("error", "not_applicable", "undecided")

MOST_HELD = 20_000
"""Different scores that are held before they are added up."""

MOST_WAITING = 1000
"""Cases whose scores are held before they are added up."""


class CaseSum(NamedTuple):
    """What one case contributes to a measure: a numerator, a denominator, and how many scores."""

    total: float
    weight: float
    n: int


class Summary(NamedTuple):
    """One measure of one configuration, with every denominator that a reader may ask for."""

    name: str
    planned: int
    """Trials that the run was meant to hold."""
    run: int
    """Trials that ended, whatever way."""
    scored: int
    errors: int
    """Trials without a value because the infrastructure failed."""
    not_applicable: int
    """Trials in which there was nothing to measure, planned ones that did not run among them; no part
    of any denominator."""
    undecided: int
    """Trials on which the scorer reached no verdict."""
    value: float | None
    """The conditional mean: over the scored trials, or over their citations."""
    strict: float | None
    """Of a rate, over all planned trials to which the measure applies, those without a value counted
    as the worst: 0 where more is better, 1 where less is. `None` where there is no worst value or
    nobody said which it is."""
    total: float
    """Sum of the values, each times its weight."""
    weight: float
    """Sum of the weights: the denominator of `value`."""
    unit: str
    """What the value is, as in `research_eval.schema.Unit`."""

    @property
    def coverage(self) -> float:
        """The share of the planned trials, as far as the measure applies, that were scored."""
        applicable = self.planned - self.not_applicable
        return self.scored / applicable if applicable > 0 else 1.0

    @property
    def wilson(self) -> Interval | None:
        """The Wilson interval; `None` if the measure is no proportion, or nothing was scored."""
        n = round(self.weight)
        if n == 0 or self.unit not in {"yes_no", "share"}:
            return None
        return wilson(min(max(self.total, 0.0), n), n)


class _Column:
    """What every case contributes to one measure: total, weight and number of scores, by its number."""

    def __init__(self) -> None:
        self.rows = np.zeros((3, 0))

    def add(self, cases: npt.NDArray[np.intp], rows: npt.NDArray[np.float64]) -> None:
        """Add `rows` to what `cases` contribute, each of which is named once."""
        held = self.rows.shape[1]
        if len(cases) and (needed := int(cases.max()) + 1) > held:
            wider = np.zeros((3, max(needed, held + held // 8)))
            wider[:, :held] = self.rows
            self.rows = wider
        self.rows[:, cases] += rows


class Tally:
    """Adds up the scores of one configuration."""

    def __init__(self, planned: int) -> None:
        self._planned = planned
        self._run = 0
        self._run_by_case: Counter[str] = Counter()
        self._names: dict[str, None] = {}
        self._cases: dict[str, int] = {}
        """Case, then its number."""
        self._columns: dict[str, _Column] = {}
        self._missing: Counter[tuple[str, str]] = Counter()
        """How often a measure had no value, by measure and cause."""
        self._held: dict[int, Score] = {}
        """Scores by their identity, which is theirs alone while they are held here."""
        self._waiting: dict[str, Counter[int]] = {}
        """Case, then how often each held score came: most trials share theirs."""
        self.kinds = Kinds()
        """What the measures are; the same object for all configurations that are shown together."""

    @override
    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs, where identities are other ones."""
        self._settle()
        return self.__dict__

    @property
    def run(self) -> int:
        """How many trials were taken in."""
        return self._run

    @property
    def names(self) -> tuple[str, ...]:
        """Every measure that was seen, in the order of first sight."""
        return tuple(self._names)

    def add(self, case_id: str, scores: Iterable[Score]) -> None:
        """Take in all scores of one trial."""
        self._run += 1
        self._run_by_case[case_id] += 1
        every = tuple(scores)
        identities = list(map(id, every))
        fresh = set(identities).difference(self._held)
        if fresh:
            for score in every:
                if id(score) in fresh:
                    self._held[id(score)] = score
                    self._names.setdefault(score.name)
                    if score.status == "scored":
                        self.kinds.add(score)
        self._waiting.setdefault(case_id, Counter()).update(identities)
        if len(self._held) > MOST_HELD or len(self._waiting) > MOST_WAITING:
            self._settle()

    def run_of(self, case_id: str) -> int:
        """Return how many trials of a case were taken in."""
        return self._run_by_case[case_id]

    def leave_out(self, names: Iterable[str], trials: int) -> None:
        """Take in that measures do not apply to some planned trials that did not run."""
        for name in names:
            self._missing[name, "not_applicable"] += trials

    def merge(self, other: Tally) -> None:
        """Take in all trials that `other` took in."""
        self._settle()
        other._settle()
        self._run += other._run
        self._run_by_case.update(other._run_by_case)
        self.kinds.merge(other.kinds)
        self._names.update(other._names)
        self._missing.update(other._missing)
        numbers = np.array([self._number(case_id) for case_id in other._cases], np.intp)
        for name, column in other._columns.items():
            (scored,) = column.rows[2].nonzero()
            self._column(name).add(numbers[scored], column.rows[:, scored])

    def measure(self, name: str) -> Measure:
        """Return what a measure is."""
        return self.kinds.of(name)

    def _column(self, name: str) -> _Column:
        if name not in self._columns:
            self._columns[name] = _Column()
        return self._columns[name]

    def _number(self, case_id: str) -> int:
        return self._cases.setdefault(case_id, len(self._cases))

    def _settle(self) -> None:
        """Add up the scores that were only counted so far."""
        waiting, self._waiting = self._waiting, {}
        held, self._held = self._held, {}
        place = {identity: number for number, identity in enumerate(held)}
        places = np.array([place[one] for case in waiting.values() for one in case], np.intp)
        counts = np.array([count for case in waiting.values() for count in case.values()], float)
        cases = np.repeat(np.arange(len(waiting)), [len(case) for case in waiting.values()])
        for score, count in zip(held.values(), np.bincount(places, counts, len(held)), strict=True):
            if score.status == "unscored":
                self._missing[score.name, score.cause] += int(count)
        numbers = np.array([self._number(case_id) for case_id in waiting], np.intp)
        names, sums = _sums(list(held.values()), places, counts, cases, len(waiting))
        for name, rows in zip(names, sums, strict=True):
            (scored,) = rows[2].nonzero()
            self._column(name).add(numbers[scored], rows[:, scored])

    def by_case(self, name: str) -> dict[str, CaseSum]:
        """Return what each case contributes, for clustered errors and paired tests."""
        self._settle()
        if name not in self._columns:
            return {}
        rows = zip(self._cases, self._columns[name].rows.T.tolist(), strict=False)
        return {case_id: CaseSum(row[0], row[1], int(row[2])) for case_id, row in rows if row[2]}

    def summary(self, name: str) -> Summary:
        """Return the summary of one measure; of one never seen, an empty one."""
        self._settle()
        cases = self.by_case(name).values()
        total = math.fsum(case.total for case in cases)
        weight = math.fsum(case.weight for case in cases)
        count = sum(case.n for case in cases)
        causes = {cause: self._missing[name, cause] for cause in CAUSES}
        not_applicable = causes["not_applicable"]
        if is_occasional(name):
            not_applicable += self._run - count - sum(causes.values())
        applicable = self._planned - not_applicable
        worst = self.kinds.worst(name) if weight == count else None
        return Summary(
            name=name,
            planned=self._planned,
            run=self._run,
            scored=count,
            errors=causes["error"],
            not_applicable=not_applicable,
            undecided=causes["undecided"],
            value=total / weight if weight > 0 else None,
            strict=_strict(total, applicable, count, worst),
            total=total,
            weight=weight,
            unit=self.kinds.of(name).unit,
        )


def _strict(total: float, applicable: int, scored: int, worst: float | None) -> float | None:
    if worst is None or applicable <= 0:
        return None
    return (total + worst * (applicable - scored)) / applicable


def _sums(
    scores: list[Score],
    places: npt.NDArray[np.intp],
    counts: npt.NDArray[np.float64],
    cases: npt.NDArray[np.intp],
    width: int,
) -> tuple[list[str], npt.NDArray[np.float64]]:
    """Return the measures that have values, and for each what every case contributes.

    Args:
        scores: All that came.
        places: Which of them came.
        counts: How often, for each of `places`.
        cases: In which case, for each of `places`.
        width: How many cases there are.
    """
    values = [score if score.status == "scored" else None for score in scores]
    names = list(dict.fromkeys(score.name for score in values if score))
    line = {name: number for number, name in enumerate(names)}
    table = np.array(
        [(line[s.name], s.value * s.weight, s.weight) if s else (-1, 0, 0) for s in values]
    ).reshape(-1, 3)[places]
    is_value = table[:, 0] >= 0
    table, counts = table[is_value], counts[is_value]
    cells = table[:, 0].astype(np.intp) * width + cases[is_value]
    sums = (table[:, 1] * counts, table[:, 2] * counts, counts)
    rows = np.array([np.bincount(cells, each, len(names) * width) for each in sums], np.float64)
    return names, rows.reshape(3, len(names), width).swapaxes(0, 1)
