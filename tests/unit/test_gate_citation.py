"""Extraction: the labelled cases one by one, and what they do not say."""

import json
from pathlib import Path

import pytest

from research_eval.gate import CitationGate, extract_citations
from research_eval.ledger import SourceRegistry, url_key
from research_eval.schema import Citation

ROOT = Path(__file__).parent.parent.parent
FILES = (ROOT / "tests/data/gate/public_examples.jsonl", ROOT / "datasets/gate/cases.jsonl")
CASES = [
    case
    for file in FILES
    for case in map(json.loads, file.read_text(encoding="utf-8").splitlines())
    if not case["contested"]
]


def _of(kind: str) -> list[object]:
    return [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind]


def _urls(text: str) -> list[str]:
    return [citation.url for citation in extract_citations(text)]


@pytest.mark.parametrize("case", _of("extract"))
def test_a_labelled_text_cites_what_its_label_says(case: dict) -> None:
    assert list(dict.fromkeys(_urls(case["text"]))) == case["expected_urls"], case["note"]


@pytest.mark.parametrize("case", _of("equivalence"))
def test_labelled_urls_share_a_key_or_do_not(case: dict) -> None:
    assert (url_key(case["a"]) == url_key(case["b"])) is case["same"], case["note"]


@pytest.mark.parametrize("case", _of("gate"))
def test_a_labelled_answer_gets_its_verdict(case: dict) -> None:
    verdict = CitationGate().check(
        case["text"], SourceRegistry.from_urls(case["fetched"], case["searched"])
    )

    kinds = sorted({violation.kind for violation in verdict.violations})
    assert (kinds or "pass") == (
        case["expected"] if case["expected"] == "pass" else sorted(case["expected"])
    ), case["note"]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("https://a.example/x", "bare"),
        ("<https://a.example/x>", "autolink"),
        ("<https://a.example/x?a=1&amp;b=2>", "autolink"),
        ("[t](https://a.example/x)", "markdown"),
        ("[t](<https://a.example/x> 'title')", "markdown"),
        ("![t](https://a.example/x)", "markdown"),
        ("[t]: https://a.example/x", "reference"),
        ("<a href='https://a.example/x'>", "html"),
        ("\\url{https://a.example/x}", "latex"),
    ],
)
def test_a_citation_knows_its_form_and_its_span(text: str, form: str) -> None:
    (citation,) = extract_citations(text)

    assert citation.form == form
    assert text[citation.start : citation.end].startswith("https://a.example/x")
    assert citation.readings == ()


def test_the_span_covers_the_url_as_written() -> None:
    text = "See https\\://a.example/b\\_c&amp;d\u200be, yes."
    (citation,) = extract_citations(text)

    assert citation.url == "https://a.example/b_c&de"
    assert text[citation.start : citation.end] == "https\\://a.example/b\\_c&amp;d\u200be"
    assert "https\\://a.example/b\\_c&amp;d\u200be" in citation.readings


def test_stripped_punctuation_stays_a_reading() -> None:
    assert extract_citations("See https://a.example/Inc.)") == (
        Citation(
            url="https://a.example/Inc", start=4, end=25, readings=("https://a.example/Inc.",)
        ),
    )


def test_a_broken_line_is_a_reading() -> None:
    (citation,) = extract_citations("https://a.example/annual-\n  review.pdf.")

    assert citation.url == "https://a.example/annual-"
    assert "https://a.example/annual-review.pdf" in citation.readings


@pytest.mark.parametrize("following", ["- next item", "* next", "2. next", "> "])
def test_the_next_item_of_a_list_is_no_broken_line(following: str) -> None:
    (citation,) = extract_citations(f"- https://a.example/x\n{following}")

    assert citation.readings == ()


def test_an_explicit_destination_has_no_other_reading() -> None:
    found = extract_citations("[a](https://a.example/x!) <https://a.example/y.>")

    assert [(one.url[-2:], one.readings) for one in found] == [("x!", ()), ("y.", ())]


def test_citations_come_in_order() -> None:
    text = "[b](https://b.example) https://a.example <a href=https://c.example> \\url{https://d.example}"

    assert [url[8] for url in _urls(text)] == ["b", "a", "c", "d"]


def test_lone_surrogates_are_replaced() -> None:
    assert _urls("https://a.example/\ud800x") == ["https://a.example/"]
    assert _urls("[x](https://a.example/\udfff)") == ["https://a.example/\ufffd"]


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("(https://a.example/x)=https://b.example/y", ["https://a.example/x", "https://b.example/y"]),
        ("https://a.example/x[t](https://b.example/y)", ["https://a.example/x", "https://b.example/y"]),
        ("https://a.example/x![t](https://b.example/y)", ["https://a.example/x", "https://b.example/y"]),
        ("x\\](https://a.example/y.)", ["https://a.example/y"]),
        ("[x](https://a.example/y, https://b.example/z)", ["https://a.example/y", "https://b.example/z"]),
        ("[x](https://a.example/y (accessed 2024))", ["https://a.example/y"]),
        ("[x](https://a.example/y accessed 2024)", ["https://a.example/y"]),
        ("[x](https://a.example/y “title”)", ["https://a.example/y"]),
        ("[x](https://a.example/y =300x200)", ["https://a.example/y"]),
        ("[x](https://a.example/y(z)", ["https://a.example/y(z)"]),
        ("[x](https://a.example/y\nhttps://b.example/z", ["https://a.example/y", "https://b.example/z"]),
        ("[x]( https://a.example/y )", ["https://a.example/y"]),
        ("[x](\nhttps://a.example/y\n)", ["https://a.example/y"]),
        ("[x]()", []),
        ("[x](https://)", []),
        ("[x]: <https://a.example/two words>", ["https://a.example/two words"]),
        ("[x]:\nhttps://a.example/y", ["https://a.example/y"]),
        ("https://a.example/?src=https://b.example/y", ["https://a.example/?src=https://b.example/y"]),
        ('<a href=\\"https://a.example/y\\">', ["https://a.example/y"]),
        ('<a href="https://a.example/\ny">', ["https://a.example/y"]),
        ("\\href {https://a.example/{\\_}y}{x}", ["https://a.example/_y"]),
        ("<https://a.example/two words>", ["https://a.example/two words"]),
        ("<https://a.example/x https://b.example/y>", ["https://a.example/x", "https://b.example/y"]),
        ("https://a.example/x(see note)", ["https://a.example/x(see"]),
        ("https://a.example/x->y", ["https://a.example/x->y"]),
        ("<!--https://a.example/x-->", ["https://a.example/x"]),
        ("https://a.example/x\\", ["https://a.example/x"]),
        ("https://a.example/a\\b", ["https://a.example/a\\b"]),
        ("https://a.example/x\\nnext\\nnext", ["https://a.example/x"]),
        ("https://a.example/\\u4e2d", ["https://a.example/中"]),
        ("https://a.example/x\\u0020y", ["https://a.example/x"]),
        ("https://a.example/x\\ud800y", ["https://a.example/x"]),
        ("https://a.example/❤\ufe0f/x", ["https://a.example/❤\ufe0f/x"]),
        ("https://a.example/x\u200bを", ["https://a.example/x"]),
        ("https://a.example/x&bogus;y", ["https://a.example/x&bogus;y"]),
        ("https://*.example/x https://$HOST/x https://%s/x", []),
        ("https://a.example/x<br>y https://b.example/y<sup>1</sup>", ["https://a.example/x", "https://b.example/y"]),
        ("https://a.example/x?<b>", ["https://a.example/x"]),
        ("https://a.example/m²", ["https://a.example/m²"]),
        ("https://a.example/x¹", ["https://a.example/x"]),
        ("https://a.example/" + "x" * 5000 + ").", ["https://a.example/" + "x" * 5000]),
    ],
)  # fmt: skip
def test_a_corner_is_cut_as_decided(text: str, urls: list[str]) -> None:
    assert _urls(text) == urls


def test_the_quick_way_and_the_thorough_way_agree() -> None:
    for case in CASES:
        for text in (case.get("text", ""), f"({case.get('a')}) {case.get('b')}, "):
            hidden = f"{text}\n&#65;\u00ad"
            quick = [one.url for one in extract_citations(text)]
            assert [one.url for one in extract_citations(hidden)] == quick
