"""Choosing a sentence: what a script has in place of reading."""

from hypothesis import given, strategies as st

from research_eval.model.quote import best_quote, plain_words


def test_rare_words_of_the_question_outweigh_common_ones():
    page = "The port of Lenz is large. The port has cranes. The crane Berta lifts 90 tonnes."

    assert best_quote("How much does the crane Berta lift in the port?", page).text == (
        "The crane Berta lifts 90 tonnes."
    )


def test_a_number_is_not_cut_at_its_point():
    assert best_quote("What is the fee?", "The fee is £2.35 a metre. Pay early.").text == (
        "The fee is £2.35 a metre."
    )


def test_japanese_is_cut_at_its_full_stop():
    page = "灯台は白い。灯台の高さは31メートルです。入口は北です。"

    assert best_quote("灯台の高さは何メートルですか", page).text == "灯台の高さは31メートルです。"


def test_headings_and_questions_are_no_statements():
    page = (
        "# The fee of the port of Lenz\nWhat is the fee of the port of Lenz?\nThe fee is 3 euros."
    )

    assert best_quote("What is the fee of the port?", page).text == "The fee is 3 euros."


def test_a_page_without_a_statement_gives_an_empty_quote():
    assert best_quote("What is the fee?", "# Fees") == ("", 0.0)


@given(st.text(max_size=300))
def test_plain_words_hold_no_url(text):
    assert "://" not in plain_words(f"{text} [a](https://a.example/x) <https://b.example> ")
