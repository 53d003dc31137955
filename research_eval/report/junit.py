"""Trials, or comparisons, as JUnit XML: dishonest answers are failures, broken infrastructure is an error.

Attributes and elements are those of the schema of the Jenkins xUnit plug-in, which most CI systems
read; docs/reports.md says which ending becomes what.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple
from xml.etree import ElementTree as ET  # writes only

from research_eval.analysis.comparison import Absent, CompareOutput, Comparison
from research_eval.analysis.difference import MeasureComparison
from research_eval.report.row import TrialRow
from research_eval.report.trace import fact_text
from research_eval.report.view import RunView
from research_eval.schema import ENDINGS, Requirements

__all__ = ["OUTCOMES", "answers_junit", "comparison_junit", "render_junit"]

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Outcome(NamedTuple):
    """What a test case says of a trial that did not pass."""

    tag: str
    """`failure` of what the model did, `error` of the infrastructure, `skipped` of what nobody can judge."""
    why: str


OUTCOMES: dict[str, Outcome | None] = {
    **{status: Outcome("failure", ending.meaning) for status, ending in ENDINGS.items()},
    "completed": None,
    "unjudged": Outcome("skipped", ENDINGS["unjudged"].meaning),
    "error": Outcome("error", ENDINGS["error"].meaning),
    "not_run": Outcome("error", "planned and not in the journal"),
}
"""How each ending of a trial is told; `None` is a test that passed."""


RULINGS: dict[str, str] = {
    "holds": "system-out",
    "failed": "failure",
    "inconclusive": "error",
    "skipped": "skipped",
}
"""What a test case says of a requirement, by what came of it."""


class _Suite:
    """Counts what its test cases say."""

    def __init__(self, root: ET.Element, name: str) -> None:
        self.element = ET.SubElement(root, "testsuite", name=_legal(name))

    def add(self, classname: str, name: str, outcome: tuple[str, str, str, str] | None) -> None:
        """Add a test case; an outcome is a tag, a type, a message and lines of text."""
        case = ET.SubElement(
            self.element, "testcase", classname=_legal(classname), name=_legal(name)
        )
        if outcome is not None:
            tag, kind, message, text = outcome
            if tag == "system-out":
                ET.SubElement(case, tag).text = _legal(message)
                return
            found = ET.SubElement(case, tag, type=_legal(kind), message=_legal(message))
            found.text = _legal(text) or None


def _document(root: ET.Element) -> bytes:
    """Return the file's bytes, with the counts that the schema asks for."""
    for suite in root:
        suite.set("tests", str(len(suite)))
        for tag, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def render_junit(view: RunView) -> bytes:
    """Return a suite a configuration: a test case a trial, or a requirement where there are any."""
    if view.requirements is not None:
        root = ET.Element("testsuites", name=_legal(view.manifest.experiment))
        _add_rulings(root, view.requirements)
        return _document(root)
    root = ET.Element("testsuites", name=_legal(view.manifest.experiment))
    kinds = [kind.name for kind in view.kinds]
    suites = {c.name: _Suite(root, c.name) for c in view.configurations}
    for row in view.rows:
        name = f"{row.key.case_id} #{row.key.trial}"
        words = view.failures.get(row.key, "")
        suites[row.key.configuration].add(row.key.configuration, name, _outcome(row, kinds, words))
    return _document(root)


def _add_rulings(root: ET.Element, found: Requirements) -> None:
    """Add a suite a configuration, and in it a test case a requirement."""
    suites: dict[str, _Suite] = {}
    for one in found.rulings:
        name = one.configuration
        suite = suites.get(name) or suites.setdefault(name, _Suite(root, f"requirements: {name}"))
        tag = RULINGS[one.verdict]
        told = (tag, one.verdict, f"{one.verdict}: {one.reason}", "")
        suite.add(name, one.requirement, told)


def _outcome(row: TrialRow, kinds: list[str], words: str) -> tuple[str, str, str, str] | None:
    status = str(row.fact("status"))
    found = OUTCOMES[status]
    if found is None:
        return None
    if status == "error":
        kind = str(row.fact("failure") or "unknown")
        return found.tag, kind, f"{found.why}: {words or kind}", ""
    if found.tag == "error":
        return found.tag, status, found.why, ""
    violations = [kind for kind in kinds if row.fact(f"final_{kind}")]
    attempts = fact_text(row.fact("attempts") or 0)  # type: ignore[arg-type]  # a count
    words = f": {', '.join(violations)}" if violations else ""
    return found.tag, status, f"{found.why}{words} (attempts: {attempts})", ""


def comparison_junit(found: CompareOutput) -> bytes:
    """Return one test suite a comparison and one test case a measure.

    A regression is a failure; an inconclusive measure is an error, so that nothing shown is never
    taken for nothing wrong. A configuration that head lacks is a suite of one test case. The
    requirements of head follow, a suite a configuration.
    """
    root = ET.Element("testsuites", name="research-eval compare")
    for comparison in found.comparisons:
        suite = _Suite(root, f"{comparison.base} against {comparison.head}")
        for entry in comparison.measures:
            suite.add("compare", entry.measure, _ruling(comparison, entry))
    for one in found.absent:
        suite = _Suite(root, f"{one.base} against {one.head}")
        suite.add("compare", one.configuration, _absent(one))
    if found.requirements is not None:
        _add_rulings(root, found.requirements)
    return _document(root)


def answers_junit(name: str, rows: Iterable[tuple[str, str | None, str]]) -> bytes:
    """Return a test case an answer: its id, what is wrong if anything is, and why."""
    root = ET.Element("testsuites", name=_legal(name))
    suite = _Suite(root, name)
    for answer, wrong, why in rows:
        told = None if wrong is None else ("failure", "verdict", wrong, why)
        suite.add("gate test", answer, told)
    return _document(root)


def _ruling(comparison: Comparison, entry: MeasureComparison) -> tuple[str, str, str, str]:
    tag = {"regression": "failure", "inconclusive": "error"}.get(entry.verdict)
    if tag is None:
        return "system-out", "", f"{entry.verdict}: {entry.reason}", ""
    flips = [f for f in comparison.flips if f.measure == entry.measure and f.is_worse]
    gone = [one for one in comparison.lost if one.measure == entry.measure]
    lines = [f"{f.case_id} #{f.trial}: {f.base:g} to {f.head:g}" for f in flips]
    lines += [f"{one.case_id} #{one.trial}: {one.base:g} lost ({one.why})" for one in gone]
    return tag, entry.verdict, entry.reason, "\n".join(lines)


def _absent(one: Absent) -> tuple[str, str, str, str]:
    reason = f"{one.head} has no configuration {one.configuration}"
    if one.verdict == "inconclusive":
        return "error", one.verdict, reason, ""
    return "system-out", "", f"{one.verdict}: {reason}", ""


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)
