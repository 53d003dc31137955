"""Markdown, CSV, JUnit and the terminal's table of a run."""

import csv
import io
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings, strategies as st
from rich.console import Console

from research_eval.report.fold import build_view
from research_eval.report.junit import render_junit
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
