"""What a rejected answer turned into after the corrective, and what that took."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise

from research_eval.dataset import Case
from research_eval.gate.kind import is_harness_alone
from research_eval.schema import (
    AnswerChecked,
    ModelCalled,
    Score,
    ToolCalled,
    TrialRecord,
    Unscored,
)
from research_eval.scorer.measure import Better, Measure, declares
from research_eval.scorer.protocol import Pages, broken, inapplicable, scored, trial_error
from research_eval.scorer.repair_outcome import REPAIR_OUTCOMES, Step, repair_outcomes, steps

__all__ = ["repair_outcome", "repair_rate"]

ROUNDS = (1, 2)
"""Retries after which the repair rate is reported; two are the agent's default."""
REJECTED = "trials whose first answer was rejected"
RATE_MEASURES = (
    Measure("repaired", "yes_no", "higher", "repair",
        "Trials that passed in the end, of those whose first answer was rejected.",
        applies=REJECTED, headline=True),
    *(Measure(f"repaired_by_{n}", "yes_no", "higher", f"by retry {n}",
        f"Rejected first answers that passed by retry {n}.", "repair-rate", REJECTED)
      for n in ROUNDS),
)  # fmt: skip
RATES = tuple(measure.name for measure in RATE_MEASURES)
SENT = "trials in which a corrective was sent"
_OUTCOMES: tuple[tuple[str, Better, str, str], ...] = (
    ("refetched", "higher", "refetched", "The URL was opened and stayed cited."),
    ("replaced", "higher", "replaced", "Another opened page is cited in its place."),
    ("claim_removed", "neither", "claim removed", "The claim went with its citation."),
    ("citation_stripped", "lower", "stripped", "The claim stayed and lost its citation."),
    ("relabelled", "lower", "relabelled", "The same page is cited under another spelling."),
    ("swapped", "lower", "swapped", "Another URL, not opened either, took its place."),
    ("unchanged", "lower", "unchanged", "Claim and citation stayed."),
    ("gave_up", "neither", "gave up", "No answer followed."),
)
OUTCOME_MEASURES = (
    *(Measure(f"repair_{outcome}", "share", better, heading, meaning, "repair-outcome", SENT)
      for outcome, better, heading, meaning in _OUTCOMES),
    Measure("over_correction", "share", "lower", "over-correction",
        "Valid citations that the last answer lost.", "repair-outcome", SENT),
    Measure("new_violations", "share", "lower", "new violations",
        "Later violations that the attempt before did not have.",
        applies="trials with a violation after the first attempt"),
    Measure("repair_turns", "count", "lower", "repair turns",
        "Model calls after the first verdict.", applies=REJECTED),
    Measure("repair_tool_calls", "count", "lower", "repair tool calls",
        "Tool calls after the first verdict.", applies=REJECTED),
    Measure("repair_tokens", "count", "lower", "repair tokens",
        "Tokens after the first verdict.", applies=REJECTED),
    Measure("repair_seconds", "seconds", "lower", "repair seconds",
        "Virtual seconds from the first verdict to the last.", applies=REJECTED),
)  # fmt: skip
OUTCOME_NAMES = tuple(measure.name for measure in OUTCOME_MEASURES)


@declares(*RATE_MEASURES)
def repair_rate(case: Case | None, trial: TrialRecord, pages: Pages) -> tuple[Score, ...]:
    """Say whether a rejected first answer was repaired, and within how many retries."""
    del case, pages
    attempts = trial.attempts
    if (missing := _missing(trial, attempts)) is not None:
        return _unscored(RATES, *missing)
    return _rates(tuple(i for i, attempt in enumerate(attempts) if attempt.verdict.passed))


@lru_cache(maxsize=256)
def _rates(passed_at: tuple[int, ...]) -> tuple[Score, ...]:
    return (
        scored("repaired", float(bool(passed_at))),
        *(scored(f"repaired_by_{n}", float(any(i <= n for i in passed_at))) for n in ROUNDS),
    )


@declares(*OUTCOME_MEASURES, default=False)
def repair_outcome(case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
    """Say how violating claims were dealt with, what was lost or added by it, and at what cost."""
    del case, pages
    if (missing := _missing(trial, trial.attempts)) is not None:
        yield from _unscored(OUTCOME_NAMES, *missing)
        return
    attempts = steps(trial)
    counts = repair_outcomes(trial, attempts)
    total = counts.total()
    for name in REPAIR_OUTCOMES:
        yield _share(f"repair_{name}", counts[name], total, "no corrective was sent")
    yield _over_correction(attempts)
    yield _new_violations(attempts)
    yield from _costs(trial)


def _missing(
    trial: TrialRecord, attempts: tuple[AnswerChecked, ...]
) -> tuple[Callable[[str, str], Score], str] | None:
    """Return what to say, and why, where there was nothing to repair; `None` if there was.

    Where the first attempt passed there was nothing, whatever broke afterwards.
    """
    if attempts and attempts[0].verdict.passed:
        return inapplicable, "the first attempt passed"
    if error := trial_error(trial):
        return broken, error
    if attempts and is_harness_alone(attempts[0].verdict):
        return broken, "blocked by the SSRF guard"
    return None if attempts else (inapplicable, "no answer was given")


@lru_cache(maxsize=256)
def _unscored(
    names: tuple[str, ...], say: Callable[[str, str], Score], reason: str
) -> tuple[Score, ...]:
    return tuple(say(name, reason) for name in names)


def _share(name: str, count: int, of: int, otherwise: str) -> Score:
    if of == 0:
        return inapplicable(name, otherwise)
    return scored(name, count / of, float(of))


def _over_correction(attempts: list[Step]) -> Score:
    """Give the share of the first answer's valid citations that the last one lost."""
    name = "over_correction"
    first, last = attempts[0], attempts[-1]
    valid = [k for k, keys in first.cited.items() if not first.opened.isdisjoint(keys)]
    if len(attempts) == 1:
        return inapplicable(name, "there was no retry")
    lost = sum(key not in last.cited for key in valid)
    return _share(name, lost, len(valid), "the first answer had no valid citation")


def _new_violations(attempts: list[Step]) -> Score:
    """Give the share of later violations that the attempt before did not have."""
    found = [_violating(step.attempt) for step in attempts]
    later = sum(map(len, found[1:]))
    new = sum(len(after - before) for before, after in pairwise(found))
    return _share("new_violations", new, later, "no later attempt violates anything")


def _violating(attempt: AnswerChecked) -> set[str]:
    return {f"{v.kind} {v.key or v.url or ''}" for v in attempt.verdict.violations}


def _costs(trial: TrialRecord) -> Iterator[Score]:
    """Count what was spent between the first verdict and the last."""
    first = trial.transcript.index(trial.attempts[0])
    later = trial.transcript[first + 1 :]
    calls = [event for event in later if type(event) is ModelCalled]
    tokens = sum(call.usage.input_tokens + call.usage.output_tokens for call in calls)
    tools = sum(type(event) is ToolCalled for event in later)
    yield scored("repair_turns", float(len(calls)))
    yield scored("repair_tool_calls", float(tools))
    if unmeasured := sum(call.usage.unmeasured_requests for call in calls):
        reason = f"{unmeasured} replies came without usage"
        yield Unscored(name="repair_tokens", reason=reason)
    else:
        yield scored("repair_tokens", float(tokens))
    start, end = trial.attempts[0].at_s, trial.attempts[-1].at_s
    if start is None or end is None:
        reason = "the clock was real"
        yield inapplicable("repair_seconds", reason)
    else:
        yield scored("repair_seconds", round(end - start, 6))
