"""Escapes are undone once."""

import pytest

from research_eval.gate.escape import decode_entities, decode_latex, decode_markdown


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a\\_b\\*c\\\\d", "a_b*c\\d"),
        ("a\\b", "a\\b"),
        ("a&amp;b&#x2F;c&#47;d", "a&b/c/d"),
        ("a&amp;amp;b", "a&amp;b"),
        ("\\&amp;", "&amp;"),
        ("a&copy=1&b", "a&copy=1&b"),
        ("&bogus;", "&bogus;"),
        ("plain", "plain"),
    ],
)
def test_markdown(text: str, meant: str) -> None:
    assert decode_markdown(text) == meant


def test_entities_leave_backslashes() -> None:
    assert decode_entities("a\\_b&amp;&lt;") == "a\\_b&<"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a\\_b\\%20\\#c\\&d", "a_b%20#c&d"),
        ("\\~{}x", "~x"),
        ("\\textasciitilde{}x", "~x"),
        ("{\\_}", "_"),
        ("x", "x"),
    ],
)
def test_latex(text: str, meant: str) -> None:
    assert decode_latex(text) == meant
