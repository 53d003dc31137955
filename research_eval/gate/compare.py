"""Compare two gates on a finished run: its trial records in, the attempts judged differently out.

Each attempt is judged against the ledger as it stood then, rebuilt from the transcript alone.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple
from xml.etree import ElementTree as ET

from research_eval.gate.protocol import Gate
from research_eval.ledger import SourceRegistry
from research_eval.schema import (
    AnswerChecked,
    Fetched,
    Record,
    Searched,
    TrialRecord,
    Verdict,
)

__all__ = ["Change", "Flip", "Judgement", "judge_trials", "junit_report"]

Change = Literal["passed_to_blocked", "blocked_to_passed", "other_violations"]
"""How two verdicts differ; `other_violations`: both reject, for other reasons."""

_UNPRINTABLE = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

MAX_NAMED = 3
"""Violations beyond this many are counted in a reason, not named."""


class Flip(Record):
    """One attempt on which two gates disagree."""

    case_id: str
    configuration: str
    trial: int
    attempt: int
    change: Change
    reason: str
    """What the gate that rejects says, or what both say."""

    @property
    def place(self) -> str:
        """Where it is and what changed, as one line of an `--expect` file."""
        return f"{self.case_id} {self.configuration} {self.trial} {self.attempt} {self.change}"


class Judgement(NamedTuple):
    """One attempt, judged by both gates."""

    trial: TrialRecord
    attempt: int
    flip: Flip | None


def judge_trials(trials: Iterable[TrialRecord], base: Gate, head: Gate) -> Iterator[Judgement]:
    """Yield every attempt of `trials`, judged by both gates."""
    for trial in trials:
        ledger = SourceRegistry()
        for event in trial.transcript:
            if isinstance(event, Searched):
                for hit in event.hits:
                    ledger.add_hit(hit)
            elif isinstance(event, Fetched):
                ledger.add_page(event, None)
            elif isinstance(event, AnswerChecked):
                before = base.check(event.answer, ledger)
                after = head.check(event.answer, ledger)
                yield Judgement(trial, event.attempt, _flip(trial, event.attempt, before, after))


def _flip(trial: TrialRecord, attempt: int, before: Verdict, after: Verdict) -> Flip | None:
    if before.passed and after.passed:
        return None
    change: Change = "other_violations"
    if before.passed != after.passed:
        change = "passed_to_blocked" if before.passed else "blocked_to_passed"
    elif _reasons(before) == _reasons(after):
        return None
    if change == "other_violations":
        reason = f"{_named(before)}; now {_named(after)}"
    else:
        reason = _named(after if before.passed else before)
    return Flip(
        case_id=trial.case_id,
        configuration=trial.configuration,
        trial=trial.trial,
        attempt=attempt,
        change=change,
        reason=reason,
    )


def _reasons(verdict: Verdict) -> list[str]:
    return sorted(f"{one.kind} {one.url or ''}" for one in verdict.violations)


def _named(verdict: Verdict) -> str:
    named = [f"{one.kind} {one.url}" if one.url else one.kind for one in verdict.violations]
    left = len(named) - MAX_NAMED
    return ", ".join(named[:MAX_NAMED]) + (f" and {left} more" if left > 0 else "")


def junit_report(judgements: Iterable[Judgement], expected: frozenset[str]) -> bytes:
    """Return JUnit XML with one test for each attempt; an unexpected flip is a failure."""
    suite = ET.Element("testsuite", name="gate compare")
    tests = failures = 0
    for judgement in judgements:
        tests += 1
        trial, flip = judgement.trial, judgement.flip
        name = f"{trial.case_id} trial {trial.trial} attempt {judgement.attempt}"
        case = ET.SubElement(suite, "testcase", classname=trial.configuration, name=name)
        if flip is None or flip.change == "other_violations":
            continue
        if flip.place in expected:
            ET.SubElement(case, "system-out").text = f"expected: {flip.change}"
        else:
            failures += 1
            message = _UNPRINTABLE.sub("\ufffd", f"{flip.change}: {flip.reason}")
            ET.SubElement(case, "failure", type=flip.change, message=message)
    suite.set("tests", str(tests))
    suite.set("failures", str(failures))
    body: bytes = ET.tostring(suite, "utf-8")
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + body
