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


ENTRIES = ["{n}. {url}", "{n}) {url}", "[{n}]: {url}", "[{n}] {url}", "[{n}]: <{url}>", "- [{n}] {url}",
           "{n}. Title: {url}", "{n}. Title\n   {url}", "[{n}] Title\n{url}", "{n}. [Title]({url})"]  # fmt: skip
HEADINGS = ["", "Sources:\n", "## References\n\n", "---\n", "**Quellen**\n"]


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("heading", HEADINGS)
@pytest.mark.parametrize("end", ["", "\n", "\n\nConfidence: 80 %"])
def test_the_answers_own_numbered_list_is_a_list_of_sources_whatever_stands_above_it(
    entry, heading, end
):
    listed = "\n".join(entry.format(n=n, url=url) for n, url in ((1, A), (2, B), (3, C)))
    text = f"One is 11 [2]. Two is 12 [1]. Nobody knows why.\n\n{heading}{listed}{end}"
    draft = read_draft(text, extract_citations(text))

    assert [claim.urls for claim in draft.claims][:3] == [(B,), (A,), ()]
    assert [claim.text for claim in draft.claims][3:] == (
        ["Confidence: 80 %"] if "C" in end else []
    )
    assert (draft.unused, draft.unresolved) == ((C,), 0)


@pytest.mark.parametrize(
    ("marker", "urls", "unresolved"),
    [
        ("[1]", (A,), 0),
        ("[1, 3]", (A, C), 0),
        ("[1-3]", (A, C), 1),
        ("[1]–[3]", (A, C), 0),
        ("[2]", (), 1),
        ("[9]", (), 1),
        ("[0]", (), 1),
        ("[5]", (), 1),
        ("[6]", (B,), 0),
        ("[1][9]", (A,), 1),
    ],
)
def test_a_marker_into_a_gap_beyond_the_list_or_at_two_entries_is_unresolved(
    marker, urls, unresolved
):
    """An entry that stands twice says the same twice, or nothing."""
    listed = f"1. {A}\n3. {C}\n5. {A}\n5. {B}\n6. {B}\n6. {B}"
    text = f"The toll is 4 crowns {marker}.\n\n{listed}"
    draft = read_draft(text, extract_citations(text))

    assert draft.claims[0].urls == urls
    assert draft.unresolved == unresolved


def test_a_bare_list_at_the_end_covers_no_sentence_even_without_markers():
    text = f"One is 11. Two is 12.\n\n1. {A}\n2. {B}"
    draft = read_draft(text, extract_citations(text))

    assert [claim.urls for claim in draft.claims] == [(), ()]
    assert draft.unused == (A, B)


def test_a_list_of_statements_before_the_list_of_sources_stays_one():
    text = f"1. One is 11 [1].\n2. Two is 12 [2].\n\n1. {A}\n2. {B}"

    assert claims(text) == [("One is 11 .", (A,)), ("Two is 12 .", (B,))]
    cited = f"1. One is 11 ({A}).\n2. Two is 12 ({B}).\n\n1. {B}\n2. {C}"
    assert claims(cited) == [("One is 11 .", (A,)), ("Two is 12 .", (B,))]


def test_a_list_in_the_middle_of_an_answer_is_none_of_sources():
    text = f"One is 11.\n\n1. Two is 12 ({A})\n2. Three is 13 ({B})\n\nFour is 14 ({C})."

    assert [urls for _, urls in claims(text)] == [(), (A,), (B,), (C,)]


@pytest.mark.parametrize("marker", ["[2019]", "[2018-2021]", "[2018, 2019]", "【2019】", "[^2019]"])
def test_a_year_in_brackets_is_no_marker_and_out_of_no_range(marker):
    text = f"The census {marker} says 11.\n\n1. {A}"
    draft = read_draft(text, extract_citations(text))

    assert (draft.claims[0].urls, draft.unresolved) == ((), 0)
    assert "20" in draft.claims[0].text


@pytest.mark.parametrize("entry", ["[2019] {url}", "[2019]: {url}", "2019. {url}"])
def test_a_year_is_a_marker_where_a_source_of_that_name_is_listed(entry):
    text = f"The census [2019] says 11, that of [2018] 12.\n\n{entry.format(url=A)}"
    draft = read_draft(text, extract_citations(text))

    assert (draft.claims[0].urls, draft.unresolved) == ((A,), 0)
    assert draft.claims[0].text == "The census says 11, that of [2018] 12."


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
