"""One configuration of a scored run, as comparisons, plans and reports look at it."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from research_eval.analysis.scoring import ScoredRun, score_run
from research_eval.analysis.summary import Summary, clusters_of, summarise
from research_eval.errors import UsageError
from research_eval.journal import RunFolder
from research_eval.plugin import RENAMED
from research_eval.schema import ConfigurationSummary, RunRecord
from research_eval.scorer import Measure
from research_eval.stats.interval import CONFIDENCE

__all__ = ["Place", "Plan", "Side", "read_sides", "sides_of"]

Place = tuple[str, int]
"""A case and the repetition of it."""


class Plan(NamedTuple):
    """Which trials a configuration was meant to have."""

    case_ids: frozenset[str]
    trials: int
    """Repetitions of each case."""

    @classmethod
    def of(cls, manifest: RunRecord) -> "Plan":
        """Return what a run planned for each of its configurations."""
        return cls(frozenset(manifest.case_ids), manifest.trials)

    def shared(self, other: "Plan") -> "Plan":
        """Return the trials that both planned."""
        return Plan(self.case_ids & other.case_ids, min(self.trials, other.trials))

    def has(self, place: Place) -> bool:
        """Return whether a trial was planned."""
        return place[0] in self.case_ids and 1 <= place[1] <= self.trials

    @property
    def size(self) -> int:
        """How many trials that is."""
        return len(self.case_ids) * self.trials

    def asked_beside(self, other: "Plan", *, is_paired: bool) -> int:
        """Return how many trials a comparison asks of a side: those that either side planned.

        Args:
            other: What the other side planned.
            is_paired: Whether repetitions of the same number answer each other. Where they do not,
                each side has as many a case as it was planned with.
        """
        cases = self.case_ids | other.case_ids
        if not is_paired:
            return len(cases) * self.trials
        return self.size + other.size - self.shared(other).size


@dataclass(frozen=True)
class Side:
    """One configuration of one run; its numbers are read from the run's table."""

    run: ScoredRun
    configuration: ConfigurationSummary
    plan: Plan

    @property
    def manifest(self) -> RunRecord:
        """What the run says of itself."""
        return self.run.manifest

    @property
    def name(self) -> str:
        """The run and the configuration, for people."""
        return f"{self.run.name}: {self.configuration.name}"

    @cached_property
    def rows(self) -> npt.NDArray[np.intp]:
        """The places of its planned trials in the table."""
        every, places = self.run.table.rows, self.run.table.of(self.configuration.name)
        kept = [p for p in places.tolist() if self.plan.has((every[p].case_id, every[p].trial))]
        return np.array(kept, np.intp)

    @cached_property
    def ran(self) -> frozenset[Place]:
        """The trials that ran."""
        every = self.run.table.rows
        rows = (every[place] for place in self.rows.tolist())
        return frozenset((r.case_id, r.trial) for r in rows if r in self.run.statuses)

    @cached_property
    def broken(self) -> frozenset[Place]:
        """The trials that ended in an error."""
        name, statuses = self.configuration.name, self.run.statuses
        return frozenset(
            (r.case_id, r.trial)
            for r, status in statuses.items()
            if r.configuration == name and status == "error" and (r.case_id, r.trial) in self.ran
        )

    @property
    def strays(self) -> int:
        """How many trials went on after a request that was never recorded."""
        name = self.configuration.name
        return sum(row.configuration == name for row in self.run.strays)

    def measure(self, name: str) -> Measure:
        """Return what a measure is."""
        return self.run.known.of(name)

    def summary(
        self, name: str, level: float = CONFIDENCE, *, planned: int | None = None
    ) -> Summary:
        """Return one measure over all trials; of `planned` ones, where more were asked for."""
        found = summarise(self.run.table, self.measure(name), self.rows, self.run.known, level)
        return found if planned is None else found._replace(planned=planned)

    def values(self, name: str) -> dict[Place, float]:
        """Return the value of each trial that has one."""
        cells = self.run.table.cells(name, self.rows)
        return {(row.case_id, row.trial): value for row, value, _ in cells}

    def weights(self, name: str) -> dict[Place, float]:
        """Return the weight of each value."""
        cells = self.run.table.cells(name, self.rows)
        return {(row.case_id, row.trial): weight for row, _, weight in cells}

    def not_applicable(self, name: str) -> set[Place]:
        """Return the trials in which there was nothing to measure."""
        every, counts = self.run.table.rows, self.run.table.at(name, self.rows).counts
        rows = (every[place] for place in self.rows[counts[2] > 0].tolist())
        return {(row.case_id, row.trial) for row in rows}

    def by_case(self, name: str) -> dict[str, list[float]]:
        """Return the values of each case."""
        found: dict[str, list[float]] = {}
        for (case_id, _), value in sorted(self.values(name).items()):
            found.setdefault(case_id, []).append(value)
        return found

    def case_means(self, name: str) -> dict[str, float]:
        """Return each case's mean, by the weights of shares."""
        found = clusters_of(self.run.table, name, self.rows).items()
        return {case_id: one.total / one.weight for case_id, one in found if one.weight}


def sides_of(run: ScoredRun, plan: Plan | None = None) -> list[Side]:
    """Return one side for each configuration of a scored run, in the run's order."""
    plan = plan or Plan.of(run.manifest)
    return [Side(run, one, plan) for one in run.manifest.configurations]


def read_sides(
    folder: RunFolder,
    configurations: Collection[str] | None,
    measures: Collection[str],
    plan: Plan | None = None,
) -> list[Side]:
    """Return one side for each of `configurations`, in the run's order; `None` takes all.

    Args:
        folder: The run.
        configurations: By name.
        measures: What is looked at.
        plan: The trials that are looked at, where they are not all that the run planned.

    Raises:
        UsageError: If the run has no such configuration, no trial or no such measure.
        RecordError: If the manifest, a trial or an added score cannot be read.
    """
    known = [one.name for one in folder.manifest().configurations]
    for name in configurations or ():
        if name not in known:
            raise UsageError(f"{folder.path}: no configuration {name!r}; known: {', '.join(known)}")
    run = score_run(folder, names=frozenset(measures))
    sides = sides_of(run, plan)
    found = [s for s in sides if configurations is None or s.configuration.name in configurations]
    if not any(side.ran for side in found):
        what = f" of {', '.join(configurations)}" if configurations else ""
        raise UsageError(f"{folder.trials_path}: no trial{what}, so that nothing can be compared")
    _check_measures(run, measures)
    return found


def _check_measures(run: ScoredRun, measures: Iterable[str]) -> None:
    """Refuse a measure that no trial has, which is misspelled or was never scored.

    Raises:
        UsageError: If there is one.
    """
    for name in measures:
        if name in run.table.names:
            continue
        names = [one.name for one in run.known if not one.is_family]
        nearest = get_close_matches(name, names, 1)
        hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
        if name in RENAMED:
            hint = f"; it is called {RENAMED[name]!r} now"
        if name in run.known:
            hint = "; research-eval score RUN adds the scores of all scorers"
        raise UsageError(f"{run.name}: no trial has the measure {name!r}{hint}")
