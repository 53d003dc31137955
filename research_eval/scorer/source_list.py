"""The list of sources at the end of an answer, and the markers that point into it."""

# ruff: noqa: RUF001  # marks of many scripts stand here on purpose

import re
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

__all__ = ["Line", "SourceList", "is_list_heading", "marker_numbers", "trailing", "without_markers"]

_HEADING = re.compile(
    r"[\s#*_>-]*(?:sources?|references?|citations|bibliography|links?|works cited|further reading"
    r"|quellen(?:angaben)?|referenzen|références|fuentes|referencias|fonti|källor|kilder|bronnen"
    r"|出典|参考文献|参考|参照|情報源|引用元)(?:\s+(?:cited|used|consulted))?[\s:：*_#]*$",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"\s*(?:[-*+•]\s*)?"
    r"(?:\[\^?(?P<bracket>\w{1,8})\]:?|【(?P<cjk>\d{1,3})】|\^(?P<caret>\d{1,3})\^?:?"
    r"|<sup>(?P<sup>\d{1,3})</sup>|(?P<plain>\d{1,4})[.):])(?!\()"
)
_NUMBERS = r"\d{1,4}(?:\s*[,;–-]\s*\^?\d{1,4})*"
_MARKER = re.compile(
    rf"\[\^?({_NUMBERS})(?:†[^\]\n]{{0,40}})?\](?![(:])|【({_NUMBERS})(?:[†:][^】\n]{{0,40}})?】"
    rf"|\^({_NUMBERS})\^|<sup>\s*\[?({_NUMBERS})\]?\s*</sup>|\[\^(\w{{1,8}})\](?![(:])"
)
_RANGE = re.compile(r"(\d+)\s*[–-]\s*\^?(\d+)")
LONGEST_RANGE = 20
"""A range over more numbers is no list of sources."""


class Line(NamedTuple):
    """One line of an answer."""

    text: str
    urls: Sequence[str]
    rest: str
    """Its words without URLs, markers and the number that it may begin with."""


class SourceList:
    """Entries by the marker that stands before them."""

    def __init__(self) -> None:
        self._entries: dict[str, set[tuple[str, ...]]] = {}
        self._waiting: str | None = None
        """The marker of an entry whose URL is to stand on the next line."""
        self.urls: list[str] = []
        """Every URL of the list, in order."""

    def take(self, line: str, urls: Sequence[str], *, in_list: bool) -> bool:
        """Take the line if it is a part of the list; say whether it was.

        Args:
            line: With its URLs masked.
            urls: What it cites.
            in_list: Whether it stands under the list's heading, or in a list without one.
        """
        entry = _ENTRY.match(line)
        marker = next((group for group in entry.groups() if group), None) if entry else None
        is_entry = bool(entry and (in_list or (urls and entry["plain"] is None)))
        if not is_entry and not (in_list and urls):
            return False
        marker = marker if is_entry else self._waiting
        self._waiting = marker if is_entry and not urls else None
        if marker and urls:
            self._entries.setdefault(marker, set()).add(tuple(urls))
        self.urls.extend(urls)
        return True

    def __contains__(self, marker: object) -> bool:
        return marker in self._entries

    def get(self, marker: str) -> Sequence[str]:
        """Return the URLs of one entry; none where several entries say different things."""
        entries = self._entries.get(marker, set())
        return next(iter(entries)) if len(entries) == 1 else ()


def trailing(lines: Sequence[Line]) -> range:
    """Return which lines are a numbered list of sources without a heading, at an answer's end.

    Its entries are bare addresses, or markers in the text before point at some of them: a numbered
    list of statements with their citations is none. No line with a URL follows it.
    """
    end = len(lines)
    while end and not lines[end - 1].urls:
        end -= 1
    begin, numbers = end, list[str]()
    is_bare, is_next_bare = True, False
    for place in range(end - 1, -1, -1):
        line, entry = lines[place], _ENTRY.match(lines[place].text)
        if entry and (line.urls or is_next_bare):
            number = next(group for group in entry.groups() if group)
            if begin > place + 1 and numbers and _restarts(number, numbers[-1]):
                break
            numbers.append(number)
            is_bare, is_next_bare, begin = is_bare and not line.rest, False, place
        elif line.urls and not line.rest and not is_next_bare:
            is_next_bare = True
        elif line.text.strip() or is_next_bare:
            break
    before = (number for line in lines[:begin] for number in marker_numbers(line.text, numbers))
    is_list = bool(numbers) and (is_bare or any(number in numbers for number in before))
    return range(begin, end) if is_list else range(0)


def _restarts(number: str, later: str) -> bool:
    """Return whether counting starts again between an entry and a later one, behind a gap."""
    return number.isdigit() and later.isdigit() and int(number) >= int(later)


def is_list_heading(line: str) -> bool:
    """Return whether the line opens a list of sources."""
    return _HEADING.match(line) is not None


def marker_numbers(text: str, listed: Container[str] = ()) -> Iterator[str]:
    """Yield the entries that the markers in `text` point at; a range yields each of its numbers.

    A year in brackets is no marker, but for one that is `listed`.
    """
    for match in _MARKER.finditer(text):
        group = _marker(match, listed)
        for part in re.split(r"\s*[,;]\s*", group) if group else ():
            span = _RANGE.fullmatch(part)
            if span is None:
                yield part.lstrip("^")
            elif 0 <= int(span[2]) - int(span[1]) <= LONGEST_RANGE:
                yield from map(str, range(int(span[1]), int(span[2]) + 1))


def without_markers(text: str, listed: Container[str] = ()) -> str:
    """Return `text` without its markers, which would spoil a check of numbers."""
    return _MARKER.sub(lambda match: "" if _marker(match, listed) else match[0], text)


def _marker(match: re.Match[str], listed: Container[str]) -> str | None:
    """Return what a marker says; `None` if it is a year that no entry has."""
    group = next(part for part in match.groups() if part is not None)
    years = re.findall(r"(?<!\d)\d{4}(?!\d)", group)
    return group if all(year in listed for year in years) else None
