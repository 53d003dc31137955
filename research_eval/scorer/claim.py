"""An answer and its citations in, its sentences with the URLs that each rests on out.

A citation belongs to the sentence that holds it. One that stands alone behind a sentence belongs to
that sentence; one on a line of its own belongs to the sentences of the paragraph before it that cite
nothing. A numeric marker stands for the entry of the answer's own list of sources.
"""

# ruff: noqa: RUF001  # marks of many scripts stand here on purpose

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from research_eval.schema import Citation
from research_eval.scorer.source_list import (
    Line,
    SourceList,
    is_list_heading,
    marker_numbers,
    trailing,
    without_markers,
)
from research_eval.scorer.words import content_words

__all__ = ["MASK", "Claim", "Draft", "mask_urls", "plain_text", "read_draft"]

MASK = "\ue000"
"""Stands for each character of a URL, so that offsets stay and no URL is split."""

_HEADING = re.compile(
    r"\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$|__[^_]+__:?\s*$)|[^.!?。]{1,60}[:：]\s*$"
)
_FENCE = re.compile(r"\s*(?:```|~~~)")
_RULE = re.compile(r"[\s|:*_=-]*$")
_BULLET = re.compile(r"\s*(?:[-*+•·]|\d{1,3}[.)])\s+")
_NUMBERED = re.compile(r"\s*(?:[-*+•]\s*)?(?:\[\^?\w{1,8}\]:?|\d{1,4}[.):])")
_SENTENCE = re.compile(
    r"[^.!?。！？]*(?:[.!?](?!\s|$)[^.!?。！？]*)*(?:[.!?。！？]+[\"'”’)\]*_]*|$)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:Dr|Mr|Mrs|Ms|Prof|St|No|Inc|Ltd|Co|vs|ca|approx|e\.g|i\.e|z\.B|bzw|Nr|U\.S|U\.K)"
    r"|\b[A-Z])\.$"
)
_LINK = re.compile(rf"!?\[([^\]\n]*)\]\(\s*<?{MASK}+>?[^)\n]*\)")
_WRAPPED = re.compile(rf"[(<\[（［【「]*\s*{MASK}+\s*[)>\]）］】」]*")
_GENERIC = re.compile(
    r"^\W*(?:sources?|see(?: also)?|via|link|here|ref(?:erence)?s?|cf|from|according to|quellen?"
    r"|siehe|fuentes?|voir|källor?|kilder?|出典|参照|参考|情報源|source link|\d{1,3})?\W*$",
    re.IGNORECASE,
)
_LEADING = re.compile(
    rf"(?:\s*(?:\[[^\]\n]{{0,40}}\]\(\s*<?{MASK}+>?[^)\n]*\)|[(<（]\s*{MASK}+\s*[)>）]"
    r"|\[\^?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\](?!\()|【[^】\n]*】|<sup>[^<]*</sup>))+[\s.,;]*"
)


class Claim(NamedTuple):
    """One sentence of an answer, without its citations."""

    text: str
    start: int
    """Offset of the sentence in the answer, in code points."""
    end: int
    urls: tuple[str, ...]
    """What it cites, in order; each once."""


class Draft(NamedTuple):
    """An answer as far as scorers look at it."""

    claims: tuple[Claim, ...]
    unused: tuple[str, ...]
    """URLs of the answer's list of sources that no sentence points at."""
    unresolved: int
    """Numeric markers that no list explains."""


@dataclass
class _Sentence:
    start: int
    end: int
    masked: str
    paragraph: int
    urls: list[str] = field(default_factory=list)


def read_draft(answer: str, citations: Sequence[Citation]) -> Draft:
    """Split an answer into sentences and give each the URLs that it cites."""
    return _Reader(answer, citations).read()


class _Reader:
    def __init__(self, answer: str, citations: Sequence[Citation]) -> None:
        self._citations = sorted(citations, key=lambda c: c.start)
        self._masked = mask_urls(answer, self._citations)
        self._sources = SourceList()
        self._sentences: list[_Sentence] = []
        self._used: set[str] = set()
        self._unresolved = 0

    def read(self) -> Draft:
        lines = list(self._prose_lines())
        for start, end, paragraph in lines:
            self._read_line(start, end, paragraph)
        claims = tuple(
            Claim(plain_text(s.masked, self._sources), s.start, s.end, tuple(dict.fromkeys(s.urls)))
            for s in self._sentences
        )
        unused = tuple(u for u in self._sources.urls if u not in self._used)
        return Draft(claims, unused, self._unresolved)

    def _prose_lines(self) -> Iterator[tuple[int, int, int]]:
        """Yield the span and paragraph of each line of prose; take entries of the source list."""
        paragraph = 0
        in_list = False
        lines = list(self._lines())
        listed = trailing([line for _, line in lines])
        for place, (start, line) in enumerate(lines):
            text = line.text
            if _RULE.match(text):
                paragraph += not text.strip()
            elif is_list_heading(text):
                in_list = True
            elif self._sources.take(text, line.urls, in_list=in_list or place in listed):
                continue
            elif _HEADING.match(text) and MASK not in text:
                in_list, paragraph = False, paragraph + 1
            else:
                yield start, start + len(text), paragraph

    def _lines(self) -> Iterator[tuple[int, Line]]:
        """Yield the lines with their places, but for code."""
        position, in_fence = 0, False
        for whole in self._masked.splitlines(keepends=True):
            start, position = position, position + len(whole)
            text = whole.rstrip("\r\n")
            if _FENCE.match(text):
                in_fence = not in_fence
            elif not in_fence:
                bare = plain_text(_NUMBERED.sub("", text, count=1)) if MASK in text else ""
                yield start, Line(text, self._urls(start, position), bare)

    def _urls(self, start: int, end: int) -> list[str]:
        return [c.url for c in self._citations if start <= c.start < end]

    def _read_line(self, start: int, end: int, paragraph: int) -> None:
        bullet = _BULLET.match(self._masked, start, end)
        begin = bullet.end() if bullet else start
        first = True
        for piece_start, piece_end in _pieces(self._masked, begin, end):
            self._read_piece(piece_start, piece_end, paragraph, first=first)
            first = False

    def _read_piece(self, start: int, end: int, paragraph: int, *, first: bool) -> None:
        if not first and self._sentences and (lead := _LEADING.match(self._masked, start, end)):
            before = self._sentences[-1]
            if not before.urls or lead.end() >= end:
                before.urls += self._cited(start, lead.end())
                start = lead.end()
        if start >= end:
            return
        masked = self._masked[start:end]
        urls = self._cited(start, end)
        if content_words(plain_text(masked, self._sources)):
            self._sentences.append(_Sentence(start, end, masked, paragraph, urls))
        elif urls:
            self._attach_alone(urls, own_line=first)

    def _attach_alone(self, urls: list[str], *, own_line: bool) -> None:
        """Give citations without words to the sentence, or the paragraph, before them."""
        if not self._sentences:
            return
        last = self._sentences[-1]
        if not own_line:
            last.urls += urls
            return
        before = [s for s in self._sentences if s.paragraph == last.paragraph and not s.urls]
        for sentence in before or [last]:
            sentence.urls += urls

    def _cited(self, start: int, end: int) -> list[str]:
        urls = self._urls(start, end)
        for number in marker_numbers(self._masked[start:end], self._sources):
            resolved = self._sources.get(number)
            if resolved:
                urls += resolved
            else:
                self._unresolved += 1
        self._used.update(urls)
        return urls


def mask_urls(answer: str, citations: Sequence[Citation]) -> str:
    """Return the answer with `MASK` for each character of a URL that it cites.

    Args:
        answer: As it was given.
        citations: In the order of their places.
    """
    parts, at = [], 0
    for citation in citations:
        if citation.start >= at:
            parts += [answer[at : citation.start], MASK * (citation.end - citation.start)]
            at = citation.end
    return "".join([*parts, answer[at:]])


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences of one line."""
    begin = start
    for match in _SENTENCE.finditer(text, start, end):
        if match.end() == match.start():
            continue
        if _ABBREVIATION.search(text, begin, match.end()) and match.end() < end:
            continue
        yield begin, match.end()
        begin = match.end()
    if begin < end:
        yield begin, end


def plain_text(masked: str, listed: Container[str] = ()) -> str:
    """Return the words of a sentence without links, markers, emphasis and table bars."""
    text = _LINK.sub(lambda m: "" if _GENERIC.match(m[1]) else m[1], masked)
    text = without_markers(_WRAPPED.sub(" ", text), listed)
    text = re.sub(r"[*_`|]+|<[^<>]{1,20}>", " ", text)
    text = re.sub(r"\s+", " ", text).strip()
    return "" if _GENERIC.match(text) else text
