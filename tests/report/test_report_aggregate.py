"""The view of a run: every number of a small run made by hand."""

import csv
import io
from collections.abc import Iterable

import pytest

from research_eval.report.aggregate import build_view
from research_eval.report.scores_csv import render_csv
from research_eval.report.section import sections
from research_eval.report.trace import Count, Total, Trace, find
from research_eval.report.view import Rate, RatePair, ReportSettings, RunView
from research_eval.schema import (
    Failure,
    ProviderTry,
    RunRecord,
    Scored,
    TrialRecord,
    Unscored,
    Usage,
)
from research_eval.scorer import DEFAULT_SCORERS, Measure, no_pages, registry, score_trial

URL = "https://a.example/page"
LIE = "https://lie.example/x"


def scored(trial: TrialRecord) -> Iterable[Scored | Unscored]:
    return score_trial(None, trial, no_pages, DEFAULT_SCORERS)


@pytest.fixture
def small(made) -> tuple[RunRecord, list[TrialRecord]]:
    """Five planned trials: passed, repaired, never passed, broken, and one that did not run."""
    record = made.manifest([made.configuration("alpha")], [f"case-{n}" for n in range(1, 6)])
    served = ProviderTry(provider="serper", outcome="served", requests=1)
    failed = ProviderTry(
        provider="serper", outcome="error", error="server", requests=2, breaker_opened=True
    )
    backup = ProviderTry(provider="brave", outcome="served", requests=1)
    bad = made.checked(1, f"Says {LIE} so", f"unknown_url {LIE}", corrective="Open it first.")
    trials = [
        made.trial(
            [made.checked(1, f"See {URL} there")],
            case_id="case-1",
            events=[made.searched(served, served_by="serper")],
            usage=Usage(requests=2, input_tokens=100, output_tokens=10),
        ),
        made.trial(
            [bad, made.checked(2, f"See {URL} there")],
            case_id="case-2",
            events=[made.searched(failed, backup, served_by="brave")],
            usage=Usage(requests=3, input_tokens=200, output_tokens=20),
        ),
        made.trial([bad, bad, made.checked(3, "Nothing", "no_citation")], case_id="case-3"),
        made.trial(
            [],
            case_id="case-4",
            status="error",
            failure=Failure(kind="timeout", message="too slow"),
            events=[made.searched(failed)],
        ),
    ]
    return record, trials


@pytest.fixture
def view(small) -> RunView:
    return build_view(*small, score=scored)


def counts(rate: Rate) -> tuple[int, int]:
    return rate.k, rate.n


def test_rates_have_their_two_denominators(view: RunView) -> None:
    (alpha,) = view.configurations

    assert counts(alpha.first_pass.strict) == (1, 5)
    assert counts(alpha.first_pass.conditional) == (1, 3)
    assert counts(alpha.final_pass.strict) == (2, 5)
    assert counts(alpha.final_pass.conditional) == (2, 3)
    assert counts(alpha.repair) == (1, 2)


def test_a_rate_carries_its_wilson_interval(view: RunView) -> None:
    rate = view.configurations[0].final_pass.conditional

    assert (round(rate.low, 4), round(rate.high, 4)) == (0.2077, 0.9385)


def test_planned_run_and_judged_trials_are_told_apart(view: RunView) -> None:
    (alpha,) = view.configurations

    assert (alpha.planned.value, alpha.run.value, alpha.coverage.k) == (5, 4, 3)
    assert {name: number.value for name, number in alpha.statuses.items() if number.value} == {
        "completed": 2,
        "rejected": 1,
        "error": 1,
        "not_run": 1,
    }


def test_low_coverage_makes_a_configuration_inconclusive(small) -> None:
    strict = build_view(*small, score=scored)
    lenient = build_view(*small, score=scored, settings=ReportSettings(coverage_floor=0.6))

    assert strict.configurations[0].verdict == "inconclusive"
    assert not strict.is_conclusive
    assert lenient.is_conclusive


def test_an_empty_run_is_not_conclusive(made) -> None:
    record = made.manifest([made.configuration()], ["case-1"])

    assert not build_view(record, [], score=scored).is_conclusive


def test_retries_have_a_mean_and_a_distribution(view: RunView) -> None:
    (alpha,) = view.configurations

    assert alpha.retries.mean == 1.0
    assert [(n, number.value) for n, number in alpha.retry_distribution] == [(0, 1), (1, 1), (2, 1)]


def test_violations_are_counted_by_kind_for_the_first_and_the_last_answer(view: RunView) -> None:
    found = {
        violation.kind: (counts(violation.first), counts(violation.final))
        for violation in view.configurations[0].violations
    }

    assert found["unknown_url"] == ((2, 3), (0, 3))
    assert found["no_citation"] == ((0, 3), (1, 3))


def test_failover_says_who_served_and_what_befell_the_others(view: RunView) -> None:
    (alpha,) = view.configurations
    totals = {name: total.value for name, total in alpha.totals.items()}
    tries = {
        provider.name: {outcome: total.value for outcome, total in provider.outcomes}
        for provider in alpha.providers
    }

    assert [provider.name for provider in alpha.providers] == ["serper", "brave"]
    assert [provider.served.value for provider in alpha.providers] == [1, 1]
    assert tries["serper"]["error"] == 2
    assert totals["search_fallbacks"] == 1
    assert totals["search_unserved"] == 1
    assert totals["breaker_openings"] == 2
    assert totals["search_requests"] == 6


def test_usage_is_summed(view: RunView) -> None:
    totals = view.configurations[0].totals

    assert totals["input_tokens"].value == 300
    assert totals["output_tokens"].value == 30
    assert totals["cost_usd"].trials == 0


def test_scores_of_a_users_own_appear_with_what_is_missing(small) -> None:
    def own(trial: TrialRecord) -> Iterable[Scored | Unscored]:
        yield from scored(trial)
        if trial.case_id == "case-2":
            yield Unscored(name="words", reason="cannot tell")
        else:
            yield Scored(name="words", value=3.0)
        yield Scored(name="status", value=1.0)

    known = registry(
        own=[Measure(name, "count", "neither", name, "For tests.") for name in ("words", "status")]
    )
    (alpha,) = build_view(*small, score=own, known=known).configurations
    by_name = {score.name: score for score in alpha.scores}

    assert by_name["words"].mean == 3.0
    assert by_name["words"].unscored["undecided"].value == 1
    assert by_name["score:status"].mean == 1.0


def test_a_share_of_citations_weighs_each_trial_by_its_citations(small) -> None:
    def share(trial: TrialRecord) -> Iterable[Scored]:
        weights = {"case-1": (1.0, 1.0), "case-2": (0.0, 3.0)}
        if trial.case_id in weights:
            value, weight = weights[trial.case_id]
            yield Scored(name="share", value=value, weight=weight)

    known = registry(own=[Measure("share", "share", "higher", "share", "For tests.")])
    (alpha,) = build_view(*small, score=share, known=known).configurations
    (score,) = [score for score in alpha.scores if score.name == "share"]

    assert (score.mean, score.weight, score.is_share, score.rate) == (0.25, 4.0, True, None)
    assert 0 <= score.low <= 0.25 <= score.high <= 1


def numbers(view: RunView) -> Iterable[tuple[float, Trace]]:
    """Yield every count and sum of the view with its trace."""
    pending: list[object] = list(view.configurations)
    while pending:
        match pending.pop():
            case Rate() as rate:
                yield rate.k, rate.trace_k
                yield rate.n, rate.trace_n
            case Count() as one:
                yield one.value, one.trace
            case Total() as one:
                yield one.value, one.trace
            case RatePair() as pair:
                pending += [pair.strict, pair.conditional]
            case dict() as held:
                pending += held.values()
            case tuple() as held:
                pending += held
            case object(__dataclass_fields__=fields) as record:
                pending += [getattr(record, name) for name in fields]
            case _:
                pass


def _meets(cell: str, column: str, values: tuple[str, ...]) -> bool:
    if column == "tags":
        return not set(values).isdisjoint(cell.split())
    return cell in values or ("*" in values and cell != "")


def csv_number(rows: list[dict[str, str]], trace: Trace) -> float:
    """Recompute a number from scores.csv alone."""
    found = [
        row
        for row in rows
        if all(_meets(row.get(column, ""), column, values) for column, values in trace.where)
    ]
    if trace.measure is None:
        return len(found)
    return sum(float(row[trace.measure]) for row in found if row.get(trace.measure))


@pytest.mark.parametrize("which", ["small", "large"])
def test_every_number_can_be_recomputed_from_scores_csv(which, request) -> None:
    run = request.getfixturevalue(which)
    view = build_view(*run, score=scored)
    rows = list(csv.DictReader(io.StringIO(render_csv(view))))
    checked = [(number, csv_number(rows, trace)) for number, trace in numbers(view)]

    assert len(checked) > 150
    assert all(number == pytest.approx(again) for number, again in checked)


def test_every_cell_of_every_section_is_made_from_the_view(view: RunView) -> None:
    shown = sections(view)

    assert [s.id for s in shown][:4] == ["summary", "compared", "endings", "causes"]
    for section in shown:
        for table in section.tables:
            assert all(len(row) == len(table.headings) for row in table.rows)


def test_rows_stand_in_the_order_of_the_plan_whatever_the_order_of_the_journal(small) -> None:
    record, trials = small
    forward = build_view(record, trials, score=scored)
    backward = build_view(record, trials[::-1], score=scored)

    assert [row.key for row in forward.rows] == [row.key for row in backward.rows]
    assert forward.configurations == backward.configurations


def test_a_trace_without_conditions_finds_all_rows(view: RunView) -> None:
    assert len(find(view.rows, Trace())) == 5


def test_a_note_of_a_configuration_stands_beside_its_name(view: RunView) -> None:
    compared = next(section for section in sections(view) if section.id == "compared")

    (table,) = compared.tables
    assert [row[1] for row in table.rows] == [c.summary.note or "–" for c in view.configurations]
