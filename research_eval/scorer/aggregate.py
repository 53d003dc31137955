"""Scores of many trials in, one summary for each measure out; memory grows with cases, not trials."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

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


class Tally:
    """Adds up the scores of one configuration."""

    def __init__(self, planned: int) -> None:
        self._planned = planned
        self._run = 0
        self._names: dict[str, None] = {}
        self._cases: dict[str, dict[str, list[float]]] = {}
        """Case, then measure: total, weight and number of scores, which grow with each trial."""
        self._missing: Counter[tuple[str, str]] = Counter()
        """How often a measure had no value, by measure and cause."""
        self._held: dict[int, Score] = {}
        """Scores by their identity, which is theirs alone while they are held here."""
        self._waiting: dict[str, Counter[int]] = {}
        """Case, then how often each held score came: most trials share theirs."""

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

    def _settle(self) -> None:
        """Add up the scores that were only counted so far."""
        for case_id, waiting in self._waiting.items():
            rows = self._cases.setdefault(case_id, {})
            for identity, count in waiting.items():
                score = self._held[identity]
                if score.status == "unscored":
                    self._missing[score.name, score.cause] += count
                    continue
                row = rows.setdefault(score.name, [0.0, 0.0, 0])
                row[0] += score.value * score.weight * count
                row[1] += score.weight * count
                row[2] += count
        self._waiting.clear()
        self._held.clear()

    def by_case(self, name: str) -> dict[str, CaseSum]:
        """Return what each case contributes, for clustered errors and paired tests."""
        self._settle()
        return {
            case_id: CaseSum(rows[name][0], rows[name][1], int(rows[name][2]))
            for case_id, rows in self._cases.items()
            if name in rows
        }

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
