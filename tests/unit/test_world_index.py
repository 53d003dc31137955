"""Searches find pages in any language, in an order that nothing outside the index decides."""

import os
import subprocess
import sys

import pytest
from hypothesis import given, strategies as st

from research_eval.world import load_world
from research_eval.world.index import Entry, PageIndex, tokens


def index(*texts: str, **fields) -> PageIndex:
    return PageIndex(
        Entry(f"https://{n}.example/", f"title{n}", text, fields.get("snippet"), None, "en")
        for n, text in enumerate(texts)
    )


def urls(found):
    return [hit.url for hit in found]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Straße Größe", ["strasse", "grosse"]),
        ("São Telmo, 1.864 kg", ["sao", "telmo", "1", "864", "kg"]),
        ("湊瀬灯台", ["湊瀬", "瀬灯", "灯台"]),
        ("全角ＡＢＣ　１２", ["全角", "abc", "12"]),
        ("橋", ["橋"]),
        ("スルメイカ5トン", ["スル", "ルメ", "メイ", "イカ", "5", "トン"]),
        ("", []),
        ("!? …", []),
    ],
)
def test_terms_are_folded_words_and_pairs_of_japanese_letters(text, terms):
    assert list(tokens(text)) == terms


def test_the_page_with_the_rarest_words_comes_first():
    pages = index("the bridge and the river", "the river and the boats", "the boats and the heron")

    assert urls(pages.search("a heron at the boats", 2)) == [
        "https://2.example/",
        "https://1.example/",
    ]


def test_equal_pages_come_in_the_order_of_their_urls():
    pages = index("same words", "same words", "same words")

    assert urls(pages.search("same words", 9)) == [f"https://{n}.example/" for n in range(3)]
    assert urls(pages.search("same words", 1, 1)) == ["https://1.example/"]


def test_japanese_is_found_by_its_nouns_not_by_its_grammar():
    pages = index("これはなにかのはなしですか。そうですか。", "湊瀬灯台の高さは二十四メートル")

    assert urls(pages.search("湊瀬灯台は何メートルですか。", 1)) == ["https://1.example/"]
    assert urls(pages.search("ですか", 1)) == ["https://0.example/"]


@pytest.mark.parametrize(
    "query", ["", "  ", "!?", '"', "a\x00b OR NOT * NEAR(", "title:", "-x AND"]
)
def test_no_query_is_read_as_syntax(query):
    assert isinstance(index("plain words").search(query, 5), list)


@given(st.text(max_size=60))
def test_any_query_has_an_answer(query):
    assert len(load_world().index.search(query, 3)) <= 3


def test_the_snippet_is_cut_where_the_words_stand():
    text = "filler " * 200 + "the heron ate nine eels on Friday " + "filler " * 200

    (hit,) = index(text).search("heron eels", 1)

    assert "heron ate nine eels" in hit.snippet
    assert len(hit.snippet) < 260
    assert hit.snippet.startswith("… ")
    assert hit.snippet.endswith(" …")


def test_a_snippet_of_its_own_is_shown_as_it_is():
    (hit,) = index("words", snippet="told here").search("words", 1)

    assert hit.snippet == "told here"


def test_the_order_is_the_same_in_every_process():
    code = (
        "import hashlib; from research_eval.world import load_world; i = load_world().index; "
        "print(hashlib.sha256(repr([i.search(q, 20) for q in "
        "('harbour', '湊瀬灯台の高さ', 'Gebühr Wasser', 'agua puente')]).encode()).hexdigest())"
    )
    shown = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": "C"},
            capture_output=True,
            check=True,
        ).stdout
        for seed, zone in (("0", "UTC"), ("4711", "Asia/Tokyo"))
    }

    assert len(shown) == 1
