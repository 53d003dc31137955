"""A flip: two verdicts on one answer in, how and why they differ out."""

from typing import Literal

from research_eval.schema import Record, TrialKey, Verdict, Violation
from research_eval.schema.display import one_line

__all__ = ["Change", "Finding", "Flip", "flip_of", "named", "sentence_of", "why"]

Change = Literal["passed_to_blocked", "blocked_to_passed", "other_violations"]
"""How two verdicts differ; `other_violations`: both reject, for other reasons."""

MAX_NAMED = 3
"""Violations beyond this many are counted in a reason, not named."""
SENTENCE_CHARS = 160
ENDS = "\n.!?\u3002"
"""What ends a sentence, as far as a short quotation goes."""


class Finding(Record):
    """One violation as a reviewer reads it."""

    kind: str
    url: str | None = None
    written: str | None = None
    """The URL as it stands in the answer, where it stands there otherwise."""
    sentence: str | None = None
    """Around the citation."""
    nearest: str | None = None
    """The page of the ledger that comes closest."""
    difference: str | None = None

    @property
    def words(self) -> str:
        """All of it on one line."""
        parts = [f"{self.kind} {one_line(self.url)}" if self.url else self.kind]
        if self.written is not None:
            parts.append(f"written {self.written}")
        if self.nearest is not None:
            by = f", which differs in {self.difference}" if self.difference else ""
            parts.append(f"nearest page {one_line(self.nearest)}{by}")
        if self.sentence is not None:
            parts.append(f'in "{self.sentence}"')
        return "; ".join(parts)


class Flip(Record):
    """One attempt on which two gates disagree."""

    case_id: str
    configuration: str
    trial: int
    attempt: int
    change: Change
    reason: str
    """What the gate that rejects says, or what both say."""
    details: tuple[str, ...] = ()
    """The findings, in words."""
    findings: tuple[Finding, ...] = ()
    """Of the gate that rejects: its first violations."""

    @property
    def place(self) -> str:
        """Where it is and what changed, as one line of an `--expect` file."""
        return f"{self.case_id} {self.configuration} {self.trial} {self.attempt} {self.change}"


def flip_of(
    key: TrialKey, attempt: int, answer: str, before: Verdict, after: Verdict
) -> Flip | None:
    """Return how two verdicts on an answer differ; `None` if they do not."""
    if before.passed and after.passed:
        return None
    change: Change = "other_violations"
    if before.passed != after.passed:
        change = "passed_to_blocked" if before.passed else "blocked_to_passed"
    elif _reasons(before) == _reasons(after):
        return None
    rejects = after if before.passed or not after.passed else before
    reason = named(rejects)
    if change == "other_violations":
        reason = f"{named(before)}; now {named(after)}"
    findings = tuple(_finding(one, answer) for one in rejects.violations[:MAX_NAMED])
    return Flip(
        case_id=key.case_id,
        configuration=key.configuration,
        trial=key.trial,
        attempt=attempt,
        change=change,
        reason=reason,
        details=tuple(one.words for one in findings),
        findings=findings,
    )


def _reasons(verdict: Verdict) -> list[str]:
    return sorted(f"{one.kind} {one.url or ''}" for one in verdict.violations)


def named(verdict: Verdict) -> str:
    """Return the violations of a verdict in words: kinds and URLs."""
    found = [f"{one.kind} {one.url}" if one.url else one.kind for one in verdict.violations]
    left = len(found) - MAX_NAMED
    return ", ".join(found[:MAX_NAMED]) + (f" and {left} more" if left > 0 else "")


def why(violation: Violation, answer: str) -> str:
    """Return a violation with its sentence and the nearest page, on one line."""
    return _finding(violation, answer).words


def _finding(violation: Violation, answer: str) -> Finding:
    start, end = violation.start, violation.end
    written = None if start is None or end is None else one_line(answer[start:end])
    return Finding(
        kind=violation.kind,
        url=violation.url,
        written=None if written == violation.url else written,
        sentence=None if start is None else sentence_of(answer, start, end),
        nearest=violation.nearest,
        difference=violation.difference,
    )


def sentence_of(text: str, start: int, end: int | None = None) -> str:
    """Return the sentence around a part of a text, on one line and cut to a quotable length."""
    after = start if end is None else end
    first = max(text.rfind(sign, 0, max(start - 1, 0)) for sign in ENDS) + 1
    first = max(first, after - SENTENCE_CHARS, 0)
    ends = [place for sign in ENDS if (place := text.find(sign, after)) >= 0]
    return one_line(text[first : min(ends, default=len(text)) + 1].strip(), SENTENCE_CHARS)
