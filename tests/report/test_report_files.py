"""Markdown, CSV, JUnit and the terminal's table of a run."""

import csv
import io
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings, strategies as st
from rich.console import Console

from research_eval.analysis.comparison import Absent, CompareOutput, Comparison
from research_eval.analysis.difference import CompareSettings, MeasureComparison, SideSummary
from research_eval.analysis.ruling import ORDER
from research_eval.report.aggregate import STATUSES, build_view
from research_eval.report.junit import OUTCOMES, comparison_junit, render_junit
from research_eval.report.markdown import escape_markdown, render_markdown
from research_eval.report.scores_csv import render_csv
from research_eval.report.table import terminal_table
from research_eval.report.view import RunView
from research_eval.schema import Failure, TrialRecord
from research_eval.scorer import DEFAULT_SCORERS, no_pages, score_trial


def scored(trial: TrialRecord):
    return score_trial(None, trial, no_pages, DEFAULT_SCORERS)


@pytest.fixture
def view(made) -> RunView:
    """One trial of each ending, under two configurations, one of them a reference agent."""
    record = made.manifest(
        [
            made.configuration("alpha"),
            made.configuration("beta", is_reference_agent=False, model="openai:tiny"),
        ],
        ["case-1", "case-2", "case-3", "case-4"],
    )
    bad = made.checked(1, "No source", "no_citation")
    trials = [
        made.trial([made.checked(1, "See https://a.example/ now")], case_id="case-1"),
        made.trial([bad], case_id="case-2"),
        made.trial(
            case_id="case-3", status="error", failure=Failure(kind="timeout", message="slow")
        ),
        made.trial(case_id="case-1", under="beta", status="limit"),
        made.trial(case_id="case-2", under="beta", status="refused"),
    ]
    return build_view(record, trials, score=scored)


ELEMENTS = {
    "testsuites": ({"name", "time", "tests", "failures", "disabled", "errors"}, set()),
    "testsuite": (
        {
            "name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp",
            "hostname", "id", "package", "file", "log", "url", "version",
        },
        {"name", "tests"},
    ),
    "testcase": (
        {"name", "assertions", "time", "classname", "status", "class", "file", "line", "log",
         "group", "url"},
        {"name"},
    ),
    "failure": ({"type", "message"}, set()),
    "error": ({"type", "message"}, set()),
    "skipped": ({"type", "message"}, set()),
    "system-out": (set(), set()),
}  # fmt: skip
"""Attributes that an element may have and must have, by the schema of the Jenkins xUnit plug-in."""
INSIDE = {
    "testsuites": {"testsuite"},
    "testsuite": {"testcase"},
    "testcase": {"failure", "error", "skipped", "system-out"},
}
COUNTS = {"tests", "failures", "errors", "skipped"}


def check_junit(document: bytes) -> ET.Element:
    """Hold a document to the schema's rules: elements, their attributes, whole numbers, sums."""
    root = ET.fromstring(document)
    assert root.tag == "testsuites"
    for element in root.iter():
        allowed, required = ELEMENTS[element.tag]
        assert required <= element.attrib.keys() <= allowed, element.tag
        assert {child.tag for child in element} <= INSIDE.get(element.tag, set())
        if element.tag.startswith("testsuite"):
            assert all(element.get(name, "0").isdigit() for name in COUNTS)
    for suite in root:
        for tag, name in (("failure", "failures"), ("error", "errors")):
            assert suite.get(name) == str(len(suite.findall(f"testcase/{tag}")))
        assert suite.get("tests") == str(len(suite))
    for name in ("tests", "failures", "errors"):
        assert int(root.get(name)) == sum(int(suite.get(name)) for suite in root)
    return root


@pytest.mark.parametrize("status", STATUSES)
def test_every_ending_has_its_outcome_in_junit_and_the_schema_holds(made, status) -> None:
    record = made.manifest([made.configuration("alpha")], ["case-1"])
    bad = made.checked(1, "No source", "no_citation")
    failure = Failure(kind="timeout", message="slow") if status == "error" else None
    trials = [] if status == "not_run" else [made.trial([bad], status=status, failure=failure)]
    root = check_junit(render_junit(build_view(record, trials, score=scored)))
    found = {one.tag: one.get("type") for one in root.find("testsuite/testcase")}
    outcome = OUTCOMES[status]

    kind = "timeout" if status == "error" else status
    assert found == ({} if outcome is None else {outcome.tag: kind})


def test_a_comparison_is_junit_by_the_same_writer_and_rules() -> None:
    side = SideSummary(
        planned=1, run=1, scored=1, errors=0, not_applicable=0, coverage=1.0, value=1.0,
        interval=None, n=1,
    )  # fmt: skip
    entries = tuple(
        MeasureComparison(
            measure=verdict, higher_is_better=True, verdict=verdict, reason="<\x00&", base=1.0,
            head=0.0, cases=1, base_side=side, head_side=side,
        )
        for verdict in ORDER
    )  # fmt: skip
    comparison = Comparison(
        base="b", head="h", verdict="regression", base_trials=1, head_trials=1, base_errors=0,
        head_errors=0, is_identical_traffic=True, settings=(), measures=entries, flips=(),
    )  # fmt: skip
    gone = Absent(base="b", head="h", configuration="c", verdict="inconclusive")
    output = CompareOutput(settings=CompareSettings(), comparisons=(comparison,), absent=(gone,))
    root = check_junit(comparison_junit(output))

    assert [suite.get("failures") for suite in root] == ["1", "0"]
    assert [suite.get("errors") for suite in root] == ["1", "1"]


def test_junit_tells_dishonest_from_broken(view: RunView) -> None:
    root = ET.fromstring(render_junit(view))
    kinds = {
        (case.get("classname"), case.get("name")): [
            (child.tag, child.get("type")) for child in case
        ]
        for case in root.iter("testcase")
    }

    assert kinds["alpha", "case-1 #1"] == []
    assert kinds["alpha", "case-2 #1"] == [("failure", "rejected")]
    assert kinds["alpha", "case-3 #1"] == [("error", "timeout")]
    assert kinds["alpha", "case-4 #1"] == [("error", "not_run")]
    assert kinds["beta", "case-1 #1"] == [("failure", "limit")]
    assert kinds["beta", "case-2 #1"] == [("failure", "refused")]
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("8", "3", "4")


def test_junit_names_the_violations_of_the_last_answer(view: RunView) -> None:
    message = ET.fromstring(render_junit(view)).find(".//failure[@type='rejected']").get("message")

    assert message == "no attempt passed the gate: no_citation (attempts: 1)"


@settings(max_examples=20)
@given(st.text(min_size=1))
def test_junit_stays_xml_whatever_a_name_holds(made, name: str) -> None:
    record = made.manifest([made.configuration(name)], [name])
    view = build_view(record, [made.trial(case_id=name, under=name, status="limit")], score=scored)

    suite = ET.fromstring(render_junit(view)).find("testsuite")
    assert suite.get("tests") == "1"


def test_csv_has_a_row_for_every_planned_trial_and_its_line(view: RunView) -> None:
    rows = list(csv.DictReader(io.StringIO(render_csv(view))))

    assert len(rows) == 8
    assert [row["line"] for row in rows] == ["1", "4", "2", "5", "3", "", "", ""]
    assert [row["status"] for row in rows[-2:]] == ["not_run", "not_run"]
    assert rows[0]["first_attempt_passed"] == "1"
    assert rows[4]["unscored:final_passed"] == "error"


@settings(max_examples=20)
@given(st.text(alphabet='a,"\n;=é日', min_size=1))
def test_csv_gives_names_back_as_they_were(made, name: str) -> None:
    record = made.manifest([made.configuration(name)], ["case-1"])
    view = build_view(record, [made.trial(under=name, status="limit")], score=scored)

    (row,) = csv.DictReader(io.StringIO(render_csv(view), newline=""))
    assert row["configuration"] == (f"'{name}" if name.lstrip().startswith("=") else name)


def test_a_carriage_return_in_a_name_breaks_no_row(made) -> None:
    record = made.manifest([made.configuration("a\rb")], ["case-1"])
    (row,) = csv.DictReader(
        io.StringIO(render_csv(build_view(record, [], score=scored)), newline="")
    )

    assert row["configuration"] == "a b"


def test_markdown_labels_reference_agents_the_synthetic_web_and_low_coverage(view: RunView) -> None:
    text = render_markdown(view)

    assert "| alpha<br>*reference agent*<br>*INCONCLUSIVE* |" in text
    assert "| beta<br>*INCONCLUSIVE* |" in text
    assert "*synthetic web, model replay, web replay.*" in text
    assert "**INCONCLUSIVE**" in text


def test_markdown_says_where_each_number_comes_from(view: RunView) -> None:
    text = render_markdown(view)

    assert "## Where the numbers come from" in text
    assert "`first_attempt_passed` is 1" in text


def test_markdown_tables_have_as_many_cells_as_headings(view: RunView) -> None:
    width = None
    for line in render_markdown(view).splitlines():
        if not line.startswith("|"):
            width = None
            continue
        cells = line.replace("\\|", "").count("|")
        assert width in (None, cells)
        width = cells


@given(st.text())
def test_escaped_text_stays_on_one_line_and_opens_no_markup(text: str) -> None:
    escaped = escape_markdown(text)

    assert len(escaped.splitlines()) <= 1
    bare = escaped.replace("\\\\", "")
    for mark in "|<>`*_[]#~&$@":
        assert bare.count(mark) == bare.count("\\" + mark)


def test_the_terminal_table_fits_80_columns(view: RunView) -> None:
    out = io.StringIO()
    Console(file=out, width=80, legacy_windows=False).print(terminal_table(view))

    assert max(len(line) for line in out.getvalue().splitlines()) <= 80
    for word in ("alpha", "reference agent", "INCONCLUSIVE", "50.0 %", "1 error", "synthetic web"):
        assert word in out.getvalue()


def test_a_wide_terminal_shows_more(view: RunView) -> None:
    out = io.StringIO()
    Console(file=out, width=160, legacy_windows=False).print(terminal_table(view, 160))

    assert "fell back" in out.getvalue()
    assert "no_citation 1" in out.getvalue()


def test_a_name_with_terminal_markup_is_shown_as_it_is(made) -> None:
    record = made.manifest([made.configuration("[bold]x[/bold]")], ["case-1"])
    out = io.StringIO()
    Console(file=out, width=80).print(terminal_table(build_view(record, [], score=scored)))

    assert "[bold]x[/bold]" in out.getvalue()


def test_a_long_name_is_broken_at_a_hyphen_on_a_narrow_terminal(made) -> None:
    name = "repairs-after-2-one-retry"
    record = made.manifest([made.configuration(name)], ["case-1"])
    out = io.StringIO()
    Console(file=out, width=80).print(terminal_table(build_view(record, [], score=scored)))

    assert "repairs-after-2-one-" in out.getvalue()
    assert "\n retry " in out.getvalue()
