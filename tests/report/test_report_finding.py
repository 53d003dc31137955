"""The sentences that a report begins with are computed from its table."""

import pytest

from research_eval.report.aggregate import build_view
from research_eval.report.finding import finding, in_order
from research_eval.report.markdown import render_markdown
from research_eval.report.plot import draw_files
from research_eval.schema import Failure
from research_eval.scorer import DEFAULT_SCORERS, no_pages, score_trial

GOOD = "See https://a.example/ there"
CASES = [f"case-{n}" for n in range(1, 13)]


def seen(made, trials, *, models=("alpha", "beta"), scripts=()):
    made_up = [
        made.configuration(name, is_reference_agent=False, model="openai:x") for name in models
    ]
    made_up += [made.configuration(name) for name in scripts]
    record = made.manifest(made_up, CASES)
    return build_view(
        record, trials, score=lambda trial: score_trial(None, trial, no_pages, DEFAULT_SCORERS)
    )


def answered(made, under, passing):
    bad = made.checked(1, "No source", "no_citation", corrective="Cite.")
    return [
        made.trial([made.checked(1, GOOD)] if n < passing else [bad, made.checked(2, GOOD)],
                   case_id=case, under=under)
        for n, case in enumerate(CASES)
    ]  # fmt: skip


def test_the_best_model_comes_first_with_its_counts_and_interval(made):
    view = seen(made, answered(made, "alpha", 2) + answered(made, "beta", 12))
    first, *rest = finding(view)

    assert first.startswith(
        "The first answer of beta cited only opened pages in 100.0 % (12 of 12,"
    )
    assert "alpha in 16.7 % (2 of 12, interval" in first
    assert [one.name for one in in_order(view)[0]] == ["beta", "alpha"]
    assert any("repaired 10 of 10 rejected first answers" in one for one in rest)
    assert any("12 cases show a difference of first answers: +83.3 points" in one for one in rest)


def test_models_that_are_alike_are_not_ranked(made):
    view = seen(made, answered(made, "alpha", 6) + answered(made, "beta", 6))
    told = " ".join(finding(view))

    assert "none is ahead" in told
    assert "12 cases show no difference" in told


def test_errors_and_missing_trials_are_told_and_count_for_nothing(made):
    failure = Failure(kind="timeout", message="slow")
    trials = answered(made, "alpha", 12)[:-2]
    trials.append(made.trial(case_id=CASES[-1], under="alpha", status="error", failure=failure))
    told = " ".join(finding(seen(made, trials, models=("alpha",))))

    assert "100.0 % (10 of 10," in told
    assert "1 trial ended in an error of the infrastructure" in told
    assert "1 of 12 planned trials did not run" in told


def test_reference_agents_are_never_called_models(made):
    view = seen(made, answered(made, "honest", 12), models=(), scripts=("honest",))
    assert finding(view)[0] == "No model took part: 1 reference agent alone ran, to calibrate."

    both = seen(made, answered(made, "honest", 12) + answered(made, "alpha", 0), models=("alpha",),
                scripts=("honest",))  # fmt: skip
    assert "honest" not in finding(both)[0]
    assert "1 reference agent, which calibrate" in finding(both)[-1]


def test_a_run_without_a_judged_trial_says_so(made):
    assert finding(seen(made, []))[0].startswith("No trial of a model could be judged")


def test_markdown_begins_with_the_finding(made):
    view = seen(made, answered(made, "alpha", 2) + answered(made, "beta", 12))
    told = render_markdown(view)

    assert told.index("The first answer of beta") < told.index("## Summary")


@pytest.mark.parametrize("is_narrow", [False, True])
def test_pictures_are_drawn_for_a_page_and_for_a_phone(made, large, is_narrow):
    record, trials = large
    view = build_view(
        record, trials, score=lambda trial: score_trial(None, trial, no_pages, DEFAULT_SCORERS)
    )
    drawn = draw_files(view, "svg", is_narrow=is_narrow)

    assert list(drawn) == ["pass", "slope", "outcomes", "violations", "served"]
    for name, svg in drawn.items():
        assert b"smollm2-135m" in svg, name
    wide = float(drawn["pass"].partition(b'width="')[2].partition(b"pt")[0])
    assert wide == pytest.approx(288 if is_narrow else 619.2, abs=1)
