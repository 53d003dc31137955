"""Views: bytes as they are written in, the same with their escapes taken off out, with the way back."""

import base64
import binascii
import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

__all__ = ["View", "readings_of", "views_of"]

_MAX_ROUNDS = 6
_MAX_BASE64 = 2
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}"
    rb"|\\u\{[0-9a-fA-F]{1,6}\}|\\x[0-9a-fA-F]{2}|\\[^ux]|%u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}"
    rb"|&#[0-9]{1,9};?|&#[xX][0-9a-fA-F]{1,8};?|&[A-Za-z][A-Za-z0-9]{1,31};",
    re.DOTALL,
)
_LETTERS = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_BASE64 = re.compile(
    rb"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}"
    rb"(?:(?<=[A-Za-z0-9+/_-]{40})[\r\n]{1,2}[A-Za-z0-9+/_-]{4,})*"
)
_URL_SAFE = bytes.maketrans(b"-_", b"+/")

Back = Callable[[int, int], tuple[int, int]]
"""Takes a stretch of a view to the stretch of the source that it was made of."""


class View(NamedTuple):
    """Bytes to search, and the way from a stretch of them back to the source."""

    data: bytes
    back: Back


def views_of(data: bytes) -> Iterator[View]:
    """Return `data` in every reading: as it is, unescaped once and more, out of base64 and UTF-16.

    Each reading costs time in proportion to the size of `data`, whatever is searched in it.
    """
    yield from _views(View(data, lambda start, end: (start, end)), _MAX_BASE64)


def readings_of(data: bytes) -> Iterator[View]:
    """Return `data` as it is, and with its escapes taken off once, twice and so on."""
    view = View(data, lambda start, end: (start, end))
    yield view
    yield from _unescapings(view)


def _views(view: View, base64_left: int) -> Iterator[View]:
    yield view
    last = view
    for last in _unescapings(view):
        yield last
    roots = [view] if last is view else [view, last]
    for root in roots if base64_left else ():
        inner = _out_of_base64(root)
        if inner is not None:
            yield from _views(inner, base64_left - 1)
    if b"\0" in view.data:
        yield from _views(_without_nuls(view), 0)


def _unescapings(view: View) -> Iterator[View]:
    for _ in range(_MAX_ROUNDS):
        following = _unescape(view)
        if following is None:
            return
        view = following
        yield view


def _unescape(view: View) -> View | None:
    data = view.data
    plain = _ESCAPE.sub(_letter, data)
    if plain == data:
        return None
    known: list[_Stretches] = []

    def back(start: int, end: int) -> tuple[int, int]:
        if not known:  # few bodies hold a secret, so the way back is made when it is asked for
            known.append(_stretches(data))
        return known[0].back(start, end)

    return View(plain, _after(view.back, back))


def _stretches(data: bytes) -> "_Stretches":
    stretches = _Stretches()
    shift = 0
    for escape in _ESCAPE.finditer(data):
        size = len(_letter(escape))
        stretches.add(escape.start() - shift, size, *escape.span())
        shift += escape.end() - escape.start() - size
    return stretches


def _letter(escape: re.Match[bytes]) -> bytes:
    return _decode(escape.group())


class _Stretches:
    """Where pieces of a view that are not spelled as in the source stand in both."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._sizes: list[int] = []
        self._source: list[tuple[int, int]] = []

    def add(self, start: int, size: int, source_start: int, source_end: int) -> None:
        self._starts.append(start)
        self._sizes.append(size)
        self._source.append((source_start, source_end))

    def back(self, start: int, end: int) -> tuple[int, int]:
        return self._place(start)[0], self._place(end - 1)[1]

    def _place(self, index: int) -> tuple[int, int]:
        number = bisect_right(self._starts, index) - 1
        if number < 0:
            return index, index + 1
        after = index - self._starts[number] - self._sizes[number]
        if after < 0:
            return self._source[number]
        at = self._source[number][1] + after
        return at, at + 1


@lru_cache(maxsize=4096)
def _decode(escape: bytes) -> bytes:
    text = escape.decode("utf-8", "replace")
    if text.startswith("%u"):
        return _encoded(int(text.removeprefix("%u"), base=16), escape)
    if text.startswith("%"):
        return bytes((int(text[1:], 16),))
    if text.startswith("&"):
        return html.unescape(text).encode("utf-8", "surrogatepass")
    if len(text) == len(r"\ud83d\ude00"):
        return _pair(text)
    if text.startswith(("\\u", "\\x")):
        return _encoded(int(text[2:].strip("{}"), 16), escape)
    return _LETTERS.get(escape[1:], escape[1:])


def _pair(text: str) -> bytes:
    """Return the one character that two escaped halves stand for."""
    high, low = int(text[2:6], 16), int(text[8:12], 16)
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)).encode()


def _encoded(number: int, escape: bytes) -> bytes:
    return chr(number).encode("utf-8", "surrogatepass") if number <= 0x10FFFF else escape


def _out_of_base64(view: View) -> View | None:
    """Return what all runs of base64 hold, one after another."""
    parts: list[bytes] = []
    starts: list[int] = []
    runs: list[tuple[int, int, bool]] = []
    size = 0
    for run in _BASE64.finditer(view.data):
        letters = run.group().translate(_URL_SAFE, b"\r\n")
        try:
            inner = base64.b64decode(letters[: len(letters) // 4 * 4] + _rest(letters))
        except binascii.Error:
            continue
        parts += (inner, b"\n")
        starts.append(size)
        runs.append((*run.span(), len(letters) == run.end() - run.start()))
        size += len(inner) + 1
    if not parts:
        return None

    def back(start: int, end: int) -> tuple[int, int]:
        number = bisect_right(starts, start) - 1
        first, last, is_straight = runs[number]
        if not is_straight:
            return first, last
        begin = first + (start - starts[number]) * 4 // 3
        return begin, min(last, first + ((end - starts[number]) * 4 + 2) // 3)

    return View(b"".join(parts), _after(view.back, back))


def _rest(letters: bytes) -> bytes:
    """Return the last letters of a run that was not padded, padded."""
    rest = letters[len(letters) // 4 * 4 :]
    return rest.ljust(4, b"=") if len(rest) > 1 else b""


def _without_nuls(view: View) -> View:
    """Return `view` as UTF-16 and UTF-32 of ASCII letters read."""
    data = view.data
    kept: list[int] = []

    def back(start: int, end: int) -> tuple[int, int]:
        if not kept:
            kept.extend(index for index, letter in enumerate(data) if letter)
        return kept[start], kept[end - 1] + 1

    return View(data.translate(None, b"\0"), _after(view.back, back))


def _after(outer: Back, inner: Back) -> Back:
    return lambda start, end: outer(*inner(start, end))
