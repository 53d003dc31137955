"""Inputs that once cost more than their length, most of them found by fuzzing."""

import pytest

from research_eval.gate import extract_citations
from tests.cost import costs_less_than

PATTERNS = [
    ("", "https://a,"),
    ("", "(https://a)"),
    ("", "&nbsp;,1,https://*@"),
    ("\\u0026-->", "https&#58;//&nbsp;/./"),
    ("", "\u2013example.orght\u200btps://(SICI)http://"),
    ("", "](https://x"),
    ("", "[a](<h"),
    ("", '[a](https://x "'),
    ("", "\\url{https://a"),
    ("", 'href="https://a '),
    ("", "[x]: https://a(\n"),
    ("https://a", "[1]"),
    ("https://a", "((("),
    ("https://a", ")))"),
    ("https://a/", "\u2014b"),
    ("https://a/1", "111"),
    ("https://a/", "を"),
    ("<", "https://a\n"),
    ("]:", "]:"),
    ("x\n", "> "),
    ("https://", "@\u2019"),
    (")\n[a]: ", "  "),
    ("\n[a]:\n", "\t "),
    (".//", "](\u200d\\____"),
]


@pytest.mark.parametrize(("head", "piece"), PATTERNS, ids=range(len(PATTERNS)))
def test_cost_is_linear_in_the_length(head: str, piece: str) -> None:
    """Four times the length would cost sixteen times as much, were it quadratic."""
    number = 10_000 // len(piece)
    short, long = (head + piece * times + "<>)" for times in (number, 4 * number))

    assert costs_less_than(9, lambda: extract_citations(long), lambda: extract_citations(short))
