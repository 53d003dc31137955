"""Trials that are not the same on both sides: flipped, or with a value on one side alone."""

from collections.abc import Iterable, Sequence
from typing import Literal

from research_eval.analysis.side import Place, Side
from research_eval.schema import AnswerChecked, Record, TrialKey
from research_eval.scorer import Measure

__all__ = ["Flip", "Lost", "add_answers", "find_flips", "find_lost", "gained", "worst_loss"]


class Flip(Record):
    """One trial that ended differently."""

    measure: str
    case_id: str
    trial: int
    base: float
    head: float
    is_worse: bool
    base_answer: str | None = None
    head_answer: str | None = None
    base_violations: tuple[str, ...] = ()
    """What the gate found in the answer: the kind of each violation, and its URL where it has one."""
    head_violations: tuple[str, ...] = ()


class Lost(Record):
    """One trial that has a value on the base side and none on the head side."""

    measure: str
    case_id: str
    trial: int
    base: float
    why: Literal["error", "not run", "not planned", "no verdict"]
    """`no verdict`: the trial ended, and its scorer could not tell."""


def find_flips(base: Side, head: Side, measure: Measure) -> list[Flip]:
    """Return the repetitions of each case whose values differ, the worse ones first."""
    ours, theirs = base.values(measure.name), head.values(measure.name)
    is_higher_better = measure.better != "lower"
    flips = [
        Flip(
            measure=measure.name,
            case_id=place[0],
            trial=place[1],
            base=ours[place],
            head=theirs[place],
            is_worse=(theirs[place] < ours[place]) == is_higher_better,
        )
        for place in sorted(ours.keys() & theirs.keys())
        if ours[place] != theirs[place]
    ]
    return sorted(flips, key=lambda flip: not flip.is_worse)


def find_lost(base: Side, head: Side, name: str) -> list[Lost]:
    """Return the trials whose value went, but for those in which there is nothing to measure."""
    ours = base.values(name)
    gone = ours.keys() - head.values(name).keys() - head.not_applicable(name)
    return [
        Lost(
            measure=name,
            case_id=place[0],
            trial=place[1],
            base=ours[place],
            why=_why(head, place),
        )
        for place in sorted(gone)
    ]


def _why(side: Side, place: Place) -> Literal["error", "not run", "not planned", "no verdict"]:
    if place in side.broken:
        return "error"
    if place in side.ran:
        return "no verdict"
    return "not run" if side.plan.has(place) else "not planned"


def gained(base: Side, head: Side, name: str) -> int:
    """Return how many trials have a value on the head side alone, where the base could have one."""
    new = head.values(name).keys() - base.values(name).keys()
    return len(new - base.not_applicable(name))


def worst_loss(base: Side, head: Side, measure: Measure, lost: Iterable[Lost]) -> float:
    """Return the loss of a rate if each lost trial counted as a failure."""
    name, weights = measure.name, base.weights(measure.name)
    values = head.values(name)
    sums = {case: [0.0, 0.0] for case, _ in values}
    for place, weight in head.weights(name).items():
        sums[place[0]][0] += values[place] * weight
        sums[place[0]][1] += weight
    for one in lost:
        part = sums.setdefault(one.case_id, [0.0, 0.0])
        weight = weights[one.case_id, one.trial]
        part[0] += (measure.worst or 0.0) * weight
        part[1] += weight
    ours = base.case_means(name)
    theirs = {case: total / weight for case, (total, weight) in sums.items() if weight}
    shared = ours.keys() & theirs.keys()
    if not shared:
        return 0.0
    change = sum(theirs[case] - ours[case] for case in sorted(shared)) / len(shared)
    return change if measure.better == "lower" else -change


def add_answers(base: Side, head: Side, flips: Sequence[Flip], limit: int) -> list[Flip]:
    """Return the first `limit` flips with the answers and violations of both sides, from the journals.

    Raises:
        RecordError: If a journal cannot be read.
    """
    shown = flips[:limit]
    if not shown:
        return []
    ours, theirs = _answers(base, shown), _answers(head, shown)
    return [
        flip.model_copy(update=_said("base", ours, flip) | _said("head", theirs, flip))
        for flip in shown
    ]


def _said(name: str, answers: "_Answers", flip: Flip) -> dict[str, object]:
    checked = answers.get((flip.case_id, flip.trial), {}).get(_is_first(flip))
    if checked is None:
        return {}
    found = tuple(" ".join(filter(None, (v.kind, v.url))) for v in checked.verdict.violations)
    return {f"{name}_answer": checked.answer, f"{name}_violations": found}


def _is_first(flip: Flip) -> bool:
    """Return whether the measure speaks of the first answer, not of the last."""
    return flip.measure.startswith("first_")


_Answers = dict[Place, dict[bool, AnswerChecked]]


def _answers(side: Side, flips: Iterable[Flip]) -> _Answers:
    """Return the first (`True`) and the last answer (`False`) of the trials that flipped."""
    name = side.configuration.name
    wanted = {TrialKey(flip.case_id, name, flip.trial) for flip in flips}
    records = side.run.folder.trials() if side.run.folder else ()
    return {
        (trial.case_id, trial.trial): {True: attempts[0], False: attempts[-1]}
        for trial in records
        if trial.key in wanted and (attempts := trial.attempts)
    }
