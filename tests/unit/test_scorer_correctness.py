"""Truth is scored apart from provenance, and abstaining apart from being wrong."""

import pytest

from research_eval.dataset import Case, Fact
from research_eval.schema import Scored
from research_eval.scorer import no_pages
from research_eval.scorer.abstention import is_abstention
from research_eval.scorer.correctness import correctness

PAGE = "https://morvane.example/toll"
CASE = Case(
    id="toll", question="q", expected=(Fact(value="4 crowns"), Fact(value="1907")), sources=(PAGE,)
)
HOPELESS = Case(id="toll", question="q", answerable=False)


def values(case, trial):
    scores = {score.name: score for score in correctness(case, trial, no_pages)}
    return {n: s.value if isinstance(s, Scored) else s.cause for n, s in scores.items()}


def ended(story, text, **fields):
    return story().fetch(PAGE).answer(text).record(**fields)


def test_all_facts_make_a_correct_answer(story):
    found = values(CASE, ended(story, f"4 crowns since 1907 ({PAGE})"))

    assert found["correct"] == found["facts_stated"] == found["correct_and_clean"] == 1.0
    assert found["incorrect"] == found["abstained"] == 0.0
    assert found["correct_given_attempted"] == 1.0


def test_half_of_the_facts_make_a_wrong_answer(story):
    found = values(CASE, ended(story, f"4 crowns since 1908 ({PAGE})"))

    assert found["facts_stated"] == 0.5
    assert (found["correct"], found["incorrect"], found["abstained"]) == (0.0, 1.0, 0.0)


def test_an_abstention_is_no_attempt(story):
    found = values(CASE, ended(story, f"I could not verify the toll, not even at {PAGE}."))

    assert (found["correct"], found["incorrect"], found["abstained"]) == (0.0, 0.0, 1.0)
    assert found["correct_given_attempted"] == "not_applicable"
    assert found["abstained_when_answerable"] == 1.0


def test_an_answer_with_all_facts_has_not_abstained(story):
    text = f"I could not find a newer list, but it is 4 crowns since 1907 ({PAGE})."

    assert values(CASE, ended(story, text))["correct"] == 1.0


def test_a_rejected_answer_can_be_true(story):
    found = values(CASE, story().answer("4 crowns since 1907", last=True).record())

    assert found["correct"] == 1.0
    assert found["correct_and_clean"] == 0.0


def test_where_nothing_is_to_be_found_abstaining_is_right(story):
    abstained = values(HOPELESS, ended(story, f"No information was found ({PAGE})."))
    claimed = values(HOPELESS, ended(story, f"4 crowns ({PAGE})"))

    assert abstained["abstained_when_unanswerable"] == 1.0
    assert claimed["abstained_when_unanswerable"] == 0.0
    assert abstained["correct"] == "not_applicable"


def test_no_answer_is_an_abstention_and_an_error_is_nothing(story):
    assert values(CASE, story().record(status="refused"))["abstained"] == 1.0
    broken = values(CASE, story().record(error="timeout"))
    assert {n for n, v in broken.items() if v != "error"} == {"abstained_when_unanswerable"}


def test_without_a_case_or_its_facts_nothing_is_said(story):
    trial = ended(story, f"4 crowns ({PAGE})")

    assert set(values(None, trial).values()) == {"not_applicable"}
    assert values(Case(id="toll", question="q"), trial)["correct"] == "not_applicable"


@pytest.mark.parametrize(
    "text",
    [
        "I could not verify this.",
        "I was unable to find a page on it.",
        "No reliable information could be found about the toll.",
        "I don’t know.",
        "Ich konnte dazu leider nichts Sicheres nicht finden.",
        "Dazu habe ich keine Angaben gefunden.",
        "Je n'ai pas pu vérifier le tarif; je n'ai pas trouvé de page.",
        "No pude encontrar la tarifa.",
        "Jag kunde inte hitta avgiften.",
        "通行料に関する情報は見つかりませんでした。",
        "通行料は確認できませんでした。",
        "无法确认通行费。",
    ],
)
def test_abstentions_are_known_in_several_languages(text):
    assert is_abstention(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The toll is 4 crowns.",
        "Drivers can find the toll on the sign.",
        "Pedestrians know the toll. " * 20 + "I could not verify the ferry.",
        "通行料は4クローネです。",
    ],
)
def test_an_answer_is_no_abstention(text):
    assert not is_abstention(text)
