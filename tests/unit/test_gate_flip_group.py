"""Flips put together for a reviewer: counts, examples, order."""

import pytest

from research_eval.gate.flip import Flip, flip_of
from research_eval.gate.flip_group import EXAMPLES, GROUPINGS, FlipGroups
from research_eval.schema import TrialKey, Verdict, Violation

PASSED = Verdict(gate="g@1")


def flip(number: int, *urls: str, kind: str = "unknown_url", back: bool = False) -> Flip:
    violations = tuple(Violation(kind=kind, url=url) for url in urls)
    rejected = Verdict(gate="g@1", violations=violations)
    before, after = (rejected, PASSED) if back else (PASSED, rejected)
    found = flip_of(TrialKey(f"c{number}", "m", 1), 1, " ".join(urls), before, after)
    assert found is not None
    return found


def test_groups_count_all_and_show_few() -> None:
    groups = FlipGroups("host")
    for number in range(1000):
        groups.add(flip(number, f"https://a.example/{number}"), is_expected=number < 10)
    groups.add(flip(1, "https://b.example/"), is_expected=False)
    groups.add(flip(1, "https://b.example/", back=True), is_expected=False)

    found = groups.groups()

    assert [(one.change, one.group, one.flips, one.expected) for one in found] == [
        ("blocked_to_passed", "b.example", 1, 0),
        ("passed_to_blocked", "a.example", 1000, 10),
        ("passed_to_blocked", "b.example", 1, 0),
    ]
    assert len(found[1].examples) == EXAMPLES


@pytest.mark.parametrize("by", GROUPINGS)
def test_a_flip_is_in_one_group_whatever_its_urls_are(by: str) -> None:
    groups = FlipGroups(by)
    groups.add(flip(1, "https://[bad", "https://a.example/x"), is_expected=False)

    assert [one.flips for one in groups.groups()] == [1]


def test_the_url_is_shown_as_the_answer_wrote_it() -> None:
    text = "Sie steht hier: https://de.example/Stra&szlig;e."
    violation = Violation(kind="unknown_url", url="https://de.example/Straße", start=16, end=47)
    rejected = Verdict(gate="g@1", violations=(violation,))

    found = flip_of(TrialKey("c", "m", 1), 1, text, PASSED, rejected)

    assert found is not None
    (finding,) = found.findings
    assert finding.written == "https://de.example/Stra&szlig;e"
    assert finding.sentence == text
