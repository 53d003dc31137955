"""Scores of many trials in, one summary for each measure out; memory grows with cases, not trials."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from research_eval.schema import Score, Scored
from research_eval.stats import Interval, wilson

__all__ = ["CaseSum", "Summary", "Tally"]


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
        if self.weight <= 0 or not 0 <= self.total <= self.weight:
            return None
        return wilson(self.total, round(self.weight))


@dataclass
class _Counts:
    errors: int = 0
    not_applicable: int = 0
    undecided: int = 0
    scored: int = 0
    cases: dict[str, list[float]] = field(default_factory=dict)
    """Total, weight and number of scores of each case; a list, since it grows with each trial."""


class Tally:
    """Adds up the scores of one configuration."""

    def __init__(self, planned: int) -> None:
        self._planned = planned
        self._run = 0
        self._measures: dict[str, _Counts] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Every measure that was seen, in the order of first sight."""
        return tuple(self._measures)

    def add(self, case_id: str, scores: Iterable[Score]) -> None:
        """Take in all scores of one trial."""
        self._run += 1
        measures = self._measures
        for score in scores:
            counts = measures.get(score.name)
            if counts is None:
                counts = measures[score.name] = _Counts()
            if isinstance(score, Scored):
                counts.scored += 1
                case = counts.cases.get(case_id)
                if case is None:
                    case = counts.cases[case_id] = [0.0, 0.0, 0]
                case[0] += score.value * score.weight
                case[1] += score.weight
                case[2] += 1
            elif score.cause == "error":
                counts.errors += 1
            elif score.cause == "not_applicable":
                counts.not_applicable += 1
            else:
                counts.undecided += 1

    def by_case(self, name: str) -> dict[str, CaseSum]:
        """Return what each case contributes, for clustered errors and paired tests."""
        counts = self._measures.get(name)
        cases = counts.cases if counts else {}
        return {case: CaseSum(total, weight, int(n)) for case, (total, weight, n) in cases.items()}

    def summary(self, name: str) -> Summary:
        """Return the summary of one measure; of one never seen, an empty one."""
        counts = self._measures.get(name, _Counts())
        total = math.fsum(case[0] for case in counts.cases.values())
        weight = math.fsum(case[1] for case in counts.cases.values())
        applicable = self._planned - counts.not_applicable
        per_trial = weight == counts.scored
        return Summary(
            name=name,
            planned=self._planned,
            run=self._run,
            scored=counts.scored,
            errors=counts.errors,
            not_applicable=counts.not_applicable,
            undecided=counts.undecided,
            value=total / weight if weight > 0 else None,
            strict=total / applicable if applicable > 0 and per_trial else None,
            total=total,
            weight=weight,
        )
