"""Two gates on one run: which attempts flip, and why."""

from xml.etree import ElementTree as ET

from research_eval.gate import CitationGate, SeedGate
from research_eval.gate.compare import judge_stored, junit_case, junit_lines
from research_eval.gate.expect import Expectations
from research_eval.journal.stored import told_by
from research_eval.schema import (
    AnswerChecked,
    Fetched,
    Searched,
    SearchHit,
    TrialRecord,
    Verdict,
)

PAGE = "https://es.wikipedia.org/wiki/Espa%C3%B1a"


def _attempt(number: int, answer: str) -> AnswerChecked:
    return AnswerChecked(attempt=number, answer=answer, verdict=Verdict(gate="default@1"))


def _trial(*events: object) -> TrialRecord:
    return TrialRecord.model_validate(
        {
            "case_id": "spain",
            "configuration": "honest",
            "trial": 1,
            "question": "?",
            "status": "completed",
            "transcript": events,
        }
    )


def _flips(*events: object) -> list[tuple[int, str]]:
    judged = judge_stored(told_by(_trial(*events)), SeedGate(), CitationGate())
    return [(one.attempt, one.flip.change) for one in judged if one.flip]


def test_an_honest_spelling_flips_to_passed() -> None:
    events = [Fetched(url=PAGE, ok=True), _attempt(1, "(https://es.wikipedia.org/wiki/España)")]

    assert _flips(*events) == [(1, "blocked_to_passed")]


def test_a_fabricated_tail_flips_to_blocked() -> None:
    events = [
        Fetched(url="https://es.wikipedia.org/wiki/Espa", ok=True),
        _attempt(1, "(https://es.wikipedia.org/wiki/España)"),
    ]

    assert _flips(*events) == [(1, "passed_to_blocked")]


def test_an_attempt_sees_the_ledger_as_it_stood_then() -> None:
    cite = "[x](https://a.example/x!)"
    events = [
        Searched(query="x", max_results=1, hits=(SearchHit(url="https://a.example/x", rank=1),)),
        _attempt(1, cite),
        Fetched(url="https://a.example/x", ok=True),
        _attempt(2, cite),
    ]

    assert _flips(*events) == [(1, "other_violations"), (2, "passed_to_blocked")]


def test_the_same_gate_never_flips() -> None:
    trial = _trial(Fetched(url=PAGE, ok=True), _attempt(1, PAGE), _attempt(2, "none"))

    judged = list(judge_stored(told_by(trial), CitationGate(), CitationGate()))

    assert [one.flip for one in judged] == [None, None]


def test_reasons_name_the_first_violations_and_count_the_rest() -> None:
    cites = " ".join(f"[x](https://a.example/{number}!)" for number in range(5))
    pages = [Fetched(url=f"https://a.example/{number}", ok=True) for number in range(5)]

    (one,) = judge_stored(told_by(_trial(*pages, _attempt(1, cites))), SeedGate(), CitationGate())

    assert one.flip is not None
    assert one.flip.reason.endswith("unknown_url https://a.example/2! and 2 more")
    assert one.flip.place == "spain honest 1 1 passed_to_blocked"


def test_junit_fails_what_was_not_expected() -> None:
    cite = "[x](https://a.example/x!)\x00"
    trial = _trial(
        Fetched(url="https://a.example/x", ok=True), _attempt(1, cite), _attempt(2, cite)
    )
    judged = list(judge_stored(told_by(trial), SeedGate(), CitationGate()))

    expected = Expectations("spain honest 1 1 passed_to_blocked")
    cases = [junit_case(one, expected) for one in judged]
    root = ET.fromstring(b"".join(junit_lines(cases, len(cases), failures=1)))

    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    assert [case.find("failure") is not None for case in root] == [False, True]
    assert [case.get("classname") for case in root] == ["honest", "honest"]
