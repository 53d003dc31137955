"""Trials whose outcome is not the same on both sides, with both answers."""

from collections.abc import Iterable, Sequence

from research_eval.schema import Record, TrialKey
from research_eval.scorer.compare.collect import Side

__all__ = ["Flip", "add_answers", "find_flips"]


class Flip(Record):
    """One trial that ended differently."""

    measure: str
    case_id: str
    trial: int
    """The repetition; 0 where the two sides pair by case alone."""
    base: float
    head: float
    is_worse: bool
    base_answer: str | None = None
    head_answer: str | None = None


def find_flips(base: Side, head: Side, measure: str, *, higher_is_better: bool) -> list[Flip]:
    """Return the repetitions of each case whose values differ, the worse ones first."""
    ours, theirs = base.values.get(measure, {}), head.values.get(measure, {})
    flips = [
        Flip(
            measure=measure,
            case_id=case_id,
            trial=trial,
            base=ours[case_id, trial],
            head=theirs[case_id, trial],
            is_worse=(theirs[case_id, trial] < ours[case_id, trial]) == higher_is_better,
        )
        for case_id, trial in sorted(ours.keys() & theirs.keys())
        if ours[case_id, trial] != theirs[case_id, trial]
    ]
    return sorted(flips, key=lambda flip: not flip.is_worse)


def add_answers(base: Side, head: Side, flips: Sequence[Flip], limit: int) -> list[Flip]:
    """Return the first `limit` flips with the answers of both sides, read from the journals.

    Raises:
        RecordError: If a journal cannot be read.
    """
    shown = flips[:limit]
    if not shown:
        return []
    ours, theirs = _answers(base, shown), _answers(head, shown)
    return [
        flip.model_copy(
            update={
                "base_answer": ours.get((flip.case_id, flip.trial), {}).get(_is_first(flip)),
                "head_answer": theirs.get((flip.case_id, flip.trial), {}).get(_is_first(flip)),
            }
        )
        for flip in shown
    ]


def _is_first(flip: Flip) -> bool:
    """Return whether the measure speaks of the first answer, not of the last."""
    return flip.measure.startswith("first_")


def _answers(side: Side, flips: Iterable[Flip]) -> dict[tuple[str, int], dict[bool, str]]:
    """Return the first (`True`) and the last answer (`False`) of the trials that flipped."""
    name = side.configuration.name
    wanted = {TrialKey(flip.case_id, name, flip.trial) for flip in flips}
    return {
        (trial.case_id, trial.trial): {True: attempts[0].answer, False: attempts[-1].answer}
        for trial in side.folder.trials()
        if trial.key in wanted and (attempts := trial.attempts)
    }
