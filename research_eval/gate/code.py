"""Code: where nothing of an answer can be clicked, because a renderer shows it as code.

Only what is code beyond doubt counts: a fence that begins a line, and a code span within one line.
Whoever doubts here says "no code", so that a URL stays a citation.
"""

import re
from bisect import bisect_right
from functools import cached_property

__all__ = ["CodeMap"]

_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,}).*$")
_RAW_HTML = re.compile(r"[\s>*+\-0-9.)]*<(?:[!?]|pre|script|style|textarea)", re.IGNORECASE)
_HTML = re.compile(r"[\s>*+\-0-9.)]*<")
_TICKS = re.compile(r"(\\?)(`+)")
_BLOCK = re.compile(r"[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]|\#{1,6}[ \t]|\|)")


class CodeMap:
    """Says of places of one text whether they are code; the text is read once, when first asked."""

    def __init__(self, text: str) -> None:
        self._text = text

    def holds(self, position: int) -> bool:
        """Whether the character at `position` is code beyond doubt."""
        index = bisect_right(self._spans, (position, len(self._text))) - 1
        return index >= 0 and position < self._spans[index][1]

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        if "`" not in self._text and "~~~" not in self._text:
            return []
        return _code_spans(self._text)


def _code_spans(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    position = 0
    fence = ""
    fence_start = 0
    after_html = is_open = False
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        if fence:
            if _closes(bare, fence):
                found.append((fence_start, position))
                fence = ""
        elif _RAW_HTML.match(bare):
            return found
        elif not bare.strip():
            after_html = is_open = False
        elif (opened := _FENCE.match(bare)) is not None and not after_html:
            fence, fence_start, is_open = opened[1] or opened[2], position + len(line), False
        else:
            after_html = after_html or _HTML.match(bare) is not None
            is_open = is_open and not _BLOCK.match(bare)
            if not is_open:
                spans, is_open = _line_spans(bare, position)
                found.extend(spans)
        position += len(line)
    if fence:
        found.append((fence_start, len(text)))
    return found


def _closes(line: str, fence: str) -> bool:
    mark = line.strip(" ")
    return (
        len(line) - len(line.lstrip(" ")) <= 3
        and len(mark) >= len(fence)
        and not mark.strip(fence[0])
    )


def _line_spans(line: str, offset: int) -> tuple[list[tuple[int, int]], bool]:
    """Return the code spans of a line, and whether one may still be open at its end."""
    found: list[tuple[int, int]] = []
    is_row = line.lstrip().startswith("|")
    opening: re.Match[str] | None = None
    for ticks in _TICKS.finditer(line):
        if opening is None:
            if ticks[1] or "<" in line[: ticks.start()]:
                return found, True
            opening = ticks
        elif len(ticks[2]) == len(opening[2]):
            if not (is_row and "|" in line[opening.end() : ticks.start()]):
                found.append((offset + opening.end(), offset + ticks.start()))
            opening = None
    return found, opening is not None
