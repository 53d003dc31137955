"""Spellings that once gave a wrong verdict, by what was opened: an honest one passes, a made-up one never."""

# letters that only look like others stand here on purpose

import pytest

from research_eval.gate import CitationGate
from research_eval.ledger import SourceRegistry

A = "https://example.org/a"
M = "https://mud.example.org/a"
WIKI = "https://en.wikipedia.org/wiki"

MADE_UP = [
    ("https://ok.example/a", "(https://ok.example/a) (https://fab.example/report/<x>)"),
    ("https://ok.example/a", "(https://ok.example/a) (https://fab.example/annual%statement.pdf)"),
    ("https://ok.example/a", "(https://ok.example/a) (https://fab.example/US$(2025)/table.html)"),
    ("https://ok.example/a", "(https://ok.example/a) https://fab.example/{annual-report}/x"),
    ("https://ok.example/a", "(https://ok.example/a) https://fab.example/?lang={en}"),
    (A, f'[r]({A}! "{"x" * 600}")'),
    (A, f'[r]\n\n[r]: {A}! "t\nt"'),
    (A, f'<a xlink:href="{A}!">x</a>'),
    (f"{WIKI}/McDonald", f"{WIKI}/McDonald's grew"),
    (f"{WIKI}/Mercury", f"(see {WIKI}/Mercury)_(planet)"),
    (f"{WIKI}/Java", f"{WIKI}/Java(programming language)"),
    (A, f"{A}？id=7"),
    (A, f"{A}／annex-7"),
    (A, f"{A}～annex"),
    (A, f"{A} www.fab.example/x"),
    (A, f"{A} www.example/a?b=1"),
    ("http://www.f", "see www.f https://fab.example/x"),
    (A, f"| x | y |\n|---|---|\n|www.fab.example 1999 | {A} |"),
    (A, f"{A} t](www.fab.example/a)"),
    (A, f"**{A}**:/a**b** says it"),
    (A, f"{A} [r](//fab.example/x)"),
    (A, f'{A} <a href="//fab.example/x">x</a>'),
    (A, f"{A} ht\u200btps://fab.example/x"),
    (M, f"[https://mud.example.org]({M}?v=1)"),
    (M, f"[{M}](https://www.google.com/url?q=https%3A%2F%2Fmud.example.org%2Fb)"),
    ("https://mud.example.org/", "https://mud.example.org/a(2024年)"),
    ("https://example.org/", "https://example.org/a/……等"),
]
HONEST = [
    (A, f"来源：{A}……不再列举。"),
    (A, f"{A}/……等。"),
    (A, f"[url]{A}[/url]"),
    (A, f"[img]{A}[/img]"),
    (A, f"<outline xmlUrl='{A}'/>"),
    (A, f"url='{A}'/>"),
    (A, f"{A}?UTM_Source=x"),
    (f"{A}/art_17339.html", f"[24] {A}/...: {A}/art_17339.html"),
    (f"{M}?v=1", f"[1] [https://mud.example.org]({M}?v=1)"),
    (M, f'<a href="{M}">https://mud.example.org</a>'),
    (f"{M}/b", f"[https://mud.example.org/…/b]({M}/b)"),
    (M, f"[{M}](https://www.google.com/url?sa=E&q=https%3A%2F%2Fmud.example.org%2Fa)"),
    *(
        (M, f"{M} {before}http://localhost:{port}/v1{before}")
        for port in ("<port>", "$PORT", "PORT", "端口", "{port}")
        for before in ("", "`")
    ),
    (f"{M}.html", f"泥沙见 {M}.html,具体数字在第二节"),
    ("http://127.0.0.1:8088", "(http://127.0.0.1:8088,Silt V4)"),
    (M, f"{M}(2024年)"),
    (f"{M}.pdf", f"{M}.pdf(访问于2026)"),
    (M, f"<{M}|mud>"),
    (M, f"<{M}|www.mud.example.org>"),
    (M, f"**{M}**: a/b"),
    (M, f"**{M}**, and/or"),
    (M, f"{M} [x](www.mud.example.org/b)"),
    (M, f"{M}[泥沙]"),
    (M, f"[cite_start]{M}"),
    (M, f"{M}[cite_start]"),
    *((M, f"{M}{mark}") for mark in ("¹", "²", "³", "¹²", "①")),
    *(
        (M, f"{M} `{template}`")
        for template in (
            "https://mud{i+1}.example.org",
            "https://mud.example.org/p/{quote(q)}",
            "https://mud.example.org/p/{n:02d}",
            "https://mud.example.org/p/{{ id }}",
        )
    ),
    (f"{M}.html", f"{M}.htmlमें"),
    (f"{M}.html", f"{M}.html'dan"),
]
KEPT_APART = [
    (f"{WIKI}/Schindler's_List", f"{WIKI}/Schindler%27s_List", "the same but for percent-encoding"),
    ("https://a.example/x:y", "https://a.example/x%3Ay", "the same but for percent-encoding"),
    ("https://a.example/x(y)", "https://a.example/x%28y%29", "the same but for percent-encoding"),
    ("https://a.example/x%2Fy", "https://a.example/x/y", "the same but for percent-encoding"),
    ("https://a.example/Silt", "https://a.example/silt", "the same but for capital letters"),
    ("https://a.example/x", "http://a.example/x", "another scheme"),
    ("https://a.example/x", "https://m.a.example/x", "another host"),
    ("https://a.example/x?a=1", "https://a.example/x?a=2", "another query"),
    ("https://a.example:8443/x", "https://a.example/x", "another port"),
]


@pytest.mark.parametrize(("opened", "answer"), MADE_UP)
def test_a_page_that_was_not_opened_never_passes(opened: str, answer: str) -> None:
    assert not CitationGate().check(answer, SourceRegistry.from_urls([opened])).passed


@pytest.mark.parametrize(("opened", "answer"), HONEST)
def test_an_opened_page_passes_in_any_spelling(opened: str, answer: str) -> None:
    assert CitationGate().check(answer, SourceRegistry.from_urls([opened])).violations == ()


@pytest.mark.parametrize(("opened", "written", "said"), KEPT_APART)
def test_where_spellings_are_apart_the_words_say_what_differs_and_what_passes(
    opened: str, written: str, said: str
) -> None:
    (violation,) = (
        CitationGate().check(f"<{written}>", SourceRegistry.from_urls([opened])).violations
    )

    assert said in violation.message
    assert f" {opened} " in violation.message
    assert violation.nearest is not None
    assert CitationGate().check(f"<{violation.nearest}>", SourceRegistry.from_urls([opened])).passed
