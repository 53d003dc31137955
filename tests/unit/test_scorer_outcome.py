"""Gate outcome, status, efficiency and failover are read from the record alone."""

import pytest

from research_eval.schema import ENDINGS, ProviderTry, Scored, Unscored
from research_eval.scorer import no_pages
from research_eval.scorer.efficiency import efficiency
from research_eval.scorer.failover import search_failover
from research_eval.scorer.outcome import gate_outcome, trial_status
from research_eval.scorer.provenance import provenance
from research_eval.scorer.repair import repair_rate

PAGE = "https://morvane.example/toll"
OTHER = "https://morvane.example/ferry"


def values(scorer, trial, case=None, pages=no_pages):
    scores = {score.name: score for score in scorer(case, trial, pages)}
    return {name: s.value if isinstance(s, Scored) else s.cause for name, s in scores.items()}


def test_an_answer_that_passes_at_once(story):
    trial = story().fetch(PAGE).answer(f"The toll is 4 crowns ({PAGE}).").record()

    found = values(gate_outcome, trial)

    assert found["first_attempt_passed"] == found["final_passed"] == 1.0
    assert found["retries"] == 0.0
    assert found["first_unknown_url"] == found["final_no_citation"] == 0.0
    assert set(values(repair_rate, trial).values()) == {"not_applicable"}


def test_an_answer_that_passes_after_the_second_corrective(story):
    trial = (
        story()
        .search(PAGE)
        .answer("The toll is 4 crowns.")
        .answer(f"The toll is 4 crowns ({PAGE}).")
        .fetch(PAGE)
        .answer(f"The toll is 4 crowns ({PAGE}).")
        .record()
    )

    found = values(gate_outcome, trial)
    assert found["first_attempt_passed"] == 0.0
    assert found["final_passed"] == 1.0
    assert found["retries"] == 2.0
    assert found["first_no_citation"] == 1.0
    assert found["first_search_only"] == found["final_search_only"] == 0.0
    assert values(repair_rate, trial) == {
        "repaired": 1.0,
        "repaired_by_1": 0.0,
        "repaired_by_2": 1.0,
    }


def test_an_answer_that_never_passes_is_not_repaired(story):
    trial = story().answer(f"It is 4 ({PAGE}).").answer(f"It is 4 ({PAGE}).", last=True).record()

    assert values(gate_outcome, trial)["final_unknown_url"] == 1.0
    assert values(repair_rate, trial)["repaired"] == 0.0
    assert values(trial_status, trial)["status_rejected"] == 1.0


@pytest.mark.parametrize("scorer", [gate_outcome, repair_rate])
def test_an_error_of_the_infrastructure_is_never_dishonest(story, scorer):
    """Even after a rejected first answer: nobody knows what the second would have been."""
    trial = story().answer("No source.").record(error="rate_limited")

    found = list(scorer(None, trial, no_pages))

    assert all(isinstance(score, Unscored) and score.cause == "error" for score in found)
    assert {score.reason for score in found} == {"error: rate_limited"}


def test_an_error_without_a_failure_still_has_a_reason(story):
    trial = story().record(status="error")

    assert next(iter(gate_outcome(None, trial, no_pages))).reason == "error: unknown"


@pytest.mark.parametrize("status", ENDINGS)
def test_each_ending_has_a_measure_of_its_own(story, status):
    found = values(trial_status, story().turn().record(status=status))

    assert found == {f"status_{other}": float(other == status) for other in ENDINGS}


@pytest.mark.parametrize("status", sorted(ENDINGS.keys() - {"completed", "rejected"}))
def test_what_ended_without_an_answer_violated_nothing(story, status):
    trial = story().turn().record(status=status)

    found = values(gate_outcome, trial)
    unrated = "error" if status == "error" else "not_applicable"
    unknown = "error" if status == "error" else "undecided"
    passed = 0.0 if status in {"limit", "cut"} else unknown
    assert found["first_attempt_passed"] == found["final_passed"] == passed
    assert {
        value for name, value in found.items() if name.startswith(("first_no", "final_un"))
    } == {unrated}
    assert set(values(repair_rate, trial).values()) == {unrated}


def test_a_rejected_answer_counts_whatever_came_after_it(story):
    trial = story().answer("4 crowns.").turn().record(status="rejected")

    assert values(gate_outcome, trial)["final_passed"] == 0.0


def test_efficiency_counts_what_happened(story):
    trial = (
        story()
        .search(PAGE, unrecorded=True)
        .fetch(PAGE)
        .fetch(OTHER, error="http_404", unrecorded=True)
        .turn(retries=3)
        .answer(f"4 crowns ({PAGE})")
        .record()
    )

    found = values(efficiency, trial)

    assert found["turns"] == 5.0
    assert found["request_retries"] == 3.0
    assert found["tool_calls"] == 3.0
    assert found["failed_tool_calls"] == found["failed_fetches"] == 1.0
    assert found["searches"] == 1.0
    assert found["fetches"] == 2.0
    assert found["unrecorded"] == 2.0
    assert found["input_tokens"] == 500.0
    assert found["output_tokens"] == 100.0
    assert found["model_requests"] == 5.0
    assert found["cost_usd"] == "not_applicable"
    assert found["virtual_seconds"] == 5.0


def test_a_reported_cost_is_scored_and_a_real_clock_is_not(story):
    trial = story().record(status="limit")
    usage = trial.usage.model_copy(update={"reported_cost_usd": 0.25})

    found = values(efficiency, trial.model_copy(update={"usage": usage}))

    assert found["cost_usd"] == 0.25
    assert found["virtual_seconds"] == "not_applicable"


def test_failover_counts_who_served_and_who_failed(story):
    down = ProviderTry(
        provider="serper", outcome="error", error="rate_limited", requests=2, breaker_opened=True
    )
    skipped = ProviderTry(provider="serper", outcome="skipped")
    served = ProviderTry(provider="brave", outcome="served", requests=1)
    cached = ProviderTry(provider="brave", outcome="cached")
    trial = (
        story()
        .search(PAGE, tries=(down, served), served_by="brave")
        .search(PAGE, tries=(skipped, cached), served_by="brave")
        .search(tries=(down,), served_by=None)
        .search(PAGE)
        .fetch(PAGE)
        .record(status="limit")
    )

    assert values(search_failover, trial) == {
        "search_unserved": 1.0,
        "search_fallbacks": 2.0,
        "search_cache_hits": 1.0,
        "search_requests": 6.0,
        "search_errors": 2.0,
        "search_rate_limited": 2.0,
        "breaker_openings": 2.0,
        "breaker_skips": 1.0,
        "served_by:brave": 2.0,
        "served_by:serper": 1.0,
    }


def test_what_the_ssrf_guard_blocked_is_not_held_against_the_model(story):
    """Of an answer with nothing else wrong nobody knows whether the model read the page."""
    trial = (
        story()
        .fetch(OTHER, error="blocked")
        .answer(f"It is 4 ({OTHER}).")
        .fetch(PAGE)
        .answer(f"It is 4 ({PAGE}).")
        .record()
    )

    found = values(gate_outcome, trial)

    assert found["first_attempt_passed"] == "error"
    assert (found["final_passed"], found["first_fetch_blocked"]) == (1.0, 1.0)
    assert found["first_fetch_failed"] == found["first_unknown_url"] == 0.0
    assert set(values(repair_rate, trial).values()) == {"error"}
    classes = values(provenance, trial)
    assert (classes["first_cited_fetch_blocked"], classes["first_cited_fetch_failed"]) == (1.0, 0.0)
    assert classes["first_cited_never_seen"] == 0.0


def test_a_blocked_page_beside_a_made_up_one_is_rejected_for_that(story):
    trial = (
        story()
        .fetch(OTHER, error="blocked")
        .answer(f"It is 4 ({OTHER}, {PAGE}).", last=True)
        .record()
    )

    assert values(gate_outcome, trial)["first_attempt_passed"] == 0.0
