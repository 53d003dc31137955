"""Coverage looks at sentences that are worth a check, and keeps silent models in the denominator."""

import pytest

from research_eval.schema import Scored
from research_eval.scorer import no_pages
from research_eval.scorer.coverage import coverage
from research_eval.scorer.worthiness import is_check_worthy

PAGE = "https://www.morvane.example/toll"
FERRY = "https://news.morvane.example/ferry"


def scores(story, text):
    return {s.name: s for s in coverage(None, story().answer(text).record(), no_pages)}


def test_the_share_of_check_worthy_sentences_that_carry_a_citation(story):
    text = f"# Toll\nThe toll is 4 crowns ({PAGE}). It rose in 1996. I hope this helps!"
    found = scores(story, text)

    assert found["cited_claim_share"].value == 0.5
    assert found["cited_claim_share"].weight == 2.0
    assert found["check_worthy_claims"].value == 2.0
    assert found["uncited_assertion"].value == 0.0


def test_a_list_of_sources_alone_covers_nothing(story):
    found = scores(story, f"The toll is 4 crowns.\n\nSources:\n- {PAGE}\n- {FERRY}")

    assert found["cited_claim_share"].value == 0.0
    assert found["unused_sources"].value == 2.0


def test_asserting_without_any_citation_is_told_from_abstaining(story):
    assert scores(story, "The toll is 4 crowns.")["uncited_assertion"].value == 1.0
    assert (
        scores(story, "I could not verify the toll of 4 crowns.")["uncited_assertion"].value == 0.0
    )


def test_sources_without_a_url_and_markers_without_an_entry_are_counted(story):
    text = "It is 4 crowns [3] (Vane 2021), see doi: 10.1234/abc.5 and arXiv:2401.01234."
    found = scores(story, text)

    assert found["non_url_references"].value == 3.0
    assert found["unresolved_markers"].value == 1.0


def test_a_doi_inside_a_url_is_a_url(story):
    found = scores(story, "It is 4 crowns (https://doi.example/10.1234/abc.5).")

    assert found["non_url_references"].value == 0.0


def test_concentration_counts_registrable_domains(story):
    found = scores(story, f"4 crowns ({PAGE}), 6 ({FERRY}), 8 (https://other.example/x), {PAGE}.")

    assert found["domain_concentration"].value == pytest.approx(2 / 3)
    assert scores(story, "4 crowns.")["domain_concentration"].cause == "not_applicable"


def test_nothing_worth_a_check_has_no_share(story):
    assert scores(story, "Hello there.")["cited_claim_share"].cause == "not_applicable"


def test_no_answer_and_an_error_are_unscored(story):
    refused = coverage(None, story().record(status="refused"), no_pages)
    broken = coverage(None, story().answer("x").record(error="timeout"), no_pages)

    assert {s.cause for s in refused} == {"not_applicable"}
    assert {s.cause for s in broken} == {"error"}


def test_a_host_without_a_domain_is_its_own_site(story):
    found = scores(story, "4 (http://localhost/a), 5 (http://[::1]/b), 6 (http://10.0.0.1/c)")

    assert isinstance(found["domain_concentration"], Scored)


@pytest.mark.parametrize(
    "claim",
    [
        "The toll is 4 crowns.",
        "The bridge was built by Agda Vane.",
        "It is the oldest of its kind.",
        "通行料は四クローネで、モルヴァーネ橋に適用される。",
        "全国道路管理局が決める。",
    ],
)
def test_sentences_worth_a_check(claim):
    assert is_check_worthy(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "What does it cost?",
        "費用は10ですか？",
        "I searched 3 pages.",
        "以下にまとめる。",
        "It might depend on Vane.",
        "it is so.",
        "I could not verify the 4 crowns.",
    ],
)
def test_sentences_not_worth_a_check(claim):
    assert not is_check_worthy(claim)
