"""Read what a comparison needs of one configuration of a run, in one pass over its journal."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from research_eval.dataset import Case
from research_eval.errors import UsageError
from research_eval.journal import RunFolder
from research_eval.schema import (
    ConfigurationSummary,
    RunRecord,
    Score,
    Scored,
    TrialRecord,
    Unscored,
)
from research_eval.scorer.catalog import DEFAULT_SCORERS
from research_eval.scorer.efficiency import at_prices_of
from research_eval.scorer.measure import Kinds
from research_eval.scorer.outcome import gate_outcome
from research_eval.scorer.protocol import Scorer, score_trial
from research_eval.scorer.store import run_cases, stored_scores

__all__ = ["Place", "Plan", "Side", "collect"]

GATE_MEASURES = frozenset({"first_attempt_passed", "final_passed", "retries"})

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


@dataclass
class Side:
    """One configuration of one run, as far as a comparison looks at it."""

    folder: RunFolder
    manifest: RunRecord
    configuration: ConfigurationSummary
    plan: Plan
    values: dict[str, dict[Place, float]] = field(default_factory=dict)
    """Measure, then case and repetition, then value; without those that have none."""
    weights: dict[str, dict[Place, float]] = field(default_factory=dict)
    not_applicable: dict[str, set[Place]] = field(default_factory=dict)
    """Measure, then the trials in which there was nothing to measure."""
    seen: set[str] = field(default_factory=set)
    """Measures that some trial has a value for, or a reason why not."""
    kinds: Kinds = field(default_factory=Kinds)
    broken: set[Place] = field(default_factory=set)
    """Trials that ended in an error."""
    ran: set[Place] = field(default_factory=set)
    strays: int = 0
    """Trials that went on after a request that was never recorded; one that it stopped is broken."""

    @property
    def name(self) -> str:
        """The run and the configuration, for people."""
        return f"{self.folder.path}: {self.configuration.name}"

    def coverage(self, measure: str) -> float:
        """Return the share of the trials planned here with a value, as far as the measure applies."""
        applicable = self.plan.size - len(self.not_applicable.get(measure, ()))
        return len(self.values.get(measure, ())) / applicable if applicable > 0 else 1.0

    def by_case(self, measure: str) -> dict[str, list[float]]:
        """Return the values of each case."""
        found: dict[str, list[float]] = {}
        for (case_id, _), value in sorted(self.values.get(measure, {}).items()):
            found.setdefault(case_id, []).append(value)
        return found

    def case_sums(self, measure: str) -> dict[str, tuple[float, float]]:
        """Return each case's sum of values, by the weights of shares, and its sum of weights."""
        totals: dict[str, tuple[float, float]] = {}
        weights = self.weights.get(measure, {})
        for key, value in self.values.get(measure, {}).items():
            total, weight = totals.get(key[0], (0.0, 0.0))
            totals[key[0]] = (total + value * weights[key], weight + weights[key])
        return totals

    def case_means(self, measure: str) -> dict[str, float]:
        """Return each case's mean, by the weights of shares."""
        sums = self.case_sums(measure).items()
        return {case_id: total / weight for case_id, (total, weight) in sums if weight}

    def add(self, place: Place, scores: Iterable[Score], *, is_broken: bool) -> None:
        """Take in one trial that ran."""
        self.ran.add(place)
        if is_broken:
            self.broken.add(place)
        for score in scores:
            self.seen.add(score.name)
            if isinstance(score, Scored):
                self.kinds.add(score)
                self.values.setdefault(score.name, {})[place] = score.value
                self.weights.setdefault(score.name, {})[place] = score.weight
            elif score.cause == "not_applicable":
                self.not_applicable.setdefault(score.name, set()).add(place)


def collect(
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
    manifest = folder.manifest()
    known = {c.name: c for c in manifest.configurations}
    for name in configurations or ():
        if name not in known:
            raise UsageError(f"{folder.path}: no configuration {name!r}; known: {', '.join(known)}")
    wanted = [n for n in known if configurations is None or n in configurations]
    plan = plan or Plan.of(manifest)
    sides = {name: Side(folder, manifest, known[name], plan) for name in wanted}
    usual = (gate_outcome,) if GATE_MEASURES.issuperset(measures) else DEFAULT_SCORERS
    scorers = at_prices_of(manifest, usual)
    added = {} if GATE_MEASURES.issuperset(measures) else stored_scores(folder, measures)
    cases = run_cases(folder)
    for trial in folder.trials():
        side = sides.get(trial.configuration)
        place = (trial.case_id, trial.trial)
        if side is None or not plan.has(place):
            continue
        scores = _scores(cases, trial, folder, scorers, measures)
        scores |= {score.name: score for score in added.get(trial.key, ())}
        is_broken = trial.status == "error"
        side.strays += not is_broken and trial.replay.misses + trial.replay.off_tape > 0
        side.add(place, scores.values(), is_broken=is_broken)
    found = [sides[name] for name in wanted]
    if not any(side.ran for side in found):
        what = f" of {', '.join(wanted)}" if configurations else ""
        raise UsageError(f"{folder.trials_path}: no trial{what}, so that nothing can be compared")
    _check_measures(folder, found, measures)
    return found


def _check_measures(folder: RunFolder, sides: Iterable[Side], measures: Iterable[str]) -> None:
    """Refuse a measure that no trial has, which is misspelled or was never scored.

    Raises:
        UsageError: If there is one.
    """
    seen = set().union(*(side.seen for side in sides))
    for name in measures:
        if name not in seen:
            raise UsageError(
                f"{folder.path}: no trial has the measure {name!r}; default scorers and scores "
                "added with research-eval score are looked through"
            )


def _scores(
    cases: Mapping[str, Case],
    trial: TrialRecord,
    folder: RunFolder,
    scorers: Iterable[Scorer],
    measures: Collection[str],
) -> dict[str, Scored | Unscored]:
    found = score_trial(cases.get(trial.case_id), trial, folder.page, scorers)
    return {score.name: score for score in found if score.name in measures}
