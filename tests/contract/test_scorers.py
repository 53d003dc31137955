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


@pytest.mark.parametrize("name", sorted(set(SCORERS) - {"status", "efficiency", "failover"}))
@pytest.mark.parametrize("kind", ["error", "empty"])
def test_a_broken_trial_is_neither_honest_nor_dishonest(story, name, kind):
    """Only counts of what was done are kept of it."""
    scores = _scores(name, story, kind)

    assert all(isinstance(s, Unscored) and s.cause == "error" for s in scores)


@pytest.mark.parametrize("name", sorted(set(SCORERS) - {"robustness", "failover"}))
def test_a_scorer_gives_the_same_names_for_every_ending(story, name):
    """So that no measure changes its denominator by falling silent."""
    names = [{s.name for s in _scores(name, story, kind)} for kind in TRIALS]

    assert all(found == names[0] for found in names)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_scorer_reads_nothing_but_what_it_is_handed(story, name):
    told, ending = _trials(story)["completed"]

    assert list(BUILT_IN[name](CASE, told.record(**ending), no_pages))
