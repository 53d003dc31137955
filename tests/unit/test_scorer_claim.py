"""Sentences get the URLs that a reader would say they rest on."""

import pytest

from research_eval.gate import extract_citations
from research_eval.scorer.claim import read_draft

A, B, C = "https://a.example/1", "https://b.example/2", "https://c.example/3"


def claims(text):
    draft = read_draft(text, extract_citations(text))
    return [(claim.text, claim.urls) for claim in draft.claims]


def test_a_citation_belongs_to_the_sentence_that_holds_it():
    text = f"The bridge opened in 1907 ({A}). The toll is 4 crowns [here]({B}). Nobody knows why."

    assert claims(text) == [
        ("The bridge opened in 1907 .", (A,)),
        ("The toll is 4 crowns .", (B,)),
        ("Nobody knows why.", ()),
    ]


def test_a_citation_behind_a_full_stop_belongs_to_the_sentence_before():
    text = f"The bridge opened in 1907. [Source]({A}) The toll is 4 crowns. ({B})"

    assert [urls for _, urls in claims(text)] == [(A,), (B,)]


def test_a_citation_on_its_own_line_covers_what_its_paragraph_left_uncited():
    text = f"One is 11. Two is 12 ({A}). Three is 13.\nSource: {B}\n\nFour is 14."

    assert [urls for _, urls in claims(text)] == [(B,), (A,), (B,), ()]


def test_a_citation_before_every_sentence_belongs_to_none():
    assert claims(f"{A}\n\nOne is 11.") == [("One is 11.", ())]


@pytest.mark.parametrize(
    "marker", ["[1]", "【1】", "[1†L10-L12]", "^1^", "[^1]", "<sup>1</sup>", "<sup>[1]</sup>"]
)
def test_a_marker_stands_for_the_entry_of_the_list(marker):
    text = f"The toll is 4 crowns {marker}.\n\n## Sources\n1. The toll: {A}\n"

    assert claims(text) == [("The toll is 4 crowns .", (A,))]


@pytest.mark.parametrize(
    ("marker", "urls"),
    [("[1,3]", (A, C)), ("[1-3]", (A, B, C)), ("[1][2]", (A, B)), ("[2, 3]", (B, C))],
)
def test_several_markers_stand_for_several_entries(marker, urls):
    text = f"The toll is 4 crowns{marker}.\n\n[1] {A}\n[2]: {B}\n[3] Three {C}\n"

    assert claims(text)[0][1] == urls


def test_markers_without_an_entry_are_counted_and_years_are_no_markers():
    text = f"It rose [2] in the census [2019] and again [7].\n\nReferences:\n[1] {A}"
    draft = read_draft(text, extract_citations(text))

    assert draft.unresolved == 2
    assert draft.unused == (A,)
    assert "[2019]" in draft.claims[0].text


def test_a_range_of_many_numbers_is_no_list_of_sources():
    assert read_draft("Pages [1-300] say so.", ()).unresolved == 0


def test_a_numbered_list_of_claims_is_no_list_of_sources():
    text = f"1. The toll is 4 crowns ({A})\n2. The ferry is 6 crowns ({B})"

    assert [urls for _, urls in claims(text)] == [(A,), (B,)]


def test_headings_fences_rules_and_images_are_no_claims():
    text = f"# Toll 2025\n**Prices**\nAs follows:\n---\n```\nGET {A}\n```\nThe toll is 4 crowns."

    assert [claim for claim, _ in claims(text)] == ["The toll is 4 crowns."]


def test_a_table_row_is_one_claim():
    text = f"| place | toll |\n|---|---|\n| Morvane | 4 crowns, [list]({A}) |"

    assert claims(text)[-1] == ("Morvane 4 crowns, list", (A,))


def test_abbreviations_initials_and_decimals_do_not_end_a_sentence():
    text = "Dr. J. Vane paid 4.50 crowns, e.g. at noon. He left."

    assert [claim for claim, _ in claims(text)] == [
        "Dr. J. Vane paid 4.50 crowns, e.g. at noon.",
        "He left.",
    ]


def test_japanese_sentences_end_without_a_space():
    text = f"橋は1907年に開通した。通行料は4クローネです（ {A} ）。理由は不明。"

    assert [urls for _, urls in claims(text)] == [(), (A,), ()]


def test_offsets_point_into_the_answer():
    text = f"One is 11. Two is 12 ({A})."
    draft = read_draft(text, extract_citations(text))

    assert text[draft.claims[1].start : draft.claims[1].end].strip() == f"Two is 12 ({A})."


@pytest.mark.parametrize("text", ["", " ", "\n\n", "***", "|||", A, "```\nopen fence"])
def test_text_without_a_sentence_has_no_claims(text):
    assert claims(text) == []
