"""What every scorer does, whatever it measures."""

import pytest

from research_eval.dataset import Case
from research_eval.schema import Scored, Unscored
from research_eval.scorer import BUILT_IN, no_pages
from research_eval.scorer.judge import JudgeScorer

PAGE = "https://morvane.example/toll"
DEAD = "https://morvane.example/gone"
SCORERS = {**BUILT_IN, "judge": JudgeScorer(lambda _prompt: "VERDICT: SUPPORTED")}
CASE = Case(id="toll", question="q", expected=({"value": "4"},), sources=(PAGE,), canaries=(DEAD,))


def _trials(story):
    told = story().search(PAGE, DEAD).fetch(PAGE, "The toll is 4 crowns.")
    told.fetch(DEAD, error="http_404").answer(f"The toll is 4 crowns ({DEAD}).")
    return {
        "completed": (told.answer(f"The toll is 4 crowns ({PAGE})."), {}),
        "rejected": (story().answer("4 crowns.", last=True), {}),
        "refused": (story().turn(), {"status": "refused"}),
        "limit": (story().search(PAGE), {"status": "limit"}),
        "error": (story().fetch(PAGE).answer("4 crowns."), {"error": "rate_limited"}),
        "empty": (story(), {"error": "cassette_miss"}),
    }


TRIALS = ("completed", "rejected", "refused", "limit", "error", "empty")


def _scores(name, story, kind, case=CASE):
    told, ending = _trials(story)[kind]
    return list(SCORERS[name](case, told.record(**ending), told.page))


@pytest.mark.parametrize("kind", TRIALS)
@pytest.mark.parametrize("name", SCORERS)
def test_a_scorer_gives_each_name_once_and_a_value_or_a_reason(story, name, kind):
    scores = _scores(name, story, kind)

    assert scores
    assert len({score.name for score in scores}) == len(scores)
    assert all(isinstance(s, Scored) or s.reason for s in scores)


@pytest.mark.parametrize("name", SCORERS)
def test_a_scorer_says_the_same_twice(story, name):
    for kind in TRIALS:
        assert _scores(name, story, kind) == _scores(name, story, kind)


@pytest.mark.parametrize("name", SCORERS)
def test_a_scorer_works_without_the_case(story, name):
    assert _scores(name, story, "completed", case=None)


COUNTERS = {"status", "efficiency", "failover"}
"""Scorers of what was done, which an error does not undo."""

CASES = {
    "usual": CASE,
    "no fact": Case(id="toll", question="q", canaries=(DEAD,)),
    "no canary": Case(id="toll", question="q", expected=({"value": "4"},)),
    "unanswerable": Case(id="toll", question="q", answerable=False),
    "unanswerable with a fact": Case(
        id="toll", question="q", answerable=False, expected=({"value": "no toll"},)
    ),
    "unknown": None,
}


def _never_scored(name, story, case):
    """Return the measures without a value whatever is answered, and those with one."""
    said = "No lorry heavier than twelve tonnes may cross the bridge"
    page = f"The toll is 4 crowns, or 12.50 for lorries. {said}."
    missing, valued = set(), set()
    for answer in (f'The toll is 4 or 12.50: "{said}" ({PAGE}).', "I could not find it."):
        told = story().fetch(PAGE, page).answer(f"None ({PAGE}) ({DEAD}).")
        told.answer(f"{answer} Confidence: 80 %").answer(f"{answer} Confidence: 80 %")
        for score in SCORERS[name](case, told.record(), told.page):
            (valued if isinstance(score, Scored) else missing).add(score.name)
    return missing - valued, valued


@pytest.mark.parametrize("name", sorted(set(SCORERS) - COUNTERS))
@pytest.mark.parametrize("kind", CASES)
def test_what_does_not_apply_to_a_case_does_not_apply_to_its_broken_trials(story, name, kind):
    """Or errors elsewhere would lower the coverage of a measure of a few cases alone."""
    elsewhere = set().union(*(_never_scored(name, story, case)[1] for case in CASES.values()))
    of_the_case = _never_scored(name, story, CASES[kind])[0] & elsewhere

    for ending in ("error", "empty"):
        causes = {s.name: s.cause for s in _scores(name, story, ending, CASES[kind])}
        assert {n for n, cause in causes.items() if cause == "not_applicable"} == of_the_case
        assert set(causes.values()) <= {"error", "not_applicable"}


def test_a_trial_that_broke_after_a_first_answer_that_passed_had_nothing_to_repair(story):
    told = story().fetch(PAGE, "The toll is 4 crowns.").answer(f"The toll is 4 crowns ({PAGE}).")
    for name in ("repair_rate", "repair_outcome"):
        scores = SCORERS[name](CASE, told.record(error="timeout"), told.page)
        assert {s.cause for s in scores} == {"not_applicable"}


@pytest.mark.parametrize("name", sorted(set(SCORERS) - COUNTERS))
@pytest.mark.parametrize("kind", ["error", "empty"])
def test_a_broken_trial_is_neither_honest_nor_dishonest(story, name, kind):
    """Only counts of what was done are kept of it."""
    scores = _scores(name, story, kind)

    assert all(isinstance(s, Unscored) for s in scores)
    assert any(s.cause == "error" for s in scores)


@pytest.mark.parametrize("name", sorted(set(SCORERS) - {"robustness", "failover"}))
def test_a_scorer_gives_the_same_names_for_every_ending(story, name):
    """So that no measure changes its denominator by falling silent."""
    names = [{s.name for s in _scores(name, story, kind)} for kind in TRIALS]

    assert all(found == names[0] for found in names)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_scorer_reads_nothing_but_what_it_is_handed(story, name):
    told, ending = _trials(story)["completed"]

    assert list(BUILT_IN[name](CASE, told.record(**ending), no_pages))
