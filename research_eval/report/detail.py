"""One trial as its page shows it: attempts with every citation marked, ledger, transcript."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from research_eval.ledger import url_key
from research_eval.report.pack import JSON
from research_eval.schema import (
    AnswerChecked,
    Citation,
    Event,
    SourceRecord,
    TrialRecord,
    Verdict,
    Violation,
)

__all__ = ["trial_detail"]


def trial_detail(
    trial: TrialRecord, notes: Mapping[str, str], expected: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what the page of one trial needs; defaults are left out.

    Args:
        trial: The record.
        notes: What scorers said, by the score's name.
        expected: The facts that a right answer states.
    """
    places = _places(trial.sources)
    said = trial.model_dump(exclude_defaults=True)
    events = tuple(zip(trial.transcript, said.get("transcript", ()), strict=True))
    return {
        "question": trial.question,
        "expected": list(expected),
        "failure": said.get("failure"),
        "usage": said.get("usage", {}),
        "replay": said.get("replay", {}),
        "attempts": [
            _attempt(event, one, places, trial)
            for event, one in events
            if isinstance(event, AnswerChecked)
        ],
        "references": [reference.url for reference in trial.references],
        "sources": said.get("sources", ()),
        "notes": dict(notes),
        "events": [_event(event, one) for event, one in events],
    }


def _places(sources: Iterable[SourceRecord]) -> dict[str, int]:
    """Return where each spelling of each source stands in the ledger; the first one wins."""
    places: dict[str, int] = {}
    for index, source in enumerate(sources):
        for spelling in (source.key, source.url, *source.observed):
            places.setdefault(spelling, index)
    return places


def _event(event: Event, said: dict[str, JSON]) -> JSON:
    if isinstance(event, AnswerChecked):
        return {"kind": "gate", "attempt": event.attempt, "at_s": event.at_s}
    return {"kind": event.kind, **said}


def _attempt(
    attempt: AnswerChecked,
    said: dict[str, Any],
    places: dict[str, int],
    trial: TrialRecord,
) -> JSON:
    unseen = (trial.fidelity.unseen_urls if trial.fidelity else None) or ()
    violations = said["verdict"].get("violations", ())
    return {
        "attempt": attempt.attempt,
        "answer": attempt.answer,
        "gate": attempt.verdict.gate,
        "marks": list(_marks(attempt.verdict, places, trial.sources)),
        "violations": [
            _violation(violation, one, places)
            | ({"may_be_own_tool": True} if violation.url in unseen else {})
            for violation, one in zip(attempt.verdict.violations, violations, strict=True)
        ],
        "corrective": attempt.corrective,
    }


def _violation(
    violation: Violation, said: dict[str, JSON], places: dict[str, int]
) -> dict[str, JSON]:
    known = (violation.key, violation.url, violation.nearest)
    return {**said, "source": next((places[k] for k in known if k in places), None)}


def _marks(
    verdict: Verdict, places: dict[str, int], sources: tuple[SourceRecord, ...]
) -> Iterator[JSON]:
    """Yield start, end, verdict and ledger place of each citation, and of lone violations."""
    violations = {(v.start, v.end): v for v in verdict.violations if v.start is not None}
    for citation in verdict.citations:
        violation = violations.pop((citation.start, citation.end), None)
        ruling = violation.kind if violation else "fetched"
        place = _place(citation, violation, places)
        alias = place is not None and sources[place].alias_of is not None
        yield [citation.start, citation.end, ruling, place, "alias" if alias else ""]
    for (start, end), violation in violations.items():
        yield [start, end, violation.kind, places.get(violation.key or ""), ""]


def _place(citation: Citation, violation: Violation | None, places: dict[str, int]) -> int | None:
    if violation is not None and violation.key in places:
        return places[violation.key]
    for url in (citation.url, *citation.readings):
        for spelling in (url, url_key(url).value):
            if spelling in places:
                return places[spelling]
    return None
