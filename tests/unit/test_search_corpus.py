"""A folder of documents as a search provider, and its pages as a small web."""

import asyncio
import json
import random
from io import BytesIO

import httpx
import pytest

from research_eval.clock import VirtualClock
from research_eval.errors import ConfigError
from research_eval.tool.search import SearchError, SearchSettings, build_search
from research_eval.tool.search.corpus import Corpus, CorpusSearchProvider, CorpusTransport

HTML = """<html><head><title>Tide tables</title><link rel="canonical" href="https://sea.example/tides">
</head><body><main><h1>Tide tables</h1><p>High water comes twice a day at this harbour, and the
moon explains most of it. Sailors keep the table near the door, where everybody sees it.</p></main></body></html>"""
MARKDOWN = """---
title: Lighthouses
url: https://land.example/light
date: 2026-03-01
---
# Ignored heading

A lighthouse warns ships at night. Every harbour wants one.
"""


@pytest.fixture
def folder(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "tides.html").write_text(HTML, encoding="utf-8")
    (docs / "light.md").write_text(MARKDOWN, encoding="utf-8")
    (docs / "sub dir").mkdir()
    (docs / "sub dir" / "note.txt").write_text("Fish swim below the harbour.", encoding="utf-8")
    rows = [
        {
            "url": "https://jp.example/a",
            "title": "東京の港",
            "text": "東京湾の潮汐表は毎日更新される。",
        },
        {"url": "https://jp.example/b", "title": "京都", "text": "京都には海がない。"},
        {"title": "No address", "content": "Étude des marées au café."},
    ]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (docs / "rows.jsonl").write_text(lines + "\n\n", encoding="utf-8")
    (docs / ".hidden.md").write_text("secret harbour", encoding="utf-8")
    return docs


def urls(corpus: Corpus, query: str, limit: int = 5) -> list[str]:
    reply = asyncio.run(CorpusSearchProvider(corpus).search(query, limit))
    return [hit.url for hit in reply.hits]


def test_documents_of_every_kind_are_found(folder):
    corpus = Corpus(folder)

    assert urls(corpus, "moon") == ["https://sea.example/tides"]
    assert urls(corpus, "lighthouse") == ["https://land.example/light"]
    assert urls(corpus, "fish") == ["https://corpus.invalid/sub%20dir/note.txt"]
    assert urls(corpus, "etude") == ["https://corpus.invalid/rows.jsonl/3"]


def test_hidden_files_are_no_documents(folder):
    assert urls(Corpus(folder), "secret") == []


def test_a_hit_carries_title_snippet_and_date(folder):
    reply = asyncio.run(CorpusSearchProvider(Corpus(folder)).search("lighthouse", 5))

    hit = reply.hits[0]
    assert (hit.title, hit.date, hit.rank) == ("Lighthouses", "2026-03-01", 1)
    assert "warns ships" in hit.snippet
    assert reply.tries[0].requests == 0


@pytest.mark.parametrize("query", ["潮汐表", "東京湾", "東京", "港"])
def test_scripts_without_spaces_are_searched_by_their_letters(folder, query):
    assert urls(Corpus(folder), query)[0] == "https://jp.example/a"


def test_a_short_term_finds_only_what_holds_it(folder):
    assert urls(Corpus(folder), "海") == ["https://jp.example/b"]


def test_accents_and_case_do_not_matter(folder):
    assert urls(Corpus(folder), "CAFE MAREES") == ["https://corpus.invalid/rows.jsonl/3"]


@pytest.mark.parametrize(
    "query", ['"', "NEAR(", "a AND", "*", "title:x", "^", "(((", "-", "OR OR", "'; DROP TABLE page"]
)
def test_operators_of_the_index_are_words_like_others(folder, query):
    assert isinstance(urls(Corpus(folder), f"{query} lighthouse"), list)
    assert "https://land.example/light" in urls(Corpus(folder), f"lighthouse {query}")


def test_site_keeps_to_a_host(folder):
    assert urls(Corpus(folder), "harbour site:sea.example") == ["https://sea.example/tides"]


def test_an_empty_query_is_refused(folder):
    with pytest.raises(SearchError):
        urls(Corpus(folder), " ")


def test_nothing_found_is_an_empty_answer(folder):
    assert urls(Corpus(folder), "zzzz") == []


def test_the_order_is_the_same_every_time(folder):
    assert urls(Corpus(folder), "harbour") == urls(Corpus(folder), "harbour")


def test_an_index_in_a_file_is_used_until_a_document_changes(folder, tmp_path):
    index = tmp_path / "index.sqlite"
    first = Corpus(folder, index_file=index)
    first.index._db.execute("UPDATE page SET title = 'touched'")
    first.index._db.commit()
    first.index.close()

    assert (
        asyncio.run(CorpusSearchProvider(Corpus(folder, index_file=index)).search("moon", 1))
        .hits[0]
        .title
        == "touched"
    )
    (folder / "sub dir" / "note.txt").write_text("Whales now.", encoding="utf-8")
    renewed = Corpus(folder, index_file=index)
    assert urls(renewed, "whales") == ["https://corpus.invalid/sub%20dir/note.txt"]
    assert urls(renewed, "fish") == []


def test_a_file_that_is_no_index_is_refused(folder, tmp_path):
    wrong = tmp_path / "index.sqlite"
    wrong.write_bytes(b"this is no database, whatever its name says" * 50)

    with pytest.raises(ConfigError, match=r"cannot be used as an index"):
        Corpus(folder, index_file=wrong)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.jsonl", "{", r"a\.jsonl:1: not JSON"),
        ("a.jsonl", '{"text":"x"}\n[1]', r"a\.jsonl:2: expected an object"),
        ("a.jsonl", '{"title":"x"}', r"a\.jsonl:1: expected one of"),
        ("a.warc", "nonsense", r"not a WARC file"),
    ],
)
def test_a_document_that_cannot_be_read_is_named(tmp_path, name, content, said):
    (tmp_path / name).write_text(content, encoding="utf-8")

    with pytest.raises(ConfigError, match=said):
        Corpus(tmp_path)


def test_a_folder_without_documents_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"no document"):
        Corpus(tmp_path)
    with pytest.raises(ConfigError, match=r"no such folder"):
        Corpus(tmp_path / "nowhere")


def write_warc(path):
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for url, status in (
            ("https://sea.example/tides", "200 OK"),
            ("https://sea.example/gone", "404 Not Found"),
        ):
            headers = StatusAndHeaders(status, [("Content-Type", "text/html")], protocol="HTTP/1.1")
            record = writer.create_warc_record(
                url, "response", payload=BytesIO(HTML.encode()), http_headers=headers
            )
            writer.write_record(record)


def test_a_warc_file_is_a_collection(tmp_path):
    write_warc(tmp_path / "crawl.warc.gz")

    assert urls(Corpus(tmp_path), "harbour") == ["https://sea.example/tides"]


@pytest.mark.parametrize("share", [0.01, 0.1, 0.3, 0.4, 0.9])
def test_a_cut_warc_file_is_named(tmp_path, share):
    path = tmp_path / "crawl.warc.gz"
    write_warc(path)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])

    with pytest.raises(ConfigError, match=r"crawl\.warc\.gz: not a WARC file"):
        Corpus(tmp_path)


def test_the_chain_takes_a_collection_by_its_path(folder):
    chain = build_search(
        SearchSettings(chain=[f"corpus:{folder.name}"]),
        http=httpx.AsyncClient(),
        clock=VirtualClock(),
        secrets={},
        rng=random.Random(0),
        base=folder.parent,
    )

    reply = asyncio.run(chain.search("lighthouse", 5))

    assert (reply.served_by, reply.hits[0].url) == ("corpus", "https://land.example/light")


def test_pages_open_as_if_they_were_on_the_web(folder):
    async def get(url: str) -> httpx.Response:
        async with httpx.AsyncClient(transport=CorpusTransport(Corpus(folder))) as client:
            return await client.get(url)

    opened = asyncio.run(get("https://www.sea.example/tides?utm_source=x"))

    assert (opened.status_code, opened.headers["content-type"]) == (200, "text/html")
    assert "High water" in opened.text
    assert asyncio.run(get("https://sea.example/other")).status_code == 404
