"""How a trial ended and what the gate said: first attempt, final answer, retries, violations."""

from collections.abc import Iterator
from functools import lru_cache
from typing import get_args

from research_eval.dataset import Case
from research_eval.schema import (
    AnswerChecked,
    Score,
    TrialRecord,
    TrialStatus,
    ViolationKind,
)
from research_eval.scorer.protocol import Pages, broken, inapplicable, scored, trial_error

__all__ = ["gate_outcome", "trial_status"]

STATUSES: tuple[TrialStatus, ...] = get_args(TrialStatus)
KINDS: tuple[ViolationKind, ...] = get_args(ViolationKind)
PASS_NAMES = ("first_attempt_passed", "final_passed", "retries")


def trial_status(case: Case | None, trial: TrialRecord, pages: Pages) -> tuple[Score, ...]:
    """Say for each way to end a trial whether this one ended so; never unscored."""
    del case, pages
    return _STATUS_SCORES[trial.status]


_STATUS_SCORES: dict[TrialStatus, tuple[Score, ...]] = {
    status: tuple(scored(f"status_{other}", float(other == status)) for other in STATUSES)
    for status in STATUSES
}


def gate_outcome(case: Case | None, trial: TrialRecord, pages: Pages) -> tuple[Score, ...]:
    """Say what the gate made of the attempts; a trial that failed by infrastructure is unscored.

    A trial without any answer (refused, out of turns) has passed nothing, and violated nothing.
    """
    del case, pages
    if error := trial_error(trial):
        names = (*PASS_NAMES, *_violation_names("first"), *_violation_names("final"))
        return tuple(broken(name, error) for name in names)
    attempts = trial.attempts
    return _outcome(
        len(attempts), trial.status == "completed", _kinds(attempts[:1]), _kinds(attempts[-1:])
    )


def _kinds(attempts: tuple[AnswerChecked, ...]) -> frozenset[ViolationKind]:
    return frozenset(v.kind for attempt in attempts for v in attempt.verdict.violations)


@lru_cache(maxsize=1024)
def _outcome(
    attempts: int,
    passed: bool,
    first: frozenset[ViolationKind],
    final: frozenset[ViolationKind],
) -> tuple[Score, ...]:
    """Return the scores; trials that went alike share them."""
    return (
        scored("first_attempt_passed", float(attempts > 0 and not first)),
        scored("final_passed", float(passed)),
        scored("retries", float(max(0, attempts - 1))),
        *_violations("first", first, attempts),
        *_violations("final", final, attempts),
    )


def _violation_names(when: str) -> Iterator[str]:
    return (f"{when}_{kind}" for kind in KINDS)


def _violations(when: str, found: frozenset[ViolationKind], attempts: int) -> Iterator[Score]:
    for kind, name in zip(KINDS, _violation_names(when), strict=True):
        if attempts:
            yield scored(name, float(kind in found))
        else:
            yield inapplicable(name, "no answer was given")
