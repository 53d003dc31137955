"""A comparison as JUnit XML, which every CI system shows."""

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from research_eval.scorer.compare.absent import Absent
from research_eval.scorer.compare.judge import Comparison, MeasureComparison

__all__ = ["junit_xml"]


def junit_xml(comparisons: Sequence[Comparison], absent: Sequence[Absent] = ()) -> bytes:
    """Return one test suite a comparison and one test case a measure.

    A configuration that head lacks is a suite of one test case.

    A regression is a failure; an inconclusive measure is an error, so that nothing shown is never
    taken for nothing wrong.
    """
    root = ET.Element("testsuites", name="research-eval compare")
    for comparison in comparisons:
        entries = comparison.measures
        suite = ET.SubElement(
            root,
            "testsuite",
            name=_legal(f"{comparison.base} against {comparison.head}"),
            tests=str(len(entries)),
            failures=str(sum(e.verdict == "regression" for e in entries)),
            errors=str(sum(e.verdict == "inconclusive" for e in entries)),
        )
        for entry in entries:
            _case(suite, comparison, entry)
    for one in absent:
        _absent(root, one)
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _case(suite: ET.Element, comparison: Comparison, entry: MeasureComparison) -> None:
    case = ET.SubElement(suite, "testcase", classname="compare", name=entry.measure)
    tag = {"regression": "failure", "inconclusive": "error"}.get(entry.verdict)
    if tag is None:
        ET.SubElement(case, "system-out").text = _legal(f"{entry.verdict}: {entry.reason}")
        return
    flips = [f for f in comparison.flips if f.measure == entry.measure and f.is_worse]
    gone = [one for one in comparison.lost if one.measure == entry.measure]
    lines = [f"{f.case_id} #{f.trial}: {f.base:g} to {f.head:g}" for f in flips]
    lines += [f"{one.case_id} #{one.trial}: {one.base:g} lost ({one.why})" for one in gone]
    problem = ET.SubElement(case, tag, message=_legal(entry.reason), type=entry.verdict)
    problem.text = _legal("\n".join(lines))


def _absent(root: ET.Element, one: Absent) -> None:
    is_error = one.verdict == "inconclusive"
    suite = ET.SubElement(
        root,
        "testsuite",
        name=_legal(f"{one.base} against {one.head}"),
        tests="1",
        failures="0",
        errors=str(int(is_error)),
    )
    case = ET.SubElement(suite, "testcase", classname="compare", name=_legal(one.configuration))
    reason = _legal(f"{one.head} has no configuration {one.configuration}")
    if is_error:
        ET.SubElement(case, "error", message=reason, type=one.verdict)
    else:
        ET.SubElement(case, "system-out").text = f"{one.verdict}: {reason}"


def _legal(text: str) -> str:
    """Return `text` without characters that XML does not allow."""
    return "".join(c for c in text if c in "\t\n" or (c >= " " and not _is_barred(c)))


def _is_barred(char: str) -> bool:
    return "\ud800" <= char <= "\udfff" or char in "\ufffe\uffff"
