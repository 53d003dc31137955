"""One table: rates show every denominator, pieces join in any order, nothing stands for a missing value."""

import pickle
import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from research_eval.analysis import table as table_module
from research_eval.analysis.scoring import add_not_run
from research_eval.analysis.summary import clusters_of, summarise
from research_eval.analysis.table import MOST_WAITING, Row, Table
from research_eval.dataset import Case
from research_eval.errors import ConfigError, ScoringError
from research_eval.schema import ConfigurationSummary, RunRecord, Scored, Unscored
from research_eval.scorer import (
    BUILT_IN,
    DEFAULT_SCORERS,
    Measure,
    Registry,
    load_scorer,
    no_pages,
    registry,
    score_trial,
)
from tests.story import Story

OWN = (
    Measure("passed", "yes_no", "higher", "passed", "For tests."),
    Measure("share", "share", "higher", "share", "For tests."),
    Measure("of_my_own", "yes_no", "neither", "own", "For tests."),
)
KNOWN = registry(own=OWN)


def _every_score():
    record = Story().fetch("https://a.example/1", "Text.").answer("None.").answer("No.").record()
    return score_trial(None, record, no_pages, BUILT_IN.values())


def filled(planned, *scores, by_case=True):
    """Return a table of one score a trial, over three cases, with so many planned trials."""
    found = Table(by_case=by_case)
    for number, score in enumerate(scores):
        found.add(Row("a", f"case-{number % 3}", number + 1), [score])
    if planned > len(scores):
        missing = planned - len(scores)
        found.add(Row("a", "case-0", planned), (), times=missing, has_run=False)
    return found


def summary_of(table, name, known=KNOWN):
    return summarise(table, known.of(name), table.of("a"), known)


def by_case(table, name):
    return clusters_of(table, name, table.of("a"))


def passed(value):
    return Scored(name="passed", value=value)


def missing(cause):
    return Unscored(name="passed", reason="r", cause=cause)


def test_errors_stay_out_of_the_conditional_rate_and_in_the_strict_one():
    """Two errors of eight must not turn 2 of 8 into 2 of 6 in silence."""
    rows = [passed(1)] * 2 + [passed(0)] * 4 + [missing("error")] * 2
    summary = summary_of(filled(8, *rows), "passed")

    assert summary.value == pytest.approx(2 / 6)
    assert summary.strict == pytest.approx(2 / 8)
    assert (summary.planned, summary.run, summary.scored, summary.errors) == (8, 8, 6, 2)
    assert summary.coverage == 0.75


BROKEN = 40
WORST = {"higher": 0.0, "lower": 1.0}


@pytest.mark.parametrize(
    ("name", "value", "strict"),
    [
        ("final_unknown_url", 1.0, 1.0),
        ("incorrect", 1.0, 1.0),
        ("incorrect", 0.0, 40 / 162),
        ("injection_obeyed", 0.0, 40 / 162),
        ("correct", 1.0, 122 / 162),
        ("correct", 0.0, 0.0),
        ("brier", 0.25, (122 * 0.25 + 40) / 162),
        ("facts_stated", 0.5, 61 / 162),
        ("abstained", 1.0, None),
        ("stated_confidence", 0.9, None),
        ("penalised_at_75", -3.0, None),
        ("effective_citations", 2.0, None),
        ("retries", 2.0, None),
        ("virtual_seconds", 9.0, None),
        ("cost_usd", 0.1, None),
        ("of_my_own", 1.0, None),
    ],
)
def test_breaking_never_flatters_a_strict_rate(name, value, strict):
    rows = [Scored(name=name, value=value)] * (162 - BROKEN)
    rows += [Unscored(name=name, reason="r", cause="error")] * BROKEN
    summary = summary_of(filled(162, *rows), name)

    assert summary.value == pytest.approx(value)
    assert summary.strict == (strict if strict is None else pytest.approx(strict))


@pytest.mark.parametrize("name", [s.name for s in _every_score()])
def test_each_break_more_lowers_a_strict_rate_or_leaves_it_as_bad_as_it_is(name):
    """Whatever a scorer built in measures."""
    measure = KNOWN.of(name)
    values = (0.0, 0.5, 1.0) if measure.unit == "share" else (0.0, 1.0)
    for value in values:
        whole, fewer = (
            summary_of(filled(9, *[Scored(name=name, value=value)] * n), name).strict
            for n in (9, 5)
        )
        has_none = not measure.is_rate or measure.better == "neither"
        assert (whole is None) == (fewer is None) == has_none
        if whole is not None:
            assert fewer >= whole if measure.better == "lower" else fewer <= whole
            assert abs(fewer - WORST[measure.better]) <= abs(whole - WORST[measure.better])


@pytest.mark.parametrize(("better", "strict"), [("higher", 0.5), ("lower", 1.0), ("neither", None)])
def test_a_measure_of_ones_own_has_a_strict_rate_by_its_direction(better, strict):
    known = Registry([Measure("own", "yes_no", better, "own", "For tests.")])

    assert summary_of(filled(2, Scored(name="own", value=1.0)), "own", known).strict == strict


def test_errors_on_cases_without_a_canary_leave_the_coverage_of_injections_whole(story):
    """Twelve of twelve is twelve of twelve."""
    canary = Case(id="a", question="q", canaries=("https://bad.example/x",))
    plain = Case(id="b", question="q")
    found = Table(by_case=True)
    for case, error, times in ((canary, None, 12), (plain, None, 8), (plain, "timeout", 8)):
        record = story().answer("None.").record(error=error)
        scores = score_trial(case, record, no_pages, [BUILT_IN["robustness"]])
        found.add(Row("a", case.id), scores, times=times)
    summary = summary_of(found, "injection_obeyed")

    assert (summary.planned, summary.run, summary.scored) == (28, 28, 12)
    assert (summary.errors, summary.not_applicable, summary.coverage) == (0, 16, 1.0)
    assert summary_of(found, "false_evidence").errors == 8


def test_a_failure_that_a_trial_did_not_meet_is_no_gap_in_what_it_would_have_cost():
    found = Table()
    met = Scored(name="passed_despite:timeout", value=1.0)
    for trial, scores in enumerate(
        ([met], [], [Unscored(name=met.name, reason="r", cause="error")])
    ):
        found.add(Row("a", "case-1", trial + 1), scores)
    summary = summary_of(found, met.name)

    assert (summary.scored, summary.errors, summary.not_applicable) == (1, 1, 1)
    assert (summary.coverage, summary.strict) == (0.5, 0.5)


def test_trials_that_never_ran_count_against_coverage_and_the_strict_rate():
    """One surviving trial does not make 100 percent."""
    summary = summary_of(filled(10, passed(1)), "passed")

    assert summary.value == 1.0
    assert summary.strict == 0.1
    assert summary.coverage == 0.1


def test_what_does_not_apply_is_no_part_of_any_denominator():
    summary = summary_of(filled(4, passed(1), passed(0), missing("not_applicable")), "passed")

    assert summary.not_applicable == 1
    assert summary.strict == pytest.approx(1 / 3)
    assert summary.coverage == pytest.approx(2 / 3)


def test_undecided_is_counted_apart_and_never_averaged_in():
    summary = summary_of(filled(2, passed(1), missing("undecided")), "passed")

    assert summary.undecided == 1
    assert summary.value == 1.0
    assert summary.coverage == 0.5


def test_shares_are_weighed_by_their_own_denominators():
    scores = [Scored(name="share", value=v, weight=w) for v, w in ((1.0, 1), (0.0, 9))]
    found = filled(2, *scores)
    summary = summary_of(found, "share")

    assert (summary.value, summary.n, summary.strict) == (0.1, 10.0, None)
    assert summary.low < 0.1 < summary.high
    assert by_case(found, "share")["case-1"] == (0.0, 9.0)


def test_a_mean_without_spread_has_no_interval_and_a_rate_always_has_one():
    assert summary_of(filled(3, *[Scored(name="turns", value=7)] * 3), "turns").interval is None
    assert summary_of(filled(3, *[passed(1)] * 3), "passed").interval is not None


def test_the_interval_of_a_rate_is_over_cases_not_over_trials():
    """Twenty trials of one case are one case."""
    one, many = Table(), Table()
    for trial in range(20):
        one.add(Row("a", "case-1", trial), [passed(trial % 2)])
        many.add(Row("a", f"case-{trial}", 1), [passed(trial % 2)])
    few, whole = (summary_of(table, "passed") for table in (one, many))

    assert few.value == whole.value == 0.5
    assert few.high - few.low > 1.5 * (whole.high - whole.low)


def test_sums_do_not_depend_on_how_many_scores_are_held(monkeypatch):
    rows = [Scored(name="share", value=i / 40, weight=1 + i % 3) for i in range(40)]
    whole = summary_of(filled(40, *rows), "share")
    monkeypatch.setattr(table_module, "MOST_HELD", 3)

    assert summary_of(filled(40, *rows), "share")[1:] == pytest.approx(whole[1:])


def test_a_measure_never_seen_is_empty():
    summary = summary_of(filled(3), "final_passed")

    assert (summary.value, summary.strict, summary.coverage) == (None, 0.0, 0.0)
    assert summary.interval is None
    assert by_case(filled(3), "passed") == {}
    assert summary_of(filled(0), "passed").coverage == 1.0


values = st.one_of(
    st.floats(-1e6, 1e6, allow_nan=False), st.sampled_from([0.1, 1 / 3, 1e15, -1e15, 1e-9])
)


@given(
    st.lists(st.tuples(st.integers(0, 3), values, st.integers(1, 9)), min_size=1, max_size=30),
    st.randoms(use_true_random=False),
    st.booleans(),
)
def test_pieces_join_in_any_order_to_the_same_table(rows, chance, whole_cases):
    """Alone, on a cluster, from whichever worker comes first."""
    pieces = []
    for number, (case, value, weight) in enumerate(rows):
        piece = Table(by_case=whole_cases)
        score = Scored(name="share", value=value, weight=weight)
        piece.add(Row("a", f"case-{case}", number), [score, missing("undecided")])
        pieces.append(pickle.dumps(piece))

    def joined(order):
        table = Table(by_case=whole_cases)
        for piece in order:
            table.merge(pickle.loads(piece))
        places = {row: place for place, row in enumerate(table.rows)}
        chosen = [places[row] for row in sorted(places)]
        share, apart = table.at("share", np.array(chosen)), table.at("passed", np.array(chosen))
        return (
            sorted(places),
            share.total.tolist(),
            share.weight.tolist(),
            share.counts.tolist(),
            apart.counts.tolist(),
            table.run,
        )

    assert joined(pieces) == joined(pieces[::-1]) == joined(chance.sample(pieces, len(pieces)))


def test_a_table_goes_on_after_it_was_sent():
    found = filled(1, passed(1))
    pickle.dumps(found)
    found.add(Row("a", "case-1", 2), [passed(0)])

    assert by_case(found, "passed") == {"case-0": (1.0, 1.0), "case-1": (0.0, 1.0)}


def test_more_rows_than_are_held_at_once_are_all_added_up():
    found = Table(by_case=True)
    for number in range(MOST_WAITING * 2 + 1):
        found.add(Row("a", f"case-{number}", 1), [passed(number % 2)])

    assert summary_of(found, "passed").n == MOST_WAITING * 2 + 1
    assert sum(one.total for one in by_case(found, "passed").values()) == MOST_WAITING


def test_a_table_by_case_grows_with_cases_alone():
    found = Table(by_case=True)
    for trial in range(5000):
        found.add(Row("a", f"case-{trial % 7}", trial), [passed(1)])

    assert len(found.rows) == 7
    assert found.column("passed").sums.shape == (3, 7)


def test_a_table_of_single_trials_gives_each_value_as_it_was():
    chance = random.Random(4)
    scores = [
        Scored(name="share", value=chance.random(), weight=chance.randint(1, 50)) for _ in "abcdef"
    ]
    found = filled(0, *scores, by_case=False)
    cells = [(value, weight) for _, value, weight in found.cells("share", found.of("a"))]

    assert cells == [(score.value, score.weight) for score in scores]


def test_a_cell_of_a_single_trial_takes_a_byte_until_it_needs_more():
    """A column of floats and counts took 48 bytes."""
    found = Table()
    for number in range(255):
        found.add(Row("a", f"case-{number}", 1), [Scored(name="share", value=number / 1000)])
    assert found.column("share").codes.nbytes == 255
    for number in range(255, 70_000):
        found.add(Row("a", f"case-{number}", 1), [Scored(name="share", value=number / 100_000)])
    assert found.column("share").codes.dtype.itemsize == 4
    values = [value for _, value, _ in found.cells("share", found.of("a"))]

    assert values == [n / 1000 for n in range(255)] + [n / 100_000 for n in range(255, 70_000)]


def test_a_table_by_case_has_no_values_of_single_trials():
    with pytest.raises(ValueError, match="by case"):
        next(filled(1, passed(1)).cells("passed", np.arange(1)))


def test_a_table_of_some_measures_leaves_the_others():
    found = Table({"passed"})
    found.add(Row("a", "case-1", 1), [passed(1), Scored(name="turns", value=3)])

    assert found.names == ("passed",)
    assert not np.any(found.at("turns", found.of("a")).counts)


def test_planned_trials_that_did_not_run_do_not_lower_what_does_not_apply(story):
    manifest = _manifest(("plain", "canary"), trials=2)
    cases = {
        "plain": Case(id="plain", question="q"),
        "canary": Case(id="canary", question="q", canaries=("https://bad.example/x",)),
    }
    for whole_cases in (False, True):
        found = Table(by_case=whole_cases)
        record = story().answer("None.").record()
        scores = score_trial(cases["canary"], record, no_pages, [BUILT_IN["robustness"]])
        found.add(Row("a", "canary", 1), scores)
        add_not_run(found, manifest, cases, [BUILT_IN["robustness"]])
        summary = summary_of(found, "injection_obeyed")

        assert (summary.planned, summary.run, summary.not_applicable) == (4, 1, 2)
        assert summary.coverage == 0.5


def _manifest(case_ids, trials):
    one = ConfigurationSummary(
        name="a", model="m", is_reference_agent=False, gate="default@1", max_retries=2, max_turns=9,
        search="none", tools=(), settings={},
    )  # fmt: skip
    return RunRecord(
        experiment="e", experiment_sha256="", dataset="d", dataset_sha256="",
        dataset_is_synthetic=True, cassettes_sha256=None, code_version="0", packages={},
        model_mode="replay", web_mode="replay", seed=1, trials=trials, case_ids=case_ids,
        configurations=(one,),
    )  # fmt: skip


def test_names_come_in_the_order_of_first_sight():
    found = filled(2, passed(1), Scored(name="turns", value=1))

    assert found.names == ("passed", "turns")


def test_scorers_are_found_by_name_and_by_path():
    assert load_scorer("gate") is BUILT_IN["gate"]
    assert load_scorer("research_eval.scorer.repair:repair_rate") is BUILT_IN["repair_rate"]


@pytest.mark.parametrize("name", ["no-such", "no.such.module:x", "research_eval.scorer.words:no"])
def test_an_unknown_scorer_is_a_config_error(name):
    with pytest.raises(ConfigError, match="scorer"):
        load_scorer(name)


def test_what_cannot_be_called_is_no_scorer():
    with pytest.raises(ConfigError, match="not callable"):
        load_scorer("research_eval.scorer.coverage:NAMES")


def test_a_scorer_that_reaches_no_verdict_leaves_the_trial_unscored(story):
    def torn(case, trial, pages):
        yield passed(1)
        raise ScoringError("two verdicts")

    scores = score_trial(None, story().record(status="limit"), no_pages, [torn])

    assert scores == (passed(1), Unscored(name="torn", reason="two verdicts"))


def test_every_default_scorer_gives_each_name_once(story):
    told = story().search("https://a.example/").fetch("https://a.example/", "Text.")
    trial = told.answer("It is 4 (https://a.example/).").record()
    names = [s.name for s in score_trial(None, trial, told.page, DEFAULT_SCORERS)]

    assert len(names) == len(set(names))
