"""Quotations are found over sentences, in marks of many languages and in blocks, and held to the cited pages."""

# marks of many scripts stand here on purpose

from itertools import pairwise

import pytest
from hypothesis import example, given, strategies as st

from research_eval.scorer.grounding import GroundingScorer
from research_eval.scorer.quotation import find_quotations, quotable, stands_in
from research_eval.scorer.words import normalise
from tests.cost import costs_less_than

PAGE = "https://morvane.example/bridge"
FERRY = "https://morvane.example/ferry"
ONE = "No lorry heavier than twelve tonnes may cross."
TWO = "Drivers of lighter ones pay at the northern gate."
TEXT = f"The bridge is old. {ONE} {TWO} The toll is 4.50 crowns for a car, and nobody is let off."
MADE_UP = "Every driver shall greet the warden kindly. Whoever forgets it pays the double toll."
LONG = " ".join(f"The keeper of gate {n} wrote down whoever came by." for n in range(20))


def texts(answer):
    return [quotation.text for quotation in find_quotations(answer)]


def validity(story, answer, **pages):
    told = story().fetch(PAGE, pages.get("page", TEXT))
    if "ferry" in pages:
        told.fetch(FERRY, pages["ferry"])
    told.answer(answer)
    scores = {s.name: s for s in GroundingScorer()(None, told.record(), told.page)}
    found = scores["quote_validity"]
    return (found.value, found.weight) if found.status == "scored" else found.cause


@pytest.mark.parametrize(
    "marks",
    ["“{}”", '"{}"', "„{}“", "„{}”", "”{}”", "«{}»", "« {} »", "»{}«", "「{}」", "『{}』", "‘{}’", "＂{}＂",
     '“{}"', "**“{}”**", "*“{}”*", "\n\n> {}\n\n", "\n> “{}”\n", "\n1. > {}\n", "(“{}”)", '"{}",'],
)  # fmt: skip
@pytest.mark.parametrize("quoted", [ONE, f"{ONE} {TWO}", LONG])
def test_a_quotation_is_found_whole_whatever_marks_it_stands_in(marks, quoted):
    (found,) = texts(f"The rule says: {marks.format(quoted)} So it is.")

    assert found == quoted


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (f"“He said ‘{ONE}’ and went off home.”", [f"He said ‘{ONE}’ and went off home."]),
        (f"“He said “{ONE}” and went off home.”", [f"He said “{ONE}” and went off home."]),
        (f"„Er sagte ‚so etwas kommt hier vor‘ und ging.“ “{ONE}”",
         ["Er sagte ‚so etwas kommt hier vor‘ und ging.", ONE]),
        (f"« Il a dit “{ONE}” avant de partir »", [f"Il a dit “{ONE}” avant de partir"]),
        (f"「彼は『橋は千九百七年に開通した』と言いました」と“{ONE}”",
         ["彼は『橋は千九百七年に開通した』と言いました", ONE]),
    ],
)  # fmt: skip
def test_what_stands_within_a_quotation_is_a_part_of_it(answer, found):
    assert texts(answer) == found


@pytest.mark.parametrize("mark", ['"', "“", "„", "”", "«", "»", "「", "‘", "'", "＂"])
def test_a_mark_that_is_never_closed_swallows_nothing(mark):
    assert texts(f"It is {mark}never closed.\n\nHe wrote “{ONE}” there.") == [ONE]
    assert texts(f"It is {mark}never closed. He wrote “{ONE}” there.") == [ONE]
    assert texts(f"He wrote “{ONE}” there. It is {mark}never closed, and so on and so forth.") == [
        ONE
    ]
    assert texts(f"- It is {mark}never closed\n- He wrote “{ONE}” there.") == [ONE]


def test_straight_marks_of_inches_and_of_an_opening_alone_pair_with_nothing():
    assert texts(f'A 5" pipe and a 7" pipe lie there. He wrote "{ONE}" on it.') == [ONE]
    assert texts(f'It is "never closed. He wrote "{ONE}" on it.') == [ONE]


@pytest.mark.parametrize(
    "answer",
    [
        f"```\nprint('“{ONE}”')\n```", f"`“{ONE}”` is code.", "He said “yes” and “no, not at all”.",
        f"> [!NOTE]\n> {ONE}", f"> **Note:** {ONE}", "The dogs' bowls and the cats' bowls are full.",
        f"~~~\n> {ONE}", "",
    ],
)  # fmt: skip
def test_code_notes_terms_and_apostrophes_quote_nothing(answer):
    assert texts(answer) == []


def test_a_block_ends_with_its_words_and_holds_the_name_below_them():
    answer = f"It says:\n\n> {ONE}\n> {TWO}\n>\n> — The warden, [page]({PAGE})\n\nMore."
    (found,) = find_quotations(answer)

    assert found.text == f"{ONE} {TWO}"
    assert PAGE in answer[found.start : found.end]
    assert texts(f"> {ONE} — The warden") == [ONE]
    assert texts(f"> “{ONE}” wrote the warden, who was new.") == [ONE]


def test_emphasis_links_and_markers_are_no_part_of_a_quotation():
    assert texts("“No **lorry** heavier than [1] twelve tonnes may *cross*.”") == [ONE]


def test_an_invented_quotation_of_two_sentences_is_as_invalid_as_one_of_one(story):
    """Sentences are split within it, so that each half lacks a mark."""
    for marks in ("“{}”", '"{}"', "„{}“", "« {} »", "\n\n> {}\n\n"):
        for made_up in (MADE_UP, MADE_UP.split(". ", maxsplit=1)[0], MADE_UP + LONG):
            answer = f"The rule is known: {marks.format(made_up)} ([rule]({PAGE}))"
            assert validity(story, answer) == (0.0, 1.0)


@pytest.mark.parametrize("marks", ["“{}”", '"{}"', "»{}«", "\n\n> {}\n\n"])
def test_a_true_quotation_of_two_sentences_is_valid(story, marks):
    answer = f"The rule is known: {marks.format(f'{ONE} {TWO}')} ([rule]({PAGE}))"

    assert validity(story, answer) == (1.0, 1.0)


def test_a_quotation_is_looked_for_on_the_pages_that_its_sentences_cite(story):
    ferry = f"The ferry is old. {MADE_UP}"
    inside = f"“{ONE} {TWO}” ({PAGE}). The ferry leaves at nine ({FERRY})."
    elsewhere = f"“{ONE} {TWO}” ({FERRY}). The bridge is old and long ({PAGE})."
    nowhere = f"“{ONE} {TWO}”\n\nThe bridge is old and long ({PAGE}). The ferry too ({FERRY})."

    assert validity(story, inside, ferry=ferry) == (1.0, 1.0)
    assert validity(story, elsewhere, ferry=ferry) == (0.0, 1.0)
    assert validity(story, nowhere, ferry=ferry) == (1.0, 1.0)


def test_a_title_in_the_list_of_sources_is_no_quotation(story):
    answer = f"The bridge is old [1].\n\nSources:\n[1] “All the old bridges of the north”, {PAGE}"

    assert validity(story, answer) == "not_applicable"


@pytest.mark.parametrize(
    ("quoted", "stands"),
    [
        ("The bridge is old … Drivers of lighter ones pay", True),
        ("Drivers of lighter ones pay … The bridge is old", False),
        ("No lorry heavier [...] may cross … at the northern gate", True),
        ("No lorry heavier (...) may cross. . . at the northern gate", True),
        ("The bridge is old … and every lorry is welcome", False),
        ("... no lorry heavier than twelve tonnes may cross ...", True),
        ("[N]o lorry heavier than twelve tonnes may cross", True),
        ("no lorry heavier than [the] twelve tonnes may cross", True),
        ("No Lorry  heavier\nthan twelve tonnes may cross!"[:-1], True),
        ("The toll is 4.50 crowns for a car", True),
        ("The toll is 4.50 crowns for", True),
        ("the bridge is old. no lorry heavier than twelve ton", False),
        ("The bridge is old … The toll is 4", False),
        ("ridge is old. No lorry heavier", False),
    ],
)
def test_parts_stand_in_their_order_and_in_whole_words(quoted, stands):
    assert stands_in(quoted, quotable(normalise(TEXT))) is stands


def test_marks_within_may_be_of_another_kind_on_the_page():
    page = quotable(
        normalise("The warden said: “Whoever greets me ‘kindly’ goes free, and that’s it.”")
    )

    assert stands_in("Whoever greets me “kindly” goes free, and that's it", page)
    assert stands_in('said: "Whoever greets me kindly', page)


@pytest.mark.parametrize(
    "mark", ['"', "“", "„", "«", "»", "「", "‘", ' "', "> ", "“a”", "`", "\n> "]
)
def test_any_number_of_marks_costs_no_more_than_its_length(mark):
    def find(times):
        return find_quotations(mark * 2 * times), find_quotations(f"{mark}a " * times)

    assert costs_less_than(10, lambda: find(8_000), lambda: find(2_000)), "it would be 16, squared"


PIECES = st.sampled_from([
    '"', "“", "”", "„", "«", "»", "「", "」", "‘", "’", "\n", "\n\n", "> ", "- ", "```\n", "`", " ", ". ",
    "No lorry heavier than twelve tonnes", "may cross", "橋は千九百七年に開通した", "…", "[1]", "— ", "**",
])  # fmt: skip
answers = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=16).map("".join))


@given(answers)
@example("> \n> — x")
@example("»«»«")
def test_quotations_lie_in_the_answer_in_order_and_apart(answer):
    found = find_quotations(answer)

    assert all(0 <= q.start < q.end <= len(answer) and q.text for q in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


@given(answers, st.sampled_from(["“{}”", '"{}"', "„{}“", "«{}»", "「{}」", "> {}"]))
def test_whatever_stands_in_the_paragraph_before_a_quotation_is_found(before, marks):
    is_code = "`" in before or "~~~" in before
    found = texts(f"{before}\n\n{marks.format(ONE)}")

    assert is_code or found[-1:] == [ONE]


@given(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=12), st.data())
def test_a_cut_of_a_page_stands_in_it_and_so_do_parts_in_order(words, data):
    text = quotable(normalise(" ".join(words)))
    start = data.draw(st.integers(0, len(words) - 1))
    middle = data.draw(st.integers(start, len(words)))

    assert stands_in(" ".join(words[start:middle]) or words[start], text)
    assert stands_in(f"{' '.join(words[:start])} … {' '.join(words[middle:])}", text)
