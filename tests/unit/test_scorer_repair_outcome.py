"""How a repair went is told apart by what happened to the claim and to its citation."""

import pytest

from research_eval.schema import Scored, Unscored, Usage
from research_eval.scorer import no_pages
from research_eval.scorer.repair import repair_outcome
from research_eval.scorer.repair_outcome import REPAIR_OUTCOMES

TOLL = "https://morvane.example/toll"
FERRY = "https://morvane.example/ferry"
CLAIM = "The toll at Morvane bridge is 4 crowns"
OTHER = "The ferry over the sound takes 25 minutes"


def scores(trial):
    return {score.name: score for score in repair_outcome(None, trial, no_pages)}


def outcome(trial):
    found = scores(trial)
    (name,) = [n for n in REPAIR_OUTCOMES if getattr(found[f"repair_{n}"], "value", 0) == 1.0]
    return name


def begun(story, first=f"{CLAIM} ({TOLL})."):
    return story().search(TOLL, FERRY).answer(first)


NEXT = {
    "refetched": (lambda s: s.fetch(TOLL), f"{CLAIM} ({TOLL})."),
    "replaced": (lambda s: s.fetch(FERRY), f"{CLAIM} ({FERRY})."),
    "claim_removed": (lambda s: s.fetch(FERRY), f"{OTHER} ({FERRY})."),
    "citation_stripped": (lambda s: s.fetch(FERRY), f"{CLAIM}. {OTHER} ({FERRY})."),
    "relabelled": (lambda s: s, f"{CLAIM}, as [the authority says]({TOLL})."),
    "relabelled by query": (lambda s: s, f"{CLAIM} ({TOLL}?lang=en)."),
    "swapped": (lambda s: s, f"{CLAIM} ({FERRY})."),
    "unchanged": (lambda s: s, f"{CLAIM} ({TOLL})."),
    "gave_up": (lambda s: s, "I could not verify the toll."),
}


@pytest.mark.parametrize("name", NEXT)
def test_what_became_of_a_claim_with_a_bad_citation(story, name):
    happen, text = NEXT[name]

    trial = happen(begun(story)).answer(text, last=True).record()

    assert outcome(trial) == name.split(" ")[0]


UNCITED = {
    "refetched": (lambda s: s.fetch(TOLL), f"{CLAIM} ({TOLL})."),
    "swapped": (lambda s: s, f"{CLAIM} ({TOLL})."),
    "unchanged": (lambda s: s, f"{CLAIM}."),
    "relabelled": (lambda s: s, f"{CLAIM}, according to the authority."),
    "gave_up": (lambda s: s, "I was unable to find the toll."),
}


@pytest.mark.parametrize("name", UNCITED)
def test_what_became_of_an_answer_without_citations(story, name):
    happen, text = UNCITED[name]

    trial = happen(begun(story, f"{CLAIM}.")).answer(text, last=True).record()

    assert outcome(trial) == name


def test_citing_a_page_that_was_open_all_along_is_a_replacement(story):
    trial = story().fetch(TOLL).answer(f"{CLAIM}.").answer(f"{CLAIM} ({TOLL}).").record()

    assert outcome(trial) == "replaced"


def test_no_further_answer_is_giving_up(story):
    assert outcome(begun(story).record(status="limit")) == "gave_up"


def test_after_an_error_nothing_is_said(story):
    found = scores(begun(story).record(error="timeout"))

    assert all(isinstance(s, Unscored) and s.cause == "error" for s in found.values())


def test_without_a_corrective_there_is_no_outcome_but_there_is_a_cost(story):
    found = scores(story().answer(f"{CLAIM} ({TOLL}).", last=True).record())

    assert {found[f"repair_{n}"].cause for n in REPAIR_OUTCOMES} == {"not_applicable"}
    assert found["over_correction"].cause == "not_applicable"
    assert found["repair_turns"].value == 0.0


def test_a_first_answer_that_passed_has_nothing_to_repair(story):
    found = scores(story().fetch(TOLL).answer(f"{CLAIM} ({TOLL}).").record())

    assert {s.cause for s in found.values()} == {"not_applicable"}
    assert {s.cause for s in scores(story().record(status="refused")).values()} == {
        "not_applicable"
    }


def test_valid_citations_that_were_dropped_are_over_correction(story):
    told = story().fetch(TOLL).fetch(FERRY)
    told.answer(f"{CLAIM} ({TOLL}). {OTHER} ({FERRY}). It rains (https://x.example/rain).")
    found = scores(told.answer(f"{CLAIM} ({TOLL}).").record())

    assert found["over_correction"].value == 0.5
    assert found["over_correction"].weight == 2.0


def test_violations_that_a_retry_adds_are_new(story):
    told = begun(story).answer(f"{CLAIM} ({TOLL}). It rains (https://x.example/rain).", last=True)
    found = scores(told.record())

    assert found["new_violations"].value == 0.5
    assert found["new_violations"].weight == 2.0


def test_the_cost_of_a_repair_is_what_came_after_the_first_verdict(story):
    told = begun(story).fetch(TOLL).answer(f"{CLAIM} ({TOLL}).")
    found = scores(told.record())

    assert found["repair_turns"].value == 2.0
    assert found["repair_tool_calls"].value == 1.0
    assert found["repair_tokens"].value == 240.0
    assert found["repair_seconds"].value == 2.0


def test_a_real_clock_gives_no_repair_seconds(story):
    record = begun(story).fetch(TOLL).answer(f"{CLAIM} ({TOLL}).").record()
    timeless = [e.model_copy(update={"at_s": None}) for e in record.transcript]

    found = scores(record.model_copy(update={"transcript": tuple(timeless)}))

    assert isinstance(found["repair_tokens"], Scored)
    assert found["repair_seconds"].cause == "not_applicable"


def test_tokens_of_a_repair_are_unknown_where_a_later_reply_came_without_usage(story):
    told = story().answer("None.").answer("None again.", last=True)
    events = list(told.record().transcript)
    later = next(n for n, e in enumerate(events) if e.kind == "model" and n)
    silent = Usage(requests=1, unmeasured_requests=1)
    events[later] = events[later].model_copy(update={"usage": silent})
    record = told.record().model_copy(update={"transcript": tuple(events)})
    found = scores(record)

    assert found["repair_tokens"].cause == "undecided"
    assert found["repair_turns"].value == 1.0
