"""The trials as JUnit XML: dishonest answers are failures, broken infrastructure is an error."""

import re
from typing import get_args
from xml.etree import ElementTree as ET  # writes only

from research_eval.report.row import TrialRow
from research_eval.report.trace import fact_text
from research_eval.report.view import ConfigurationView, RunView
from research_eval.schema import ViolationKind

__all__ = ["render_junit"]

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_FAILURES = {
    "rejected": "no attempt passed the gate",
    "refused": "the model declined",
    "limit": "a limit was reached before an answer",
}


def render_junit(view: RunView) -> bytes:
    """Return the file's bytes: a suite a configuration, a test case a trial."""
    root = ET.Element("testsuites", name=_legal(view.manifest.experiment))
    for configuration in view.configurations:
        rows = [row for row in view.rows if row.key.configuration == configuration.name]
        root.append(_suite(configuration, rows))
    _add_totals(root, list(root))
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _suite(configuration: ConfigurationView, rows: list[TrialRow]) -> ET.Element:
    suite = ET.Element("testsuite", name=_legal(configuration.name))
    for row in rows:
        suite.append(_case(row))
    suite.set("tests", str(len(suite)))
    for tag in ("failure", "error"):
        suite.set(f"{tag}s", str(len(suite.findall(f"testcase/{tag}"))))
    return suite


def _case(row: TrialRow) -> ET.Element:
    key = row.key
    name = f"{key.case_id} #{key.trial}"
    case = ET.Element("testcase", classname=_legal(key.configuration), name=_legal(name))
    status = str(row.fact("status"))
    if status in _FAILURES:
        ET.SubElement(case, "failure", type=status, message=_legal(_why(row, status)))
    elif status == "error":
        kind = _legal(str(row.fact("failure") or "unknown"))
        ET.SubElement(case, "error", type=kind, message=f"the infrastructure failed: {kind}")
    elif status == "not_run":
        ET.SubElement(case, "error", type="not_run", message="planned and not in the journal")
    return case


def _why(row: TrialRow, status: str) -> str:
    found = [kind for kind in get_args(ViolationKind) if row.fact(f"final_{kind}")]
    attempts = fact_text(row.fact("attempts") or 0)  # type: ignore[arg-type]  # a count
    kinds = f": {', '.join(found)}" if found else ""
    return f"{_FAILURES[status]}{kinds} (attempts: {attempts})"


def _add_totals(root: ET.Element, suites: list[ET.Element]) -> None:
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)
