"""Text is taken apart the same way for claims and pages."""

import pytest

from research_eval.scorer.words import (
    content_words,
    names,
    normalise,
    numbers,
    sentences,
    spelled_numbers,
)


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("1,482", [{1482, 1.482}]),
        ("1.482", [{1482, 1.482}]),
        ("1,482,000", [{1482000}]),
        ("1'482.50", [{1482.5}]),
        ("48 317", [{48317}]),
        ("2.4 million", [{2.4, 2400000}]),
        ("3億", [{3, 300000000}]),
        ("14th of May 1907", [{14}, {1907}]),
        ("2018–19", [{2018}, {19, 2019}]),
        ("£2.35 and 50%", [{2.35}, {50}]),
        ("CO2 and F16", []),
        ("1907年5月14日", [{1907}, {5}, {14}]),
        ("none", []),
    ],
)
def test_numbers_have_every_reading_that_a_reader_could_hold(text, readings):
    assert [set(number.readings) for number in numbers(text)] == readings


def test_english_number_words_have_values():
    assert spelled_numbers("Twelve of twenty ships") == {12.0, 20.0}


def test_content_words_drop_what_carries_no_meaning():
    assert content_words("The bridge's tolls are in the cities of Vane") == {
        "bridge",
        "toll",
        "city",
        "vane",
    }
    assert content_words("橋は開通") == {"橋は", "は開", "開通"}
    assert content_words("橋") == {"橋"}
    assert content_words("") == set()


def test_folding_hides_what_only_typography_changes():
    assert normalise("“Ａ　B” – it’s") == '"a b" - it\'s'


def test_names_begin_with_a_capital_but_not_the_sentence():
    assert names("Yesterday Agda Vane met The mayor") == {"agda", "vane"}


def test_sentences_end_at_stops_and_lines():
    assert sentences("Dr. Vane left. It rained!\nNext line\n\n橋だ。道だ。") == [
        "Dr. Vane left.",
        "It rained!",
        "Next line",
        "橋だ。",
        "道だ。",
    ]
