"""Runs: the stretch of text that a bare URL may take, with its escapes undone.

A run keeps the way back: each of its characters knows where in the text it stands.
"""

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property, partial

from research_eval.gate.character import (
    ENDING,
    INVISIBLE,
    SPACED_LETTER,
    UNSPACED_LETTER,
    has_invisible,
)
from research_eval.gate.escape import ENTITY, PUNCTUATION

__all__ = [
    "HOST",
    "MIN_SCHEME_CHARS",
    "SCHEME",
    "Run",
    "RunReader",
    "scheme_finder",
    "with_hosts",
]

SCHEME = re.compile(r"[hH][tT][tT][pP][sS]?://")
"""The beginning of a bare URL, plainly written."""

MIN_SCHEME_CHARS = len("http://")

HOST = re.compile(r"http://www\.(?:[^\s/?#.]+\.[^\s/?#.]|[^\W_])")
"""A host that a renderer links though no scheme stands before it."""

MAX_LINE_CHARS = 1000
"""How far before a host the beginning of its line is looked for."""

_BEFORE_HOST = frozenset(" \t\n\r\f\v*_~([")
_HOST_GOES_ON = re.compile(r"[^\s<>.]")
_LINK_BRACKET = re.compile(r"(?<!\\)[\[\]]")

_BACK = r"\\{0,8}"
_HIDDEN_LETTERS = {"h": (72, 104), "t": (84, 116), "p": (80, 112), "s": (83, 115)}
_DESTINATION = re.compile(
    r"[^\s()<>\\]{1,500}(?:\([^\s()<>\\]{0,500}\)[^\s()<>\\]{0,500}){0,9}(?:[ \t][\"'(][^\n]{0,500})?\)"
)
"""A relative destination, which leads to the site that shows the answer."""


def _hidden(plain: str, codes: tuple[int, ...], names: str = "") -> str:
    """Return a pattern for one character: plain, as a character reference, or escaped."""
    decimal = "|".join(str(code) for code in codes)
    hexadecimal = "|".join(f"{code:x}" for code in codes)
    return (
        rf"(?:{plain}|&\#0{{0,8}}(?:{decimal});|&\#[xX]0{{0,8}}(?i:{hexadecimal});"
        rf"|\\{{1,4}}u00(?i:{hexadecimal})|\\{{1,4}}x(?i:{hexadecimal}){names})"
    )


_GAP = rf"[{INVISIBLE}]*+"
_LETTER = {
    name: _hidden(f"[{name}{name.upper()}]", codes) for name, codes in _HIDDEN_LETTERS.items()
}
_COLON = _BACK + _hidden(":", (58,), "|&colon;")
_SLASH = _BACK + _hidden("/", (47,), "|&sol;")
_HIDDEN_SCHEME = re.compile(
    _GAP.join(
        [*(_LETTER[letter] for letter in "http"), f"(?:{_LETTER['s']})?", _COLON, _SLASH, _SLASH]
    )
)
_ESCAPED = re.compile(r":\\|\\[:/]|\\[ux][0-9a-fA-F]")

# Not possessive as a whole: before Python 3.11.5 that would keep an "&" which is an escape's.
_SIMPLE = re.compile(r"(?:[A-Za-z0-9\-._~:/?#\[\]@!$'()*+,;=%^{}]++|&(?!\#?[A-Za-z0-9]{1,32};))+")
_PLAIN = re.compile(rf"[^\\&{INVISIBLE}{ENDING}]+")
_ENDING = re.compile(f"[{ENDING}]")
_ENTITY = re.compile(ENTITY)
_PAIR = re.compile(r"\\+u([dD][89abAB][0-9a-fA-F]{2})\\+u([dD][c-fC-F][0-9a-fA-F]{2})")
_ESCAPE = re.compile(rf"\\+(?:u([0-9a-fA-F]{{4}})|x([0-9a-fA-F]{{2}})|([{PUNCTUATION}]))")
_LINE_BREAK = re.compile(r"\\+[nrt]")
_STARTS_AFRESH = re.compile(r"https?:|[^a-z]|$")
_INVISIBLES = re.compile(f"[{INVISIBLE}]+")
_JOINED = re.compile("[A-Za-z0-9\\-._~/?#=&%+!$'(*,:;@^\u00c0-\u052f\u1e00-\u1fff]")
_FOREIGN = re.compile(f"[{UNSPACED_LETTER}{SPACED_LETTER}\u0530-\u05ff\u0900-\u0dff]")
_UNFINISHED = re.compile(r"[/=&?#_-]")
"""A URL hardly ever ends with these."""

_JOINER = re.compile("[\u200c\u200d]+")
_LETTER_AFTER_JOINER = re.compile("[\u0590-\u0dff\u1000-\u109f\U0001f000-\U0001faff\u2600-\u27bf]")
_EMOJI = re.compile("[\u2600-\u27bf\U0001f000-\U0001faff]")
_PLAINLY_INSIDE = re.compile(
    "[\uff01\uff1f\uff1a\uff5e\u301c]++_\\("
    r"|[\uff0e\uff61](?=[a-z0-9])"
    f"|\uff08[^\uff08\uff09/{INVISIBLE}{ENDING}]{{1,64}}\uff09(?:/(?![/{ENDING}])|_\\()"
)
_SICI = re.compile(r"<\d{1,6}(?:\.\d+)?::(?:AID|aid)-[^<>\s]{1,40}>")


class Run:
    """A stretch of text as it is meant, and the way back to how it is written."""

    def __init__(self, source: str, start: int) -> None:
        self._source = source
        self._pieces: list[str] = []
        self._starts = [0]
        self._places = [start]
        self._length = 0
        self.text = ""
        self.end = start
        """Offset in the source at which the run ended."""
        self.is_decoded = False
        """Whether anything was undone, so that what is meant differs from what is written."""

    def add_plain(self, piece: str, place: int) -> None:
        """Take `piece`, which stands at `place` as it is."""
        if self._length:
            self._starts.append(self._length)
            self._places.append(place)
        else:
            self._places[0] = place
        self._pieces.append(piece)
        self._length += len(piece)

    def add_decoded(self, piece: str, place: int) -> None:
        """Take `piece`, which is what something at `place` stands for."""
        self.is_decoded = True
        if piece:
            self.add_plain(piece, place)

    def holds(self, part: str) -> bool:
        """Whether what was taken last contains `part`."""
        return bool(self._pieces) and part in self._pieces[-1]

    def ends_with(self, pattern: re.Pattern[str]) -> bool:
        """Whether the last character taken matches `pattern`."""
        return bool(self._pieces) and pattern.match(self._pieces[-1][-1]) is not None

    def finish(self, end: int) -> None:
        """End the run at `end` of the source."""
        self.end = end
        self.text = "".join(self._pieces)
        self._starts.append(self._length)
        self._places.append(end)

    def place(self, index: int) -> int:
        """Return where in the source the character at `index` of the run stands."""
        if index >= self._length:
            return self.end
        piece = bisect_right(self._starts, index) - 1
        return min(self._places[piece] + index - self._starts[piece], self._places[piece + 1])

    def written(self, first: int, end: int) -> str:
        """Return how the part of the run between two of its characters is written."""
        return self._source[self.place(first) : self.place(end)]


def scheme_finder(text: str) -> Callable[[int], int]:
    """Return what finds the next bare URL of `text` from an offset on; -1 where there is none."""
    may_hide = (
        ("\\" in text and _ESCAPED.search(text))
        or ("&" in text and any(mark in text for mark in ("&#", "&colon;", "&sol;")))
        or has_invisible(text)
    )
    if may_hide:
        return partial(_next_hidden, text)
    return partial(_next_plain, text)


def with_hosts(text: str, next_scheme: Callable[[int], int]) -> Callable[[int], int]:
    """Return what finds the next bare URL, with or without a scheme before its `www.`."""
    hosts = [*_hosts(text)]
    if not hosts:
        return next_scheme
    known = next_scheme(0)

    def find(position: int) -> int:
        nonlocal known
        if 0 <= known < position:
            known = next_scheme(position)
        index = bisect_left(hosts, position)
        host = hosts[index] if index < len(hosts) else -1
        return host if known < 0 or 0 <= host < known else known

    return find


def _hosts(text: str) -> Iterator[int]:
    start = text.find("www.")
    while start >= 0:
        if _begins_host(text, start):
            yield start
        start = text.find("www.", start + 4)


def _begins_host(text: str, start: int) -> bool:
    """Whether a renderer links the `www.` at `start`."""
    line = text[text.rfind("\n", max(0, start - MAX_LINE_CHARS), start) + 1 : start]
    is_cell = line.endswith("|") and "<" not in line
    if start and text[start - 1] not in _BEFORE_HOST and not is_cell:
        return False
    if not _HOST_GOES_ON.match(text, start + len("www.")):
        return False
    is_destination = text[start - 2 : start] == "](" and _has_open_bracket(line[:-2])
    return not is_destination or not _DESTINATION.match(text, start)


def _has_open_bracket(line: str) -> bool:
    """Whether a bracket of `line` is not closed in it, so that the next one that closes is its own."""
    depth = 0
    for bracket in _LINK_BRACKET.finditer(line):
        depth = max(0, depth - 1) if bracket[0] == "]" else depth + 1
    return depth > 0


def _next_hidden(text: str, position: int) -> int:
    match = _HIDDEN_SCHEME.search(text, position)
    return -1 if match is None else match.start()


def _next_plain(text: str, position: int) -> int:
    colon = text.find("://", position)
    while colon >= 0:
        start = colon - 5
        if text[start : start + 1] not in {"h", "H"} or start < position:
            start += 1
        if start >= position and text[start:colon].lower() in {"http", "https"}:
            return start
        colon = text.find("://", colon + 3)
    return -1


class RunReader:
    """Reads the runs of one text."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _is_escaped_text(self) -> bool:
        r"""Whether the whole text is one line whose breaks are written out as `\n`."""
        return "\n" not in self._text and self._text.count("\\n") > 1

    def read(self, start: int, limit: int, *, scheme: str = "") -> Run:
        """Return the run that begins at `start` and ends at the first delimiter or at `limit`.

        `scheme` is put before what is written.
        """
        text = self._text
        run = Run(text, start)
        if scheme:
            run.add_plain(scheme, start)
        simple = _SIMPLE.match(text, start, limit)
        if simple is not None and _is_whole(text, simple):
            run.add_plain(simple[0], start)
            run.finish(simple.end())
            return run
        position = start
        while position < limit:
            plain = _PLAIN.match(text, position, limit)
            if plain is not None:
                run.add_plain(plain[0], position)
                position = plain.end()
            after = self._step(run, position) if position < limit else None
            if after is None:
                break
            position = after
        run.finish(position)
        return run

    def _step(self, run: Run, position: int) -> int | None:
        """Take the escape or invisible stretch at `position`; return what follows, if any."""
        text = self._text
        char = text[position : position + 1]
        if char == "&":
            return _take_entity(run, text, position)
        if char == "\\":
            broken = _LINE_BREAK.match(text, position)
            if broken and (self._is_escaped_text or _STARTS_AFRESH.match(text, broken.end())):
                return None
            return _take_escape(run, text, position)
        if char == "<":
            return _take_sici(run, text, position)
        if char > "\u3000" and (inside := _PLAINLY_INSIDE.match(text, position)):
            run.add_plain(inside[0], position)
            return inside.end()
        hidden = _INVISIBLES.match(text, position)
        return None if hidden is None else _take_invisible(run, text, hidden)


def _is_whole(text: str, simple: re.Match[str]) -> bool:
    """Whether a run of plain ASCII ends where the plain characters end."""
    following = text[simple.end() : simple.end() + 1]
    return following.isascii() and following not in {"\\", "<", "&"}


def _take_entity(run: Run, text: str, position: int) -> int | None:
    entity = _ENTITY.match(text, position)
    if entity is None:
        run.add_plain("&", position)
        return position + 1
    meant = html.unescape(entity[0])
    if meant == entity[0]:
        run.add_plain(meant, position)
    elif meant not in {"|", "&"} and _ENDING.search(meant):
        return None
    else:
        run.add_decoded(_INVISIBLES.sub("", meant), position)
    return entity.end()


def _take_escape(run: Run, text: str, position: int) -> int | None:
    pair = _PAIR.match(text, position)
    if pair is not None:
        high, low = (
            int(half, 16) - base for half, base in zip(pair.groups(), (0xD800, 0xDC00), strict=True)
        )
        run.add_decoded(chr(0x10000 + (high << 10) + low), position)
        return pair.end()
    escape = _ESCAPE.match(text, position)
    if escape is None:
        return _take_backslash(run, text, position)
    code = escape[1] or escape[2]
    meant = chr(int(code, 16)) if code else escape[3]
    if "\ud800" <= meant <= "\udfff" or (meant != "|" and _ENDING.match(meant)):
        return None
    run.add_decoded(_INVISIBLES.sub("", meant), position)
    return escape.end()


def _take_backslash(run: Run, text: str, position: int) -> int | None:
    """A backslash before a letter stays in the URL; at the end of a line it is none of its own."""
    following = text[position + 1 : position + 2]
    if not following or _ENDING.match(following):
        return None
    run.add_plain("\\", position)
    return position + 1


def _take_sici(run: Run, text: str, position: int) -> int | None:
    """Serial item identifiers in old DOIs hold angle brackets, `<693::AID-ASI4>`."""
    sici = _SICI.match(text, position)
    if sici is None or not run.holds("(SICI)"):
        return None
    run.add_plain(sici[0], position)
    return sici.end()


def _take_invisible(run: Run, text: str, hidden: re.Match[str]) -> int | None:
    """What nobody sees is left out inside a URL, and ends it where something else follows."""
    after = hidden.end()
    following = text[after : after + 1]
    if run.ends_with(_EMOJI) or (
        _JOINER.fullmatch(hidden[0]) and _LETTER_AFTER_JOINER.match(following)
    ):
        run.add_plain(hidden[0], hidden.start())
        return after
    is_open = run.ends_with(_UNFINISHED) and not _ENDING.match(following or " ")
    is_word = run.ends_with(_FOREIGN) and _FOREIGN.match(following)
    if not (is_open or is_word or following == "\\" or _JOINED.match(following)):
        return None
    run.add_decoded("", hidden.start())
    return after
