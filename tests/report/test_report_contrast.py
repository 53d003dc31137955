"""Configurations against each other, repeated trials, languages and tags."""

import re

import pytest

from research_eval.report.aggregate import build_view
from research_eval.report.cell import Derived, Name
from research_eval.report.markdown import render_markdown
from research_eval.report.section import sections
from research_eval.report.view import RunView
from research_eval.schema import Scored, TrialRecord, Unscored
from research_eval.scorer import no_pages, score_trial
from research_eval.scorer.outcome import gate_outcome
from research_eval.stats import needed_cases

CASES = [f"case-{n:02d}" for n in range(1, 11)]
BAD = ("No source at all", "no_citation")
GOOD = ("See https://a.example/ there",)
PASSED = {
    "alpha": [1, 1, 0, 1, 0, 1, 1, 1, 0, 1],
    "beta": [1, 0, 0, 1, 0, 1, 0, 1, 0, 1],
}
"""The pairs of which the mean difference is 0.2 with a standard error of 0.133333."""


def scored(trial: TrialRecord):
    return score_trial(None, trial, no_pages, (gate_outcome,))


def run_of(made, names=("alpha", "beta"), trials: int = 1, **changes) -> RunView:
    configurations = [made.configuration(name, is_reference_agent=False) for name in names]
    record = made.manifest(configurations, CASES, trials)
    made_trials = [
        made.trial(
            [made.checked(1, *(GOOD if passed else BAD))],
            case_id=case_id, under=name, number=number, **changes,
        )
        for name in names
        for case_id, passed in zip(CASES, PASSED[name], strict=True)
        for number in range(1, trials + 1)
    ]  # fmt: skip
    return build_view(record, made_trials, score=scored)


def test_models_are_compared_case_by_case_with_the_first(made) -> None:
    (found,) = run_of(made).differences
    first, final = found.measures

    assert (found.base, found.head) == ("alpha", "beta")
    assert first.measure == "first_attempt_passed"
    assert final.measure == "final_passed"
    assert first.difference == pytest.approx(-0.2)
    assert (first.interval[1] - first.interval[0]) / 2 == pytest.approx(
        2.262157 * 0.133333, rel=1e-4
    )
    assert first.cases == 10
    # two cases alone differ: the upper bound of two events in ten is 0.5069
    assert first.needed_cases == needed_cases(0.1, 0.506901, step=1)
    assert first.detectable is None  # ten cases promise nothing beyond 100 points
    assert first.is_bound
    assert first.verdict == "no_difference_shown"


def test_the_detectable_difference_stands_beside_the_table(made) -> None:
    text = render_markdown(run_of(made))
    row = next(line for line in text.splitlines() if line.startswith("| beta | first attempt |"))

    assert "-20.0" in row
    assert re.search(r"\| – \| ≤ \d+ \| 10 \|", row)


def test_models_are_ranked_with_an_interval(made) -> None:
    ranked = {view.name: view for view in run_of(made).ranks}

    assert ranked["alpha"].rank == 1
    assert ranked["beta"].rank == 2
    assert ranked["beta"].low == 1


def test_reference_agents_are_neither_compared_nor_ranked(made) -> None:
    record = made.manifest([made.configuration("a"), made.configuration("b")], CASES)
    view = build_view(record, [], score=scored)

    assert view.differences == ()
    assert view.ranks == ()
    assert "comparison" not in {section.id for section in sections(view)}


def faulted(made, trials: list[TrialRecord]) -> RunView:
    """A reference agent without a fault, its twin under one, and a stranger under another."""
    search = {"channel": "search", "kind": "status", "status": 503, "host": "a.example"}
    configurations = [
        made.configuration("alpha", settings={"name": "alpha", "fault": []}),
        made.configuration("beta", settings={"name": "beta", "fault": [search]}),
        made.configuration("other", settings={"name": "other", "fault": [search], "gate": "seed"}),
    ]
    return build_view(made.manifest(configurations, CASES), trials, score=scored)


def judged(made, name: str, passed: list[int]) -> list[TrialRecord]:
    return [
        made.trial([made.checked(1, *(GOOD if p else BAD))], case_id=case_id, under=name, number=1)
        for case_id, p in zip(CASES, passed, strict=True)
    ]


def test_a_fault_costs_the_ratio_of_rates_on_the_same_cases(made) -> None:
    trials = [t for name in ("alpha", "beta") for t in judged(made, name, PASSED[name])]
    first, final = faulted(made, trials).resilience

    assert (first.clean, first.faulted, first.measure) == ("alpha", "beta", "first_attempt_passed")
    assert first.faults == ("search a.example: status 503",)
    assert (first.clean_rate, first.faulted_rate, first.cases) == (0.7, 0.5, 10)
    assert first.ratio == pytest.approx(5 / 7)
    assert first.interval[0] < 5 / 7 < first.interval[1]
    assert final.strict_ratio == pytest.approx(5 / 7)


def test_a_trial_that_broke_under_a_fault_has_passed_nothing_strictly(made) -> None:
    trials = [*judged(made, "alpha", [1] * 10), *judged(made, "beta", [1] * 10)[:5]]
    first, _ = faulted(made, trials).resilience

    assert (first.ratio, first.cases, first.strict_ratio) == (1.0, 5, 0.5)
    assert first.faulted_coverage == 0.5


def test_resilience_is_told_in_the_report(made) -> None:
    trials = [t for name in ("alpha", "beta") for t in judged(made, name, PASSED[name])]
    text = render_markdown(faulted(made, trials))

    assert "## Resilience to faults" in text
    (row, *_) = [line for line in text.splitlines() if "a.example: status 503" in line]
    assert "| 70.0 % [39.7, 89.2] n=10 | 50.0 % [23.7, 76.3] n=10 | 0.71 [" in row
    assert "other" not in row


def test_a_comparison_below_the_coverage_floor_is_inconclusive(made) -> None:
    record = made.manifest(
        [made.configuration(name, is_reference_agent=False) for name in ("alpha", "beta")], CASES
    )
    trials = [made.trial([made.checked(1, *GOOD)], case_id=c, under="alpha") for c in CASES]
    view = build_view(record, trials, score=scored)

    assert {entry.verdict for one in view.differences for entry in one.measures} == {"inconclusive"}


def test_repeated_trials_give_pass_hat_k_and_pass_at_k(made) -> None:
    record = made.manifest([made.configuration("alpha")], ["case-1", "case-2"], trials=2)
    trials = [
        made.trial([made.checked(1, *GOOD)], case_id="case-1", number=1),
        made.trial([made.checked(1, *GOOD)], case_id="case-1", number=2),
        made.trial([made.checked(1, *GOOD)], case_id="case-2", number=1),
        made.trial([made.checked(1, *BAD)], case_id="case-2", number=2),
    ]
    (alpha,) = build_view(record, trials, score=scored).configurations
    found = alpha.repeats

    assert (found.k, found.every.n, found.every.value, found.some.value) == (2, 2, 0.5, 1.0)


def test_rates_are_shown_by_language_and_tag(made) -> None:
    record = made.manifest([made.configuration("alpha")], ["case-1", "case-2", "case-3"])
    trials = [
        made.trial(
            [made.checked(1, *GOOD)], case_id="case-1", language="ja", tags=("table", "pdf")
        ),
        made.trial([made.checked(1, *BAD)], case_id="case-2", language="en", tags=("table",)),
    ]
    (alpha,) = build_view(record, trials, score=scored).configurations

    assert {name: (g.first.k, g.first.n) for name, g in alpha.by_language.items()} == {
        "en": (0, 1),
        "ja": (1, 1),
    }
    assert {name: (g.first.k, g.first.n) for name, g in alpha.by_tag.items()} == {
        "pdf": (1, 1),
        "table": (1, 2),
    }


def test_support_stands_beside_its_own_error_rates(made) -> None:
    def support(trial: TrialRecord):
        yield from scored(trial)
        yield Scored(name="support_red", value=0.25, weight=4.0)
        yield Unscored(name="support_green", reason="no page was kept")

    record = made.manifest([made.configuration("alpha")], ["case-1"])
    view = build_view(record, [made.trial([made.checked(1, *GOOD)])], score=support)
    (section,) = [section for section in sections(view) if section.id == "support"]

    assert [table.caption for table in section.tables] == [
        "Support by the cited pages",
        "Unsupported pairs, corrected for the errors of the check on WiCE dev, whole cited pages",
        "How often this check errs, measured against people",
    ]
    assert "92.8 %" in render_markdown(view)


def test_what_a_reader_asks_for_first_stands_beside_the_summary(made) -> None:
    def everything(trial: TrialRecord):
        yield from scored(trial)
        yield Scored(name="first_cited_never_seen", value=0.25, weight=4.0)
        yield Scored(name="correct_and_clean", value=1.0)

    record = made.manifest([made.configuration("alpha")], ["case-1"], 2)
    trials = [made.trial([made.checked(1, *GOOD)], number=n) for n in (1, 2)]
    (section,) = [
        s for s in sections(build_view(record, trials, score=everything)) if s.id == "summary"
    ]
    glance = section.tables[1]

    assert [h.text for h in glance.headings] == [
        "configuration", "never seen", "correct and clean", "pass^2", "turns", "cost usd",
    ]  # fmt: skip
    assert glance.rows[0][1].text == "25.0 %"
    assert glance.rows[0][3].text == "100.0 %"


def test_every_number_of_a_comparison_names_its_trials(made) -> None:
    for section in sections(run_of(made, trials=2)):
        if section.id not in {"comparison", "repeats"}:
            continue
        for row in section.tables[0].rows:
            assert isinstance(row[0], Name)
            derived = [cell for cell in row if isinstance(cell, Derived)]
            assert derived
            assert all(row[0].text in cell.trace.where[0].values for cell in derived)
