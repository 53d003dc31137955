"""What a rejected answer turned into after the corrective."""

from collections.abc import Iterator

from research_eval.dataset import Case
from research_eval.schema import Score, Scored, TrialRecord, Unscored
from research_eval.scorer.protocol import Pages, trial_error

__all__ = ["repair_rate"]

ROUNDS = (1, 2)
"""Retries after which the repair rate is reported; two are the agent's default."""


def repair_rate(case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
    """Say whether a rejected first answer was repaired, and within how many retries."""
    del case, pages
    names = ("repaired", *(f"repaired_by_{n}" for n in ROUNDS))
    attempts = trial.attempts
    if error := trial_error(trial):
        yield from (Unscored(name=name, reason=error, cause="error") for name in names)
    elif not attempts or attempts[0].verdict.passed:
        reason = "first attempt passed" if attempts else "no answer was given"
        yield from (Unscored(name=n, reason=reason, cause="not_applicable") for n in names)
    else:
        passed_at = [i for i, attempt in enumerate(attempts) if attempt.verdict.passed]
        yield Scored(name="repaired", value=float(bool(passed_at)))
        for n in ROUNDS:
            yield Scored(name=f"repaired_by_{n}", value=float(any(i <= n for i in passed_at)))
