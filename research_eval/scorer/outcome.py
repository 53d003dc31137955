"""How a trial ended and what the gate said: first attempt, final answer, retries, violations."""

from collections.abc import Iterator
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


def trial_status(case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
    """Say for each way to end a trial whether this one ended so; never unscored."""
    del case, pages
    for status in STATUSES:
        yield scored(f"status_{status}", float(trial.status == status))


def gate_outcome(case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
    """Say what the gate made of the attempts; a trial that failed by infrastructure is unscored.

    A trial without any answer (refused, out of turns) has passed nothing, and violated nothing.
    """
    del case, pages
    attempts = trial.attempts
    if error := trial_error(trial):
        names = (*PASS_NAMES, *_violation_names("first"), *_violation_names("final"))
        yield from (broken(name, error) for name in names)
        return
    yield scored("first_attempt_passed", float(bool(attempts) and _passed(attempts[0])))
    yield scored("final_passed", float(trial.status == "completed"))
    yield scored("retries", float(max(0, len(attempts) - 1)))
    yield from _violations("first", attempts[:1])
    yield from _violations("final", attempts[-1:])


def _passed(attempt: AnswerChecked) -> bool:
    return attempt.verdict.passed


def _violation_names(when: str) -> Iterator[str]:
    return (f"{when}_{kind}" for kind in KINDS)


def _violations(when: str, attempts: tuple[AnswerChecked, ...]) -> Iterator[Score]:
    found = {violation.kind for attempt in attempts for violation in attempt.verdict.violations}
    for kind in KINDS:
        name = f"{when}_{kind}"
        if attempts:
            yield scored(name, float(kind in found))
        else:
            yield inapplicable(name, "no answer was given")
