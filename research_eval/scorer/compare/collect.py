"""Read what a comparison needs of one configuration of a run, in one pass over its journal."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from research_eval.dataset import Case
from research_eval.errors import UsageError
from research_eval.journal import RunFolder
from research_eval.schema import (
    ConfigurationSummary,
    RunRecord,
    Scored,
    TrialKey,
    TrialRecord,
    Unscored,
)
from research_eval.scorer.catalog import DEFAULT_SCORERS
from research_eval.scorer.outcome import gate_outcome
from research_eval.scorer.protocol import Scorer, score_trial
from research_eval.scorer.store import run_cases, stored_scores

__all__ = ["Side", "collect"]

GATE_MEASURES = frozenset({"first_attempt_passed", "final_passed", "retries"})


@dataclass
class Side:
    """One configuration of one run, as far as a comparison looks at it."""

    folder: RunFolder
    manifest: RunRecord
    configuration: ConfigurationSummary
    values: dict[str, dict[tuple[str, int], float]] = field(default_factory=dict)
    """Measure, then case and repetition, then value; without those that have none."""
    weights: dict[str, dict[tuple[str, int], float]] = field(default_factory=dict)
    not_applicable: dict[str, int] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    """Measures that some trial has a value for, or a reason why not."""
    errors: int = 0
    run: int = 0
    misses: int = 0
    """Trials that a request stopped which was never recorded, or that left the recording."""

    @property
    def planned(self) -> int:
        """How many trials this configuration was meant to have."""
        return len(self.manifest.case_ids) * self.manifest.trials

    def coverage(self, measure: str) -> float:
        """Return the share of planned trials with a value, as far as the measure applies."""
        applicable = self.planned - self.not_applicable.get(measure, 0)
        return len(self.values.get(measure, {})) / applicable if applicable > 0 else 1.0

    def by_case(self, measure: str) -> dict[str, list[float]]:
        """Return the values of each case."""
        found: dict[str, list[float]] = {}
        for (case_id, _), value in sorted(self.values.get(measure, {}).items()):
            found.setdefault(case_id, []).append(value)
        return found

    def case_means(self, measure: str) -> dict[str, float]:
        """Return each case's mean, by the weights of shares."""
        totals: dict[str, tuple[float, float]] = {}
        weights = self.weights.get(measure, {})
        for key, value in self.values.get(measure, {}).items():
            total, weight = totals.get(key[0], (0.0, 0.0))
            totals[key[0]] = (total + value * weights[key], weight + weights[key])
        return {case_id: total / weight for case_id, (total, weight) in totals.items() if weight}


def collect(
    folder: RunFolder, configurations: Collection[str] | None, measures: Collection[str]
) -> list[Side]:
    """Return one side for each of `configurations`, in the run's order; `None` takes all.

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
    sides = {name: Side(folder, manifest, known[name]) for name in wanted}
    scorers = (gate_outcome,) if GATE_MEASURES.issuperset(measures) else DEFAULT_SCORERS
    added = {} if GATE_MEASURES.issuperset(measures) else stored_scores(folder, measures)
    cases = run_cases(folder)
    for trial in folder.trials():
        if trial.configuration in sides:
            side = sides[trial.configuration]
            scores = _scores(cases, trial, folder, scorers, measures)
            scores |= {score.name: score for score in added.get(trial.key, ())}
            _add(side, trial.key, trial, scores)
    found = [sides[name] for name in wanted]
    if not any(side.run for side in found):
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


def _add(
    side: Side, key: TrialKey, trial: TrialRecord, scores: Mapping[str, Scored | Unscored]
) -> None:
    side.run += 1
    side.errors += trial.status == "error"
    side.misses += trial.replay.misses + (trial.replay.off_tape > 0)
    place = (key.case_id, key.trial)
    side.seen.update(scores)
    for name, score in scores.items():
        if isinstance(score, Scored):
            side.values.setdefault(name, {})[place] = score.value
            side.weights.setdefault(name, {})[place] = score.weight
        elif score.cause == "not_applicable":
            side.not_applicable[name] = side.not_applicable.get(name, 0) + 1
