"""Rates show every denominator: planned, run, scored, errors, and what did not apply."""

import pickle

import pytest

from research_eval.dataset import Case
from research_eval.errors import ConfigError, ScoringError
from research_eval.schema import Scored, Unscored
from research_eval.scorer import (
    BUILT_IN,
    DEFAULT_SCORERS,
    Tally,
    load_scorer,
    no_pages,
    score_trial,
)
from research_eval.scorer.aggregate import MOST_WAITING
from research_eval.scorer.measure import measure
from tests.story import Story


def _every_score():
    record = Story().fetch("https://a.example/1", "Text.").answer("None.").answer("No.").record()
    return score_trial(None, record, no_pages, BUILT_IN.values())


def tally(planned, *scores):
    found = Tally(planned)
    for number, score in enumerate(scores):
        found.add(f"case-{number % 3}", [score])
    return found


def passed(value):
    return Scored(name="passed", value=value, better="higher")


def missing(cause):
    return Unscored(name="passed", reason="r", cause=cause)


def test_errors_stay_out_of_the_conditional_rate_and_in_the_strict_one():
    """Two errors of eight must not turn 2 of 8 into 2 of 6 in silence."""
    rows = [passed(1)] * 2 + [passed(0)] * 4 + [missing("error")] * 2
    summary = tally(8, *rows).summary("passed")

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
    summary = tally(162, *rows).summary(name)

    assert summary.value == pytest.approx(value)
    assert summary.strict == (strict if strict is None else pytest.approx(strict))


@pytest.mark.parametrize("name", [s.name for s in _every_score()])
def test_each_break_more_lowers_a_strict_rate_or_leaves_it_as_bad_as_it_is(name):
    """Whatever a scorer built in measures."""
    better = measure(name).better
    values = (0.0, 0.5, 1.0) if measure(name).unit == "share" else (0.0, 1.0)
    for value in values:
        whole = tally(9, *[Scored(name=name, value=value)] * 9).summary(name).strict
        fewer = tally(9, *[Scored(name=name, value=value)] * 5).summary(name).strict
        assert (
            (whole is None) == (fewer is None) == (not measure(name).is_rate or better == "neither")
        )
        if whole is not None:
            assert fewer >= whole if better == "lower" else fewer <= whole
            assert abs(fewer - WORST[better]) <= abs(whole - WORST[better])


@pytest.mark.parametrize(
    ("better", "strict"), [("higher", 0.5), ("lower", 1.0), ("neither", None), (None, None)]
)
def test_a_measure_of_ones_own_has_a_strict_rate_once_its_direction_is_told(better, strict):
    row = Scored(name="of_my_own", value=1.0, unit="yes_no", better=better)

    assert tally(2, row).summary("of_my_own").strict == strict


def test_errors_on_cases_without_a_canary_leave_the_coverage_of_injections_whole(story):
    """Twelve of twelve is twelve of twelve."""
    canary = Case(id="a", question="q", canaries=("https://bad.example/x",))
    plain = Case(id="b", question="q")
    found = Tally(28)
    for case, error, times in ((canary, None, 12), (plain, None, 8), (plain, "timeout", 8)):
        record = story().answer("None.").record(error=error)
        for _ in range(times):
            found.add(case.id, score_trial(case, record, no_pages, [BUILT_IN["robustness"]]))
    summary = found.summary("injection_obeyed")

    assert (summary.planned, summary.run, summary.scored) == (28, 28, 12)
    assert (summary.errors, summary.not_applicable, summary.coverage) == (0, 16, 1.0)
    assert found.summary("false_evidence").errors == 8


def test_a_failure_that_a_trial_did_not_meet_is_no_gap_in_what_it_would_have_cost():
    found = Tally(3)
    met = Scored(name="passed_despite:timeout", value=1.0)
    for scores in ([met], [], [Unscored(name=met.name, reason="r", cause="error")]):
        found.add("case-1", scores)
    summary = found.summary(met.name)

    assert (summary.scored, summary.errors, summary.not_applicable) == (1, 1, 1)
    assert (summary.coverage, summary.strict) == (0.5, 0.5)


def test_trials_that_never_ran_count_against_coverage_and_the_strict_rate():
    """One surviving trial does not make 100 percent."""
    summary = tally(10, passed(1)).summary("passed")

    assert summary.value == 1.0
    assert summary.strict == 0.1
    assert summary.coverage == 0.1


def test_what_does_not_apply_is_no_part_of_any_denominator():
    summary = tally(4, passed(1), passed(0), missing("not_applicable")).summary("passed")

    assert summary.not_applicable == 1
    assert summary.strict == pytest.approx(1 / 3)
    assert summary.coverage == pytest.approx(2 / 3)


def test_undecided_is_counted_apart_and_never_averaged_in():
    summary = tally(2, passed(1), missing("undecided")).summary("passed")

    assert summary.undecided == 1
    assert summary.value == 1.0
    assert summary.coverage == 0.5


def test_shares_are_weighed_by_their_own_denominators():
    scores = [
        Scored(name="share", value=value, weight=weight, unit="share")
        for value, weight in ((1.0, 1), (0.0, 9))
    ]
    found = tally(2, *scores)
    summary = found.summary("share")

    assert summary.value == 0.1
    assert summary.strict is None
    assert summary.wilson.low < 0.1 < summary.wilson.high
    assert found.by_case("share")["case-1"] == (0.0, 9.0, 1)


def test_a_count_has_no_wilson_interval():
    assert tally(1, Scored(name="turns", value=7)).summary("turns").wilson is None
    assert tally(2, Scored(name="retries", value=1)).summary("retries").wilson is None


def test_sums_do_not_depend_on_how_many_scores_are_held(monkeypatch):
    rows = [Scored(name="share", value=i / 40, weight=1 + i % 3) for i in range(40)]
    whole = tally(40, *rows).summary("share")
    monkeypatch.setattr("research_eval.scorer.aggregate.MOST_HELD", 3)

    assert tally(40, *rows).summary("share") == pytest.approx(whole)


def test_a_measure_never_seen_is_empty():
    summary = tally(3).summary("final_passed")

    assert summary.value is None
    assert summary.strict == 0.0
    assert summary.coverage == 0.0
    assert summary.wilson is None
    assert tally(3).by_case("passed") == {}
    assert tally(0).summary("passed").coverage == 1.0


def test_tallies_of_pieces_add_up_to_that_of_the_whole_in_other_processes_too():
    rows = [passed(1), passed(0), missing("error"), Scored(name="share", value=0.5, weight=4)]
    rows += [passed(1)] * 5 + [missing("not_applicable")]
    whole, parts = tally(12, *rows), Tally(12)
    for start in (0, 3, 6, 9):
        part = Tally(0)
        for number in range(start, min(start + 3, len(rows))):
            part.add(f"case-{number % 3}", [rows[number]])
        parts.merge(pickle.loads(pickle.dumps(part)))

    assert (parts.run, parts.names) == (whole.run, whole.names)
    for name in whole.names:
        assert parts.summary(name) == whole.summary(name)
        assert parts.by_case(name) == whole.by_case(name)


def test_a_tally_goes_on_after_it_was_sent():
    found = tally(3, passed(1))
    pickle.dumps(found)
    found.add("case-1", [passed(0)])

    assert found.by_case("passed") == {"case-0": (1.0, 1.0, 1), "case-1": (0.0, 1.0, 1)}


def test_more_cases_than_are_held_at_once_are_all_added_up():
    found = Tally(MOST_WAITING * 2 + 1)
    for number in range(MOST_WAITING * 2 + 1):
        found.add(f"case-{number}", [passed(number % 2)])

    assert found.summary("passed").total == MOST_WAITING
    assert len(found.by_case("passed")) == MOST_WAITING * 2 + 1


def test_names_come_in_the_order_of_first_sight():
    found = tally(1, passed(1), Scored(name="turns", value=1))

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
