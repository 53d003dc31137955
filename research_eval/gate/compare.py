"""Compare two gates on a finished run: its trial records in, the attempts judged differently out.

Each attempt is judged against the ledger as it stood then, rebuilt from the transcript alone.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple
from xml.etree import ElementTree as ET

from research_eval.errors import ConfigError
from research_eval.gate.load import load_gate
from research_eval.gate.protocol import Gate
from research_eval.journal.piece import Piece, seldom_collecting
from research_eval.journal.stored import StoredHit, StoredPage, StoredTrial, read_piece, told_by
from research_eval.ledger import SourceRegistry
from research_eval.schema import Record, TrialKey, TrialRecord, Verdict

__all__ = [
    "Change",
    "Flip",
    "Judgement",
    "judge_chunk",
    "judge_stored",
    "judge_trials",
    "junit_case",
    "junit_lines",
    "junit_report",
]

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

    key: TrialKey
    attempt: int
    flip: Flip | None


def judge_trials(trials: Iterable[TrialRecord], base: Gate, head: Gate) -> Iterator[Judgement]:
    """Yield every attempt of `trials`, judged by both gates."""
    for trial in trials:
        yield from judge_stored(told_by(trial), base, head)


def judge_stored(trial: StoredTrial, base: Gate, head: Gate) -> Iterator[Judgement]:
    """Yield every attempt of `trial`, judged by both gates.

    Raises:
        ConfigError: If a gate of the user's own fails.
    """
    ledger = SourceRegistry()
    for step in trial.steps:
        if isinstance(step, StoredHit):
            ledger.add_hit(step)
        elif isinstance(step, StoredPage):
            ledger.add_page(step, None)
        else:
            try:
                before, after = base.check(step.text, ledger), head.check(step.text, ledger)
            except ConfigError as exc:
                where = f"{trial.key.configuration}, trial {trial.key.trial}"
                raise ConfigError(
                    f"{exc} ({trial.key.case_id}, {where}, attempt {step.attempt})"
                ) from exc
            yield Judgement(trial.key, step.attempt, _flip(trial.key, step.attempt, before, after))


def judge_chunk(chunk: Piece, base: str, head: str) -> list[Judgement]:
    """Judge a piece of a run's journal by the gates of these names; any process can do it.

    Raises:
        RecordError: If a line is not a trial record.
        ConfigError: If there is no such gate.
    """
    gates = load_gate(base), load_gate(head)
    with seldom_collecting():
        trials = list(read_piece(chunk))  # first all of one kind of work, then all of the other
        return [one for trial in trials for one in judge_stored(trial, *gates)]


def _flip(key: TrialKey, attempt: int, before: Verdict, after: Verdict) -> Flip | None:
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
        case_id=key.case_id,
        configuration=key.configuration,
        trial=key.trial,
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
    cases = [junit_case(judgement, expected) for judgement in judgements]
    return b"".join(junit_lines(cases, len(cases), sum(b"<failure" in case for case in cases)))


def junit_lines(cases: Iterable[bytes], tests: int, failures: int) -> Iterator[bytes]:
    """Yield JUnit XML piece by piece around the tests of `junit_case`."""
    yield b'<?xml version="1.0" encoding="utf-8"?>\n<testsuite name="gate compare"'
    yield f' tests="{tests}" failures="{failures}">'.encode()
    yield from cases
    yield b"</testsuite>"


def junit_case(judgement: Judgement, expected: frozenset[str]) -> bytes:
    """Return one attempt as a test, on one line; an unexpected flip is a failure."""
    key, flip = judgement.key, judgement.flip
    name = f"{key.case_id} trial {key.trial} attempt {judgement.attempt}"
    case = ET.Element("testcase", classname=key.configuration, name=name)
    if flip is not None and flip.change != "other_violations":
        if flip.place in expected:
            ET.SubElement(case, "system-out").text = f"expected: {flip.change}"
        else:
            message = _UNPRINTABLE.sub("\ufffd", f"{flip.change}: {flip.reason}")
            ET.SubElement(case, "failure", type=flip.change, message=message)
    text: bytes = ET.tostring(case, "utf-8")
    return text + b"\n"
