"""Scores of many trials in, one summary for each measure out; memory grows with cases, not trials."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from typing_extensions import override

from research_eval.schema import Score
from research_eval.scorer.measure import measure
from research_eval.stats import Interval, wilson

__all__ = ["CaseSum", "Summary", "Tally"]


MOST_HELD = 20_000
"""Different scores that are held before they are added up."""


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
    """Trials in which there was nothing to measure; no part of any denominator."""
    undecided: int
    """Trials on which the scorer reached no verdict."""
    value: float | None
    """The conditional mean: over the scored trials, or over their citations."""
    strict: float | None
    """The same total over all planned trials to which the measure applies."""
    total: float
    """Sum of the values, each times its weight."""
    weight: float
    """Sum of the weights: the denominator of `value`."""

    @property
    def coverage(self) -> float:
        """The share of the planned trials, as far as the measure applies, that were scored."""
        applicable = self.planned - self.not_applicable
        return self.scored / applicable if applicable > 0 else 1.0

    @property
    def wilson(self) -> Interval | None:
        """The Wilson interval; `None` if the measure is no proportion, or nothing was scored."""
        n = round(self.weight)
        if n == 0 or measure(self.name).unit not in {"yes_no", "share"}:
            return None
        return wilson(min(max(self.total, 0.0), n), n)


class _Column:
    """What every case contributes to one measure, in arrays by the case's number."""

    def __init__(self) -> None:
        self._totals, self._weights, self._counts = array("d"), array("d"), array("I")

    def add(self, case: int, total: float, weight: float, count: int) -> None:
        """Add to what a case contributes."""
        if (missing := case + 1 - len(self._counts)) > 0:
            for cells in (self._totals, self._weights, self._counts):
                cells.frombytes(bytes(missing * cells.itemsize))
        self._totals[case] += total
        self._weights[case] += weight
        self._counts[case] += count

    def sums(self) -> Iterator[tuple[int, CaseSum]]:
        """Yield the number of each case with a score, and what it contributes."""
        rows = zip(self._totals, self._weights, self._counts, strict=True)
        return ((case, CaseSum(*row)) for case, row in enumerate(rows) if row[2])


class Tally:
    """Adds up the scores of one configuration."""

    def __init__(self, planned: int) -> None:
        self._planned = planned
        self._run = 0
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
        every = tuple(scores)
        identities = list(map(id, every))
        fresh = set(identities).difference(self._held)
        if fresh:
            for score in every:
                if id(score) in fresh:
                    self._held[id(score)] = score
                    self._names.setdefault(score.name)
        self._waiting.setdefault(case_id, Counter()).update(identities)
        if len(self._held) > MOST_HELD:
            self._settle()

    def merge(self, other: Tally) -> None:
        """Take in all trials that `other` took in."""
        self._settle()
        other._settle()
        self._run += other._run
        self._names.update(other._names)
        self._missing.update(other._missing)
        numbers = [self._number(case_id) for case_id in other._cases]
        for name, column in other._columns.items():
            own = self._columns.setdefault(name, _Column())
            for case, row in column.sums():
                own.add(numbers[case], *row)

    def _number(self, case_id: str) -> int:
        return self._cases.setdefault(case_id, len(self._cases))

    def _settle(self) -> None:
        """Add up the scores that were only counted so far."""
        for case_id, waiting in self._waiting.items():
            case = self._number(case_id)
            for identity, count in waiting.items():
                score = self._held[identity]
                if score.status == "unscored":
                    self._missing[score.name, score.cause] += count
                    continue
                column = self._columns.setdefault(score.name, _Column())
                column.add(case, score.value * score.weight * count, score.weight * count, count)
        self._waiting.clear()
        self._held.clear()

    def by_case(self, name: str) -> dict[str, CaseSum]:
        """Return what each case contributes, for clustered errors and paired tests."""
        self._settle()
        if name not in self._columns:
            return {}
        ids = list(self._cases)
        return {ids[case]: row for case, row in self._columns[name].sums()}

    def summary(self, name: str) -> Summary:
        """Return the summary of one measure; of one never seen, an empty one."""
        self._settle()
        cases = self.by_case(name).values()
        total = math.fsum(case.total for case in cases)
        weight = math.fsum(case.weight for case in cases)
        count = sum(case.n for case in cases)
        not_applicable = self._missing[name, "not_applicable"]
        applicable = self._planned - not_applicable
        per_trial = weight == count
        return Summary(
            name=name,
            planned=self._planned,
            run=self._run,
            scored=count,
            errors=self._missing[name, "error"],
            not_applicable=not_applicable,
            undecided=self._missing[name, "undecided"],
            value=total / weight if weight > 0 else None,
            strict=total / applicable if applicable > 0 and per_trial else None,
            total=total,
            weight=weight,
        )
