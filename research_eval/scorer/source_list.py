"""The list of sources at the end of an answer, and the markers that point into it."""

# ruff: noqa: RUF001  # marks of many scripts stand here on purpose

import re
from collections.abc import Iterator, Sequence

__all__ = ["SourceList", "is_list_heading", "marker_numbers", "without_markers"]

_HEADING = re.compile(
    r"[\s#*_>-]*(?:sources?|references?|citations|bibliography|links?|works cited|further reading"
    r"|quellen(?:angaben)?|referenzen|références|fuentes|referencias|fonti|källor|kilder|bronnen"
    r"|出典|参考文献|参考|参照|情報源|引用元)(?:\s+(?:cited|used|consulted))?[\s:：*_#]*$",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"\s*(?:[-*+•]\s*)?"
    r"(?:\[\^?(?P<bracket>\w{1,8})\]:?|【(?P<cjk>\d{1,3})】|\^(?P<caret>\d{1,3})\^?:?"
    r"|<sup>(?P<sup>\d{1,3})</sup>|(?P<plain>\d{1,3})[.):])(?!\()"
)
_NUMBERS = r"\d{1,3}(?:\s*[,;–-]\s*\^?\d{1,3})*"
_MARKER = re.compile(
    rf"\[\^?({_NUMBERS})(?:†[^\]\n]{{0,40}})?\](?![(:])|【({_NUMBERS})(?:[†:][^】\n]{{0,40}})?】"
    rf"|\^({_NUMBERS})\^|<sup>\s*\[?({_NUMBERS})\]?\s*</sup>|\[\^(\w{{1,8}})\](?![(:])"
)
_RANGE = re.compile(r"(\d+)\s*[–-]\s*\^?(\d+)")
LONGEST_RANGE = 20
"""A range over more numbers is no list of sources."""


class SourceList:
    """Entries by the marker that stands before them."""

    def __init__(self) -> None:
        self._entries: dict[str, list[str]] = {}
        self.urls: list[str] = []
        """Every URL of the list, in order."""

    def take(self, line: str, urls: Sequence[str], *, under_heading: bool) -> bool:
        """Take the line if it is an entry of the list; say whether it was."""
        entry = _ENTRY.match(line)
        if not urls or not (under_heading or (entry and entry["plain"] is None)):
            return False
        if entry:
            number = next(group for group in entry.groups() if group is not None)
            self._entries.setdefault(number, []).extend(urls)
        self.urls.extend(urls)
        return True

    def get(self, number: str) -> Sequence[str]:
        """Return the URLs of one entry."""
        return self._entries.get(number, ())


def is_list_heading(line: str) -> bool:
    """Return whether the line opens a list of sources."""
    return _HEADING.match(line) is not None


def marker_numbers(text: str) -> Iterator[str]:
    """Yield the entries that the markers in `text` point at; a range yields each of its numbers.

    A year in brackets is no marker.
    """
    for match in _MARKER.finditer(text):
        group = next(part for part in match.groups() if part is not None)
        for part in re.split(r"\s*[,;]\s*", group):
            span = _RANGE.fullmatch(part)
            if span is None:
                yield part.lstrip("^")
            elif 0 <= int(span[2]) - int(span[1]) <= LONGEST_RANGE:
                yield from map(str, range(int(span[1]), int(span[2]) + 1))


def without_markers(text: str) -> str:
    """Return `text` without its markers, which would spoil a check of numbers."""
    return _MARKER.sub("", text)
