"""An answer in, what it quotes out: between marks of many languages, and in block quotes of Markdown.

A quotation ends with its paragraph at the latest, whatever its sentences: a mark that is never closed
quotes nothing and hides nothing behind it. What stands within another quotation is a part of that.
"""

# ruff: noqa: RUF001  # marks of many scripts stand here on purpose

import re
from collections.abc import Iterator
from typing import NamedTuple

from research_eval.scorer.claim import plain_text
from research_eval.scorer.words import count_words, normalise

__all__ = ["LEAST_WORDS", "Quotation", "find_quotations", "quotable", "stands_in"]

LEAST_WORDS = 5
"""Shorter quotations are names and terms; of scripts without spaces, twice as many characters."""

DEEPEST = 8
"""Marks that wait for their partner at the same time; of more, the first were never closed."""

_CODE = re.compile(
    r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)|`[^`\n]+`", re.MULTILINE | re.DOTALL
)
_BLOCK_LINE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?:>[ \t]?)+")
_CALLOUT = re.compile(
    r"\s*(?:\[!\w+\]|(?:\*\*|__)?(?:note|tip|important|warning|caution|hint|summary|answer|hinweis"
    r"|注意?|補足)(?:\*\*|__)?\s*[:：])",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_ATTRIBUTION = re.compile(r"\s*(?:[—–―]|--)\s*\S.*")
_ENDED_BY_NAME = re.compile(r"(?<=[.!?。\"”’)\]*_])\s+(?:[—–―]|--)\s*[^.!?]{1,120}$")
_PARAGRAPH_END = re.compile(r"\n[ \t]*(?=\n|#{1,6}\s|\||>|(?:[-*+•]|\d{1,3}[.)])[ \t])")
_OMISSION = re.compile(r"[(\[]\s*\.\s?\.\s?\.\s*[)\]]|\.\s?\.\s?\.(?:\s?\.)?|\[[^\]]*\]")
_UNSEEN = re.compile(r"\"|(?<![^\W_])'|'(?![^\W_])|[\u00ad\u200b-\u200d\u2060\ufeff]")
_EMPHASIS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)")
_MARKS = re.compile('["＂“”„‟«»「」『』‘’]')
_STRAIGHT = '"＂'
_CLOSED_BY = {
    "“": "”", "„": "“”", "‟": "”", "”": "”", "«": "»", "»": "«»", "「": "」", "『": "』", "‘": "’",
}  # fmt: skip
_BRACKETS = "„‟「『"
_OPENING = frozenset('"＂“”„‟«»「『‘')
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


class Quotation(NamedTuple):
    """One quotation of an answer."""

    text: str
    """Without its marks, links and emphasis."""
    start: int
    """Offset of the first mark in the answer, in code points."""
    end: int
    """Behind the last mark; of a block, behind its last line, a name below the words included."""


def find_quotations(answer: str) -> list[Quotation]:
    """Return the quotations of at least `LEAST_WORDS` words, in order, none within another.

    Args:
        answer: As it was given, or with its URLs masked. Code quotes nothing.
    """
    if not _MARKS.search(answer) and ">" not in answer:
        return []
    text = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), answer)
    found: list[Quotation] = []
    blocks = list(_blocks(text))
    for start, end in blocks:
        quoted = _block_text(text[start:end])
        if quoted is not None:
            found.append(Quotation(quoted, start, end))
            text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
        else:
            bare = re.sub(
                r"(?m)^" + _BLOCK_LINE.pattern, lambda m: " " * len(m[0]), text[start:end]
            )
            text = text[:start] + bare + text[end:]
    for start, end in _between_marks(text):
        found.append(Quotation(_plain(text[start + 1 : end - 1]), start, end))
    return sorted((q for q in found if _is_long(q.text)), key=lambda q: q.start)


def quotable(folded: str) -> str:
    """Return a folded text without marks, which change where one quotation holds another."""
    return re.sub(r" {2,}", " ", _UNSEEN.sub("", folded)).strip()


def stands_in(quoted: str, text: str) -> bool:
    """Return whether a quotation stands in a text that was made `quotable`, in whole words.

    Where it leaves words out, or puts some in brackets, its parts stand there in their order.

    >>> page = quotable("the toll is 4.50 crowns, and no lorry may cross after dark.")
    >>> stands_in("The toll is 4.50 crowns … no lorry may cross", page)
    True
    >>> stands_in("no lorry may cross […] the toll", page), stands_in("the toll is 4", page)
    (False, False)
    """
    parts = [quotable(part).strip(" .,;:。、") for part in _OMISSION.split(normalise(quoted))]
    place = 0
    for number, part in enumerate(parts):
        ends = {"starts_word": number == 0, "ends_word": number == len(parts) - 1}
        found = _end_of(part, text, place, **ends)
        if found is None:
            return False
        place = found
    return True


def _end_of(part: str, text: str, place: int, *, starts_word: bool, ends_word: bool) -> int | None:
    """Return where a part ends that stands in the text from `place` on; `None` if it does not."""
    at = text.find(part, place)
    while part and at >= 0:
        end = at + len(part)
        before, after = text[max(0, at - 1) : at], text[end : end + 2]
        is_cut = ends_word and _continues(part[-1], after)
        if not is_cut and not (starts_word and _joins(before) and _joins(part[0])):
            return end
        at = text.find(part, at + 1)
    return None if part else place


def _continues(last: str, after: str) -> bool:
    """Return whether the text goes on in the word or number that a part ends with."""
    if last.isdigit() and after[:1] in {".", ","}:
        return after[1:].isdigit()
    return _joins(last) and _joins(after[:1])


def _plain(text: str) -> str:
    return plain_text(_EMPHASIS.sub("", text))


def _is_long(text: str) -> bool:
    words, characters = count_words(text)
    return words >= LEAST_WORDS or characters >= 2 * LEAST_WORDS


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the block quotes."""
    begin: int | None = None
    place = 0
    for line in text.splitlines(keepends=True):
        is_quoted = _BLOCK_LINE.match(line) is not None
        if is_quoted and begin is None:
            begin = place
        elif not is_quoted and begin is not None:
            yield begin, place
            begin = None
        place += len(line)
    if begin is not None:
        yield begin, place


def _block_text(block: str) -> str | None:
    """Return what a block quotes; `None` if it is a note, or if marks within say what is quoted."""
    lines = [
        line[found.end() :] for line in block.splitlines() if (found := _BLOCK_LINE.match(line))
    ]
    while lines and (not lines[-1].strip() or _ATTRIBUTION.fullmatch(lines[-1])):
        lines.pop()
    if not lines or _CALLOUT.match(lines[0]):
        return None
    quoted = _ENDED_BY_NAME.sub("", "\n".join(_BULLET.sub("", line, count=1) for line in lines))
    if any(_is_long(_plain(quoted[s + 1 : e - 1])) for s, e in _between_marks(quoted)):
        first = _MARKS.search(quoted)
        if first is not None and not quoted[: first.start()].strip(" *_\n"):
            return None
    return _plain(quoted)


def _between_marks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the outermost spans between marks, paragraph by paragraph, the marks included.

    Those that are too short for the least number of words are left out.
    """
    begin = 0
    for end in (*(m.end() for m in _PARAGRAPH_END.finditer(text)), len(text)):
        outer = 0
        for span in sorted(_Pairing(text, begin, end).spans()):
            if span[1] > outer:
                outer = span[1]
                if span[1] - span[0] > 2 * LEAST_WORDS:
                    yield span
        begin = end


class _Pairing:
    """Finds which marks of a paragraph belong together."""

    def __init__(self, text: str, begin: int, end: int) -> None:
        self._text, self._begin, self._end = text, begin, end
        self._open: list[tuple[str, int]] = []
        """Marks that wait for their partner."""
        self._found: list[tuple[int, int]] = []

    def spans(self) -> list[tuple[int, int]]:
        """Return the spans of all pairs."""
        for match in _MARKS.finditer(self._text, self._begin, self._end):
            mark, place = match[0], match.start()
            partner = self._partner(mark, place)
            if partner is not None:
                self._found.append((self._open[partner][1], place + 1))
                del self._open[partner:]
            elif mark in _BRACKETS or (mark in _OPENING and self._can_open(place)):
                self._begin_at(mark, place)
        return self._found

    def _partner(self, mark: str, place: int) -> int | None:
        """Return which open mark this one closes, the innermost that it can."""
        for number in range(len(self._open) - 1, -1, -1):
            if self._closes(mark, self._open[number][0], place):
                return number
        return None

    def _closes(self, mark: str, opened: str, place: int) -> bool:
        if opened in _STRAIGHT:
            return mark in _STRAIGHT and self._can_close(place)
        if mark in _STRAIGHT:  # a pair of which one mark is straight
            return opened in "“„”" and self._can_close(place) and not self._can_open(place)
        if mark not in _CLOSED_BY[opened]:
            return False
        is_clear = mark in "」』" or (opened, mark) in {("“", "”"), ("„", "”"), ("«", "»")}
        return is_clear or self._can_close(place)

    def _begin_at(self, mark: str, place: int) -> None:
        """Open a quotation; one of the same straight or closing marks that waits was never closed."""
        if mark in _STRAIGHT or mark == "”":
            self._open = [one for one in self._open if one[0] != mark]
        self._open = [*self._open[1 - DEEPEST :], (mark, place)]

    def _can_open(self, place: int) -> bool:
        before, after = self._text[max(0, place - 1) : place], self._text[place + 1 : place + 2]
        is_french = self._text[place] == "«"
        is_free = not after.isspace() or is_french
        return bool(after) and is_free and after not in ",.;:!?)]" and not _joins(before)

    def _can_close(self, place: int) -> bool:
        before, after = self._text[max(0, place - 1) : place], self._text[place + 1 : place + 2]
        return bool(before) and not before.isspace() and not _joins(after)


def _joins(beside: str) -> bool:
    """Return whether a character beside a mark makes it a part of a word."""
    return beside.isalnum() and not _CJK.match(beside)
