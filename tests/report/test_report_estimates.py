"""Every estimate of a report has its interval and its n; every comparison says what it can show."""

import re

import pytest

from research_eval.analysis.wording import power_note
from research_eval.report.aggregate import build_view
from research_eval.report.cell import Derived, Measure, cell_text
from research_eval.report.html import render_html
from research_eval.report.markdown import render_markdown
from research_eval.report.section import sections
from research_eval.report.wording import bounds_text, detectable_text, needed_text
from research_eval.schema import Scored
from research_eval.scorer.correctness import f_score
from research_eval.stats import wilson

CASES = [f"case-{n:02d}" for n in range(1, 13)]
GOOD, BAD = ("See https://a.example/ there",), ("No source at all", "no_citation")
PASSES = {1: {1, 2, 3}, 2: {1, 2}, 3: {1}}
"""Repetition, then the cases modulo 4 that pass in it."""
OUTCOMES = ["correct"] * 6 + ["incorrect"] * 4 + ["abstained"] * 2
FAULT = {"channel": "search", "kind": "status", "status": 503, "host": "a.example"}


def given(trial):
    """Return what is known of a trial: the gate's ruling, the facts, support, turns."""
    number = int(trial.case_id[-2:])
    passed = float(trial.attempts[0].verdict.passed)
    yield Scored(name="first_attempt_passed", value=passed)
    yield Scored(name="final_passed", value=passed)
    for name in ("correct", "incorrect", "abstained"):
        yield Scored(name=name, value=float(OUTCOMES[number - 1] == name))
    yield Scored(name="support_red", value=(number % 4) / 4, weight=4.0)
    yield Scored(name="turns", value=float(3 + number % 3))


def run_of(made, names=("alpha", "beta"), *, is_reference=False, faults=(), score=given):
    configurations = [
        made.configuration(
            name,
            is_reference_agent=is_reference,
            settings={"name": name, "fault": [FAULT] if name in faults else []},
        )
        for name in names
    ]
    trials = [
        made.trial(
            [made.checked(1, *(GOOD if (int(case_id[-2:]) + place) % 4 in PASSES[number] else BAD))],
            case_id=case_id, under=name, number=number,
        )
        for place, name in enumerate(names)
        for case_id in CASES
        for number in (1, 2, 3)
    ]  # fmt: skip
    record = made.manifest(configurations, CASES, 3)
    return record, trials, build_view(record, trials, score=score)


def column(view, section_id, heading, table=0):
    (section,) = [one for one in sections(view) if one.id == section_id]
    shown = section.tables[table]
    place = [one.text for one in shown.headings].index(heading)
    return [row[place] for row in shown.rows]


def test_the_f_score_has_an_interval_and_the_number_of_answers(made):
    view = run_of(made)[2]
    (cell, _) = column(view, "correctness", "F")

    assert cell.value == pytest.approx(f_score(18, 12, 6))
    assert cell.n == 36
    low, high = (float(one) / 100 for one in cell.bounds.split("–"))
    assert 0 < low < cell.value < high < 1
    assert view.configurations[0].f.low == pytest.approx(low, abs=1e-3)


def test_the_f_score_of_a_run_without_rulings_is_none(made):
    view = run_of(made, score=lambda trial: [Scored(name="final_passed", value=1.0)])[2]

    assert view.configurations[0].f is None


@pytest.mark.parametrize("heading", ["pass^3", "pass@3"])
def test_reliability_has_wilsons_interval_over_cases(made, heading):
    view = run_of(made)[2]
    passed = {"pass^3": 3, "pass@3": 9}[heading]

    for cell in column(view, "repeats", heading):
        assert (cell.value, cell.n) == (passed / 12, 12)
        assert cell.bounds == bounds_text(*wilson(passed, 12))
    if heading == "pass^3":
        assert column(view, "summary", heading, table=1)[0].bounds == bounds_text(*wilson(3, 12))


def test_means_have_an_interval_over_cases_and_their_n(made):
    view = run_of(made)[2]

    for section, table in (("summary", 1), ("work", 0)):
        cell = column(view, section, "turns", table)[0]
        assert isinstance(cell, Measure)
        assert cell_text(cell) == "4.00 [3.46, 4.54] n=36"


def test_each_comparison_says_what_it_can_show_and_what_it_needs(made):
    view = run_of(made, faults=("beta",))[2]
    different = view.differences[0].measures[0]

    assert column(view, "comparison", "detectable")[0] == f"{100 * different.detectable:.1f}"
    assert column(view, "comparison", "needed for 10 points")[0] == str(different.needed_cases)
    faulted = view.resilience[0]
    assert faulted.detectable == pytest.approx(different.detectable)
    assert column(view, "resilience", "needed for 10 points")[0] == str(faulted.needed_cases)


def test_where_all_cases_fare_alike_the_most_that_is_left_possible_is_told(made):
    def alike(trial):
        return [Scored(name=n, value=1.0) for n in ("first_attempt_passed", "final_passed")]

    view = run_of(made, score=alike)[2]

    assert view.differences[0].measures[0].is_bound
    assert column(view, "comparison", "detectable")[0].startswith("\N{LESS-THAN OR EQUAL TO} ")
    assert column(view, "comparison", "needed for 10 points")[0].startswith(
        "\N{LESS-THAN OR EQUAL TO} "
    )


def test_the_power_of_a_run_stands_in_the_summary_and_by_group(made):
    text = render_markdown(run_of(made, is_reference=True)[2])

    assert power_note(12, 3) in text
    assert "12 cases with 3 trials each show a difference between two rates of 41.2 points" in text
    assert "10 points need 146 cases" in text


def test_few_cases_show_no_difference_at_all():
    assert "1 case with 1 trial each show no difference between two rates" in power_note(1, 1)
    assert detectable_text(1.2, is_bound=False) == "none"
    assert detectable_text(None, is_bound=True) == needed_text(None, is_bound=True) == "–"


@pytest.mark.parametrize(("section", "table"), [("support", 1), ("summary", 1)])
def test_red_stands_beside_what_it_is_without_the_checks_errors(made, section, table):
    heading = "corrected" if section == "support" else "RED, corrected"

    for cell in column(run_of(made)[2], section, heading, table):
        assert isinstance(cell, Derived)
        low, high = (float(one) / 100 for one in cell.bounds.split("–"))
        assert low < cell.value < high
        assert cell.n == 144


def test_no_words_speak_of_a_table_that_is_not_there(made):
    def retried(trial):
        yield Scored(name="repaired_by_1", value=1.0)

    text = render_markdown(run_of(made, score=retried)[2])

    assert "## Repair by retry" in text
    assert "anner" not in text.partition("## Where the numbers")[0]


def test_html_shows_value_n_and_interval_of_an_estimate(made, make_folder):
    record, trials, view = run_of(made)
    page = render_html(view, make_folder(record, trials), plots={})
    cell = re.search(r'<td class="rate"[^>]*><span class="value"><a [^>]*>25.0 %</a>.*?</td>', page)

    assert '<span class="counts">n 12</span>' in cell[0]
    assert f'<span class="bounds">{bounds_text(*wilson(3, 12))}</span>' in cell[0]
