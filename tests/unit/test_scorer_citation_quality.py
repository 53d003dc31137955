"""Recall, precision, thoroughness and necessity of citations, as the field defines them."""

import pytest

from research_eval.scorer.citation_quality import (
    CitationQualityScorer,
    CitationQualitySettings,
    smallest_cover,
)
from tests.cost import costs_less_than

TOLL = "https://morvane.example/toll"
FERRY = "https://morvane.example/ferry"
OTHER = "https://other.example/x"
TOLL_TEXT = "The toll at Morvane bridge is 4.50 crowns for a car."
FERRY_TEXT = "The ferry to Skerravoe leaves at 9.15 every morning."
FREE = "Pedestrians cross Morvane bridge free of charge."


def scores(told, **settings):
    scorer = CitationQualityScorer(CitationQualitySettings(**settings))
    return {s.name: s for s in scorer(None, told.record(), told.page)}


def two_pages(story):
    return story().fetch(TOLL, TOLL_TEXT).fetch(FERRY, FERRY_TEXT)


def test_recall_is_of_all_sentences_and_an_uncited_one_has_none(story):
    told = two_pages(story).answer(f"{TOLL_TEXT[:-1]} ({TOLL}). {FERRY_TEXT[:-1]} ({TOLL}). {FREE}")
    found = scores(told)

    assert found["citation_recall"].value == pytest.approx(1 / 3)
    assert found["citation_recall"].weight == 3.0


def test_a_sentence_that_needs_no_citation_is_recalled_without_one_in_the_other_version(story):
    told = two_pages(story).answer(f"I hope this helps. {TOLL_TEXT[:-1]} ({TOLL}).")
    found = scores(told)

    assert found["citation_recall"].value == 0.5
    assert found["citation_recall_needed"].value == 1.0


def test_pages_support_a_sentence_together_that_none_supports_alone(story):
    both = "The toll at Morvane bridge is 4.50 crowns and the ferry to Skerravoe leaves at 9.15"
    told = two_pages(story).answer(f"{both} ({TOLL}) ({FERRY}).")
    found = scores(told)

    assert found["citation_recall"].value == 1.0
    assert found["citation_precision"].value == 1.0


def test_a_decorative_citation_is_not_precise(story):
    told = two_pages(story).answer(f"{TOLL_TEXT[:-1]} ({TOLL}) ({FERRY}).")
    found = scores(told)

    assert found["citation_recall"].value == 1.0
    assert found["citation_precision"].value == 0.5
    assert found["citation_precision"].weight == 2.0


def test_no_citation_of_an_unsupported_sentence_is_precise(story):
    told = two_pages(story).answer(f"{FERRY_TEXT[:-1]} ({TOLL}).")
    found = scores(told)

    assert found["citation_precision"].value == found["citation_precision_upper"].value == 0.0


def test_undecided_and_unreadable_count_in_the_upper_bound_alone(story):
    told = two_pages(story).answer(f"{TOLL_TEXT[:-1]} ({OTHER}).")
    found = scores(told)

    assert found["citation_recall"].value == found["citation_precision"].value == 0.0
    assert found["citation_recall_upper"].value == found["citation_precision_upper"].value == 1.0


def test_thoroughness_is_the_cited_share_of_all_support_that_was_opened(story):
    told = two_pages(story).fetch(OTHER, f"{TOLL_TEXT} {FREE}")
    told.answer(f"{TOLL_TEXT[:-1]} ({TOLL}). {FERRY_TEXT[:-1]} ({FERRY}).")

    assert scores(told)["thoroughness"].value == pytest.approx(2 / 3)
    assert scores(told)["uncited_pages"].value == pytest.approx(1 / 3)


def test_a_source_is_necessary_if_the_smallest_set_needs_it(story):
    told = two_pages(story).fetch(OTHER, f"{TOLL_TEXT} {FERRY_TEXT}")
    told.answer(f"{TOLL_TEXT[:-1]} ({TOLL}) ({OTHER}). {FERRY_TEXT[:-1]} ({FERRY}) ({OTHER}).")
    found = scores(told)["source_necessity"]

    assert (found.value, found.weight) == (pytest.approx(1 / 3), 3.0)


def test_the_smallest_cover_is_exact_for_few_and_close_for_many():
    assert smallest_cover([]) == 0
    assert smallest_cover([{"a", "b"}, {"a", "c"}, {"b", "c"}]) == 2
    many = [{f"s{n}", "hub"} for n in range(20)]
    assert smallest_cover(many) == 1


def test_f1_rewards_supported_sentences_up_to_enough_of_them(story):
    told = two_pages(story).answer(f"{TOLL_TEXT[:-1]} ({TOLL}). {FERRY_TEXT[:-1]} ({TOLL}).")

    assert scores(told, enough=1)["support_f1"].value == pytest.approx(2 * 0.5 / 1.5)
    assert scores(told, enough=4)["support_f1"].value == pytest.approx(2 * 0.5 * 0.25 / 0.75)
    assert scores(story().answer("Hm, no."))["support_f1"].value == 0.0


def test_no_answer_has_nothing_to_measure(story):
    found = CitationQualityScorer()(None, story().record(status="refused"), lambda _: None)

    assert {score.cause for score in found} == {"not_applicable"}


def test_uncited_sentences_lower_recall_and_leave_precision_alone(story):
    """One harness in use counts an uncited sentence as a citation without precision."""
    told = two_pages(story).answer(f"{TOLL_TEXT[:-1]} ({TOLL}). {FREE} {FERRY_TEXT}")
    found = scores(told)

    assert found["citation_precision"].value == 1.0
    assert found["citation_recall"].value == pytest.approx(1 / 3)


def test_short_sentences_count_like_long_ones(story):
    told = two_pages(story).answer(f"Cars pay 4.50 crowns ({FERRY}). {FERRY_TEXT[:-1]} ({FERRY}).")

    assert scores(told)["citation_recall"].value == 0.5


def test_a_marker_that_points_at_nothing_supports_nothing_and_a_year_is_no_marker(story):
    dated = "The ferry to Skerravoe leaves at 9.15 every morning since 2019."
    told = story().fetch(TOLL, TOLL_TEXT).fetch(FERRY, dated)
    told.answer(
        f"{TOLL_TEXT[:-1]} [7]. {FERRY_TEXT[:-1]} since [2019] [1].\n\nSources:\n[1] {FERRY}"
    )
    found = scores(told)

    assert found["citation_recall"].value == 0.5
    assert found["citation_precision"].weight == 1.0


def test_many_sentences_over_large_pages_cost_little_more_than_few(story):
    """Pages cited together are joined once, not once a sentence."""
    page = " ".join(
        f"Bridge {n} has a toll of {n}.50 crowns since {n + 1000}." for n in range(3000)
    )

    def judge(sentences):
        told = story().fetch(TOLL, page).fetch(FERRY, page[::-1])
        answer = (f"Ferry {n} sails with {n} people ({TOLL}) ({FERRY})." for n in range(sentences))
        told.answer(" ".join(answer))
        return lambda: scores(told)

    assert costs_less_than(4, judge(120), judge(12))
