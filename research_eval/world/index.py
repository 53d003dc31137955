"""Full-text index over the pages: SQLite FTS5, ranked by BM25, the same order everywhere."""

import re
import sqlite3
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

__all__ = ["Found", "PageIndex", "tokens"]

_CJK = r"\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_RUN = re.compile(rf"[{_CJK}]+|(?:(?![{_CJK}])\w)+")
_HIRAGANA = re.compile(r"[\u3041-\u309f]+")
_SNIPPET_CHARS = 220
_TITLE_WEIGHT = 3.0


class Entry(NamedTuple):
    """One page as it is put into the index."""

    url: str
    title: str
    text: str
    snippet: str | None
    date: str | None
    language: str


class Found(NamedTuple):
    """One page that a query found."""

    url: str
    title: str
    snippet: str
    date: str | None
    language: str


def tokens(text: str) -> Iterator[str]:
    """Yield the terms of `text`: words without accents and case, pairs of Japanese letters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    for run in _RUN.findall(folded):
        if run[0] >= "\u3005":
            yield from (run[i : i + 2] for i in range(max(1, len(run) - 1)))
        else:
            yield _without_accents(run)


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


def query_terms(query: str) -> list[str]:
    """Return the terms to look for: without pairs of hiragana, which are grammar, unless all are."""
    terms = list(dict.fromkeys(tokens(query)))
    return [term for term in terms if not _HIRAGANA.fullmatch(term)] or terms


class PageIndex:
    """An index in memory that threads may share."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = sorted(entries)
        self._lock = threading.Lock()
        self._cut: dict[int, Windows] = {}
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        # `ascii` splits at spaces and keeps every other letter: the terms stay as `tokens` cut them
        self._db.execute("CREATE VIRTUAL TABLE page USING fts5(title, text, tokenize='ascii')")
        self._db.executemany(
            "INSERT INTO page(rowid, title, text) VALUES (?, ?, ?)",
            (
                (number, " ".join(tokens(entry.title)), " ".join(tokens(entry.text)))
                for number, entry in enumerate(self._entries)
            ),
        )

    def close(self) -> None:
        """Free the index."""
        self._db.close()

    def search(self, query: str, limit: int, offset: int = 0) -> list[Found]:
        """Return the best pages for any of the query's terms, best first, equals by URL."""
        terms = query_terms(query)
        if not terms:
            return []
        match = " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
        with self._lock:
            rows = self._db.execute(
                "SELECT rowid, bm25(page, ?, 1.0) FROM page WHERE page MATCH ?",
                (_TITLE_WEIGHT, match),
            ).fetchall()
        # rounded, so that the last bit of a logarithm cannot reorder two pages
        rows.sort(key=lambda row: (round(row[1], 6), row[0]))
        return [self._found(row[0], terms) for row in rows[offset : offset + limit]]

    def _windows(self, number: int) -> "Windows":
        """Return the windows of an entry; cut when a search first shows it."""
        if number not in self._cut:
            self._cut[number] = Windows(self._entries[number].text)
        return self._cut[number]

    def _found(self, number: int, terms: list[str]) -> Found:
        entry = self._entries[number]
        snippet = entry.snippet if entry.snippet is not None else self._windows(number).best(terms)
        return Found(entry.url, entry.title, snippet, entry.date, entry.language)


class Windows:
    """A text cut into overlapping windows, each with its terms."""

    def __init__(self, text: str) -> None:
        self.flat = " ".join(text.split())
        step = _SNIPPET_CHARS // 4
        starts = range(0, max(1, len(self.flat) - _SNIPPET_CHARS + step), step)
        self.windows = [
            (start, frozenset(tokens(self.flat[start : start + _SNIPPET_CHARS])))
            for start in starts
        ]

    def best(self, terms: list[str]) -> str:
        """Return the part that holds most of `terms`, the earliest of equals."""
        start, _ = max(
            self.windows, key=lambda window: (len(window[1].intersection(terms)), -window[0])
        )
        return _at_words(self.flat, start)


def _at_words(flat: str, start: int) -> str:
    """Cut at `start`, moved to the next word where words are spaced, and mark what is left out."""
    if start:
        space = flat.find(" ", start, start + 20)
        start = space + 1 if space >= 0 else start
    end = min(len(flat), start + _SNIPPET_CHARS)
    if end < len(flat):
        space = flat.rfind(" ", end - 20, end)
        end = space if space > start else end
    return ("\u2026 " if start else "") + flat[start:end] + (" \u2026" if end < len(flat) else "")
