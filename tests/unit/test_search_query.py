"""Query hygiene."""

import pytest

from research_eval.tool.search.query import clean_text, split_sites, tidy_query


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("  a  b ", "a b"),
        ("a\tb\r\nc", "a b c"),
        ("a\x00b\x1b[31m", "a b [31m"),
        ("zero\u200bwidth\ufeff", "zero width"),
        ("\u202eevil", "evil"),
        ("\ud800x", "?x"),
        ("naïve 潮汐", "naïve 潮汐"),
        ("", ""),
    ],
)
def test_text_is_one_clean_line(text, clean):
    assert clean_text(text) == clean


@pytest.mark.parametrize(
    ("text", "chars", "words", "tidy"),
    [
        ("one two three", 13, None, "one two three"),
        ("one two three", 12, None, "one two"),
        ("one two three", 7, None, "one two"),
        ("oneword", 3, None, "one"),
        ("one two three", 99, 2, "one two"),
        ("潮汐潮汐", 2, None, "潮汐"),
    ],
)
def test_a_long_query_is_cut_between_words(text, chars, words, tidy):
    assert tidy_query(text, max_chars=chars, max_words=words) == tidy


@pytest.mark.parametrize(
    ("query", "text", "sites", "excluded"),
    [
        ("tides", "tides", (), ()),
        ("tides site:sea.example", "tides", ("sea.example",), ()),
        ("site:SEA.example tides -site:ads.example", "tides", ("sea.example",), ("ads.example",)),
        ("tides site:sea.example/deep/path", "tides", ("sea.example",), ()),
        ("site:a.example site:a.example x", "x", ("a.example",), ()),
        ("site:sea.example", "site:sea.example", (), ()),
        ("website:sea.example x", "website:sea.example x", (), ()),
        ("what is site: for", "what is site: for", (), ()),
    ],
)
def test_site_operators_stand_apart(query, text, sites, excluded):
    assert split_sites(query) == (text, sites, excluded)
