"""Trials that have a value on one side alone, and what the lost ones cost at worst."""

import math
from typing import Literal

from research_eval.schema import Record
from research_eval.scorer.compare.collect import Place, Side

__all__ = ["Lost", "find_lost", "gained", "worst_loss"]

Reason = Literal["error", "not run", "not planned", "no verdict"]


class Lost(Record):
    """One trial that has a value on the base side and none on the head side."""

    measure: str
    case_id: str
    trial: int
    base: float
    why: Reason
    """`no verdict`: the trial ended, and its scorer could not tell."""


def find_lost(base: Side, head: Side, measure: str) -> list[Lost]:
    """Return the trials whose value went, but for those in which there is nothing to measure."""
    ours = base.values.get(measure, {})
    gone = ours.keys() - head.values.get(measure, {}).keys()
    return [
        Lost(
            measure=measure,
            case_id=place[0],
            trial=place[1],
            base=ours[place],
            why=_why(head, place),
        )
        for place in sorted(gone - head.not_applicable.get(measure, set()))
    ]


def _why(side: Side, place: Place) -> Reason:
    if place in side.broken:
        return "error"
    if place in side.ran:
        return "no verdict"
    return "not run" if side.plan.has(place) else "not planned"


def gained(base: Side, head: Side, measure: str) -> int:
    """Return how many trials have a value on the head side alone, where the base could have one."""
    new = head.values.get(measure, {}).keys() - base.values.get(measure, {}).keys()
    return len(new - base.not_applicable.get(measure, set()))


def worst_loss(base: Side, head: Side, measure: str, *, higher_is_better: bool) -> float:
    """Return how much of a rate is lost at most: as if each lost trial had fared as ill as can be."""
    ours, weights = base.case_means(measure), base.weights[measure]
    worst = 0.0 if higher_is_better else 1.0
    sums = head.case_sums(measure)
    for one in find_lost(base, head, measure):
        total, weight = sums.get(one.case_id, (0.0, 0.0))
        own = weights[one.case_id, one.trial]
        sums[one.case_id] = (total + worst * own, weight + own)
    theirs = {case_id: total / weight for case_id, (total, weight) in sums.items() if weight}
    shared = sorted(ours.keys() & theirs.keys())
    if not shared:
        return 0.0
    change = math.fsum(theirs[c] - ours[c] for c in shared) / len(shared)
    return -change if higher_is_better else change
