"""Full-text index of a collection: SQLite FTS5 over words, and over letter triples for CJK."""

import re
import sqlite3
import threading
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from research_eval.tool.search.corpus.document import CorpusPage

__all__ = ["Match", "TextIndex"]

_CJK = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+"
)
_WORD = re.compile(r"\w+")
_TRIPLE = 3
MOST_TERMS = 40
SNIPPET_CHARS = 240
TITLE_WEIGHT = 4.0

_SCHEMA = """
CREATE TABLE page(
    id INTEGER PRIMARY KEY, url TEXT UNIQUE, title TEXT, text TEXT, date TEXT,
    content_type TEXT, body BLOB
);
CREATE VIRTUAL TABLE word USING fts5(
    title, text, content='', tokenize='unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE triple USING fts5(title, text, content='', tokenize='trigram');
CREATE TABLE origin(digest TEXT);
"""


class Match(NamedTuple):
    """One page that a query found."""

    url: str
    title: str
    snippet: str
    date: str


class TextIndex:
    """The pages of a collection, in memory or in a file; threads may share it."""

    def __init__(self, path: Path | None = None) -> None:
        """Open the index at `path`, which need not exist; without one it lives in memory."""
        name = ":memory:" if path is None else str(path)
        self._db = sqlite3.connect(name, check_same_thread=False)
        self._lock = threading.Lock()

    def digest(self) -> str | None:
        """Return the digest of the collection that was indexed, if one was, wholly."""
        try:
            row = self._db.execute("SELECT digest FROM origin").fetchone()
        except sqlite3.DatabaseError:
            return None
        return str(row[0]) if row else None

    def build(self, pages: Iterable[CorpusPage], digest: str) -> None:
        """Replace whatever is indexed by `pages`; the first of two with one address counts."""
        with self._lock, self._db:
            for table in ("page", "word", "triple", "origin"):
                self._db.execute(f"DROP TABLE IF EXISTS {table}")
            for statement in filter(str.strip, _SCHEMA.split(";")):
                self._db.execute(statement)
            for page in pages:
                self._add(page)
            self._db.execute("INSERT INTO origin VALUES (?)", (digest,))

    def _add(self, page: CorpusPage) -> None:
        added = self._db.execute("INSERT OR IGNORE INTO page VALUES (NULL, ?, ?, ?, ?, ?, ?)", page)
        if added.rowcount:
            texts = (added.lastrowid, _folded(page.title), _folded(page.text))
            self._db.execute("INSERT INTO word(rowid, title, text) VALUES (?, ?, ?)", texts)
            self._db.execute("INSERT INTO triple(rowid, title, text) VALUES (?, ?, ?)", texts)

    def search(self, query: str, limit: int, *, site: tuple[str, ...] = ()) -> list[Match]:
        """Return the best pages for any term of `query`, best first, equals in order of indexing.

        Args:
            query: Words in any script; there are no operators.
            limit: The most pages to return.
            site: Hosts to keep to, each with what is below it; none keeps to nothing.
        """
        terms = _terms(query)
        scores: dict[int, float] = {}
        with self._lock:
            for table, words in (("word", terms.words), ("triple", terms.triples)):
                for number, score in self._ranked(table, words):
                    scores[number] = scores.get(number, 0.0) + score
            for number in self._containing(terms.short):
                scores[number] = scores.get(number, 0.0) - 1.0
            # rounded, so that the last bit of a logarithm cannot reorder two pages
            ordered = sorted(scores, key=lambda number: (round(scores[number], 6), number))
            return self._matches(ordered, limit, site, [*terms.words, *terms.triples, *terms.short])

    def page(self, url: str) -> tuple[str, bytes] | None:
        """Return content type and body of the page at `url`."""
        with self._lock:
            found = self._db.execute("SELECT content_type, body FROM page WHERE url = ?", (url,))
            row = found.fetchone()
        return None if row is None else (str(row[0]), bytes(row[1]))

    def urls(self) -> list[str]:
        """Return the address of every page, in order of indexing."""
        with self._lock:
            return [str(row[0]) for row in self._db.execute("SELECT url FROM page ORDER BY id")]

    def close(self) -> None:
        """Let go of the file or the memory."""
        self._db.close()

    def _ranked(self, table: str, terms: list[str]) -> list[tuple[int, float]]:
        if not terms:
            return []
        wanted = " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
        sql = f"SELECT rowid, bm25({table}, ?, 1.0) FROM {table} WHERE {table} MATCH ?"  # noqa: S608
        return self._db.execute(sql, (TITLE_WEIGHT, wanted)).fetchall()

    def _containing(self, terms: list[str]) -> list[int]:
        """Return the pages that hold a term too short for the index of triples."""
        sql = "SELECT id FROM page WHERE instr(text, ?) OR instr(title, ?)"
        return [row[0] for term in terms for row in self._db.execute(sql, (term, term))]

    def _matches(
        self, numbers: list[int], limit: int, site: tuple[str, ...], terms: list[str]
    ) -> list[Match]:
        found: list[Match] = []
        sql = "SELECT url, title, text, date FROM page WHERE id = ?"
        for number in numbers:
            url, title, text, date = self._db.execute(sql, (number,)).fetchone()
            if not site or _is_on(url, site):
                found.append(Match(url, title, _snippet(text, terms), date))
                if len(found) >= limit:
                    break
        return found


class _Terms(NamedTuple):
    words: list[str]
    triples: list[str]
    short: list[str]
    """Runs of CJK letters with fewer than three."""


def _terms(query: str) -> _Terms:
    folded = _folded(query)
    runs = _CJK.findall(folded)
    words = _WORD.findall(_CJK.sub(" ", folded))
    triples = [run[i : i + _TRIPLE] for run in runs for i in range(len(run) - _TRIPLE + 1)]
    short = [run for run in runs if len(run) < _TRIPLE]
    return _Terms(*(list(dict.fromkeys(found))[:MOST_TERMS] for found in (words, triples, short)))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _is_on(url: str, site: tuple[str, ...]) -> bool:
    host = url.partition("//")[2].partition("/")[0].partition(":")[0].lower()
    return any(host == wanted or host.endswith(f".{wanted}") for wanted in site)


def _snippet(text: str, terms: list[str]) -> str:
    """Return the part of `text` around the first term that it holds."""
    flat = " ".join(text.split())
    lower = flat.casefold()
    places = [place for term in terms if (place := lower.find(term)) >= 0]
    start = max(0, min(places, default=0) - SNIPPET_CHARS // 4)
    if start:
        space = flat.find(" ", start, start + 20)
        start = space + 1 if space >= 0 else start
    end = start + SNIPPET_CHARS
    if end < len(flat):
        space = flat.rfind(" ", end - 20, end)
        end = space if space > start else end
    return ("… " if start else "") + flat[start:end] + (" …" if end < len(flat) else "")
