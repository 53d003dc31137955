"""Every cited URL falls into one class, by what the trial had touched at that moment."""

import pytest

from research_eval.schema import Scored
from research_eval.scorer import no_pages
from research_eval.scorer.provenance import CLASSES, provenance

HOST = "https://morvane.example"
TOLL = f"{HOST}/bridge/toll"


def values(trial, pages=no_pages):
    scores = {score.name: score for score in provenance(None, trial, pages)}
    return {name: s.value if isinstance(s, Scored) else s.cause for name, s in scores.items()}


def final_class(trial, pages=no_pages):
    found = values(trial, pages)
    (name,) = [n for n in CLASSES if found[f"final_cited_{n}"] == 1.0]
    return name


CASES = {
    "opened": (lambda s: s.fetch(TOLL), TOLL),
    "opened by its final address": (lambda s: s.fetch(f"{HOST}/t", final_url=TOLL), TOLL),
    "opened after a failure": (lambda s: s.fetch(TOLL, error="timeout").fetch(TOLL), TOLL),
    "fetch_failed": (lambda s: s.search(TOLL).fetch(TOLL, error="http_404"), TOLL),
    "no_evidence": (lambda s: s.fetch(TOLL, evidence="soft_404"), TOLL),
    "alias": (lambda s: s.fetch(f"{HOST}/a", hops=(TOLL,), final_url=f"{HOST}/z"), TOLL),
    "alias by its canonical address": (lambda s: s.fetch(f"{HOST}/a", canonical=TOLL), TOLL),
    "snippet_only": (lambda s: s.search(TOLL), TOLL),
    "sibling": (lambda s: s.fetch(f"{HOST}/bridge/hours"), TOLL),
    "sibling above": (lambda s: s.fetch(f"{TOLL}/2025/rates"), TOLL),
    "known_host": (lambda s: s.search(f"{HOST}/ferry/a/b"), TOLL),
    "fabricated": (lambda s: s.fetch("https://other.example/"), TOLL),
    "fabricated outright": (lambda s: s, TOLL),
}


@pytest.mark.parametrize("name", CASES)
def test_the_class_of_a_cited_url(story, name):
    happen, url = CASES[name]

    trial = happen(story()).answer(f"It costs 4 crowns: {url}").record()

    assert final_class(trial) == name.split(" ")[0]


def test_a_url_in_the_text_of_an_opened_page_is_only_linked(story):
    told = story().fetch("https://list.example/", f"See [the toll]({TOLL}) and {TOLL}-old.")
    trial = told.answer(f"4 crowns: {TOLL}").record()

    assert final_class(trial, told.page) == "link_only"
    assert final_class(trial) == "fabricated"


def test_a_longer_url_on_a_page_is_another_url(story):
    told = story().fetch("https://list.example/", f"See {TOLL}-old or {TOLL}/2024.")
    trial = told.answer(f"4 crowns: {TOLL}").record()

    assert final_class(trial, told.page) == "fabricated"


def test_a_url_of_the_question_is_given_by_the_user(story):
    trial = story(f"What does {TOLL} say?").answer(f"4 crowns: {TOLL}").record()

    assert final_class(trial) == "user_given"


def test_a_page_opened_later_does_not_excuse_the_first_answer(story):
    told = story().search(TOLL).answer(f"4 crowns: {TOLL}").fetch(TOLL)
    found = values(told.answer(f"4 crowns: {TOLL}").record())

    assert found["first_cited_snippet_only"] == found["first_any_snippet_only"] == 1.0
    assert found["first_provenance_credit"] == 0.5
    assert found["final_cited_opened"] == found["final_provenance_credit"] == 1.0
    assert found["final_any_snippet_only"] == 0.0


def test_shares_carry_the_number_of_citations_as_their_weight(story):
    told = story().fetch(TOLL).search(f"{HOST}/s")
    text = f"4 crowns ({TOLL}), also {TOLL}, {HOST}/s and https://made-up.example/x"
    scores = {s.name: s for s in provenance(None, told.answer(text).record(), no_pages)}

    assert scores["final_citations"].value == 3.0
    for name in ("opened", "snippet_only", "fabricated", "never_seen"):
        assert scores[f"final_cited_{name}"].value == pytest.approx(1 / 3)
        assert scores[f"final_cited_{name}"].weight == 3.0
        assert scores[f"final_any_{name}"].weight == 1.0
    assert scores["final_provenance_credit"].value == 0.5


def test_an_answer_without_citations_has_no_share_but_stays_in_the_denominator(story):
    """A model that rarely cites must not look better for it."""
    found = values(story().answer("4 crowns.").record())

    assert found["final_citations"] == found["final_any_fabricated"] == 0.0
    assert found["final_cited_fabricated"] == "not_applicable"


def test_a_trial_without_an_answer_or_with_an_error_has_no_classes(story):
    assert set(values(story().record(status="refused")).values()) == {"not_applicable"}
    assert set(values(story().answer("x").record(error="timeout")).values()) == {"error"}


def test_classes_do_not_depend_on_the_gate_that_ruled(story):
    """The seed gate cuts a URL at its first foreign character; the class looks at the whole."""
    url = f"{HOST}/橋/通行料"
    trials = [
        story(gate=gate).fetch(url).answer(f"4 crowns <{url}>").record()
        for gate in ("default", "seed")
    ]

    assert [final_class(trial) for trial in trials] == ["opened", "opened"]
