"""Known secrets: values in, every place where text or bytes hold one found and replaced out."""

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from research_eval.errors import ConfigError
from research_eval.secret.view import readings_of, views_of

__all__ = ["SCRUBBED", "KnownSecrets", "Place"]

SCRUBBED = "SCRUBBED"
"""What stands in a recording where something secret was; the same for all, so that a replay without keys matches."""

_MIN_CHARS = 4
_MIN_CHARS_ANYWHERE = 12
_MIN_CHARS_OF_LINE = 16
_MIN_CHARS_OF_CODE = 8
_MASK = re.compile("[*\u2022]{3,200}|[.]{3,200}|\u2026")
_HEAD = re.compile(r"[A-Za-z0-9_-]{0,40}\Z")
_TAIL = re.compile(r"[A-Za-z0-9_-]{0,40}")
_HEAD_CHARS = 40
_SHOWN = 3
_MAX_ROUNDS = 8


class Place(NamedTuple):
    """Where a secret stands in bytes, and what it is called."""

    start: int
    end: int
    name: str


class KnownSecrets:
    """Finds the values of named secrets in text and bytes, whatever escapes and encodings carry them.

    What is searched is decoded first, so no spelling is listed; what `find` finds is what `scrub`
    replaces.
    """

    def __init__(self, secrets: Mapping[str, str]) -> None:
        """Prepare the search for every value.

        Raises:
            ConfigError: If a value is too short to be told from ordinary text.
        """
        self._names: dict[bytes, str] = {}
        self._values = [value for value in secrets.values() if value]
        for name, value in sorted(secrets.items()):
            if value and len(value) < _MIN_CHARS:
                raise ConfigError(f"the value of {name} is too short to be scrubbed safely")
            for needle in _needles(value) if value else ():
                self._names.setdefault(needle, name)
        self._pattern = _search_for(self._names) if self._names else None

    @property
    def is_any(self) -> bool:
        """Whether any secret is known."""
        return self._pattern is not None

    def places(self, content: bytes) -> list[Place]:
        """Return where secrets stand, in order, none over another."""
        if self._pattern is None:
            return []
        found = [
            Place(*view.back(*hit.span()), self._names[hit.group()])
            for view in views_of(content)
            for hit in self._pattern.finditer(view.data)
            if _is_apart(hit)
        ]
        apart: list[Place] = []
        for place in sorted(found):
            if apart and place.start < apart[-1].end:
                apart[-1] = apart[-1]._replace(end=max(place.end, apart[-1].end))
            else:
                apart.append(place)
        return apart

    def scrub(self, text: str) -> str:
        """Return `text` with every secret replaced, masked fragments of keys too."""
        if self._pattern is None:
            return text
        raw = text.encode("utf-8", "surrogatepass")
        clean = self.scrub_bytes(raw)
        return self._unmask(text if clean is raw else clean.decode("utf-8", "surrogatepass"))

    def scrub_bytes(self, content: bytes) -> bytes:
        """Return `content` with every secret replaced; the very same object where there was none."""
        for _ in range(_MAX_ROUNDS):
            places = self.places(content)
            if not places:
                break
            parts: list[bytes] = []
            done = 0
            for place in places:
                parts += (content[done : place.start], _stand_in(content, place))
                done = place.end
            content = b"".join([*parts, content[done:]])
        return content

    def scrub_value(self, value: Any) -> Any:  # noqa: ANN401  # any JSON
        """Return a JSON value with every secret replaced in its strings and in its names."""
        if isinstance(value, str):
            return self.scrub(value)
        if isinstance(value, list | tuple):
            return [self.scrub_value(item) for item in value]
        if isinstance(value, dict):
            return {self.scrub_value(name): self.scrub_value(item) for name, item in value.items()}
        return value

    def find(self, text: str) -> str | None:
        """Return the name of a secret that `text` holds in some form."""
        return self.find_bytes(text.encode("utf-8", "surrogatepass"))

    def find_bytes(self, content: bytes) -> str | None:
        """Return the name of a secret that `content` holds in some form."""
        places = self.places(content)
        return places[0].name if places else None

    def _unmask(self, text: str) -> str:
        """Replace keys that are shown in part, as `sk-ab***yz`."""
        if not any(value[:_SHOWN] in text or value[-_SHOWN:] in text for value in self._values):
            return text
        parts, done = [], 0
        for mask in _MASK.finditer(text):
            head = _HEAD.search(text[max(done, mask.start() - _HEAD_CHARS) : mask.start()])
            tail = _TAIL.match(text, mask.end())
            if head and tail and self._is_part(head.group(), tail.group()):
                parts += [text[done : mask.start() - len(head.group())], SCRUBBED]
                done = tail.end()
        return "".join([*parts, text[done:]]) if parts else text

    def _is_part(self, head: str, tail: str) -> bool:
        shown = len(head) + len(tail)
        return shown > _SHOWN and any(
            shown < len(value) and value.startswith(head) and value.endswith(tail)
            for value in self._values
        )


def _is_apart(hit: re.Match[bytes]) -> bool:
    """Say whether a hit is no part of a longer word; only a long one need not be a word of its own."""
    before = hit.string[hit.start() - 1 : hit.start()] if hit.start() else b""
    return hit.end() - hit.start() >= _MIN_CHARS_ANYWHERE or not before.isalnum()


def _stand_in(content: bytes, place: Place) -> bytes:
    """Return what replaces a secret, in two-byte letters where the secret was."""
    if b"\0" not in content[place.start : place.end]:
        return SCRUBBED.encode("ascii")
    # both the first and the last byte are letters: what lies between two words stays as it is
    return b"\0".join(bytes((letter,)) for letter in SCRUBBED.encode("ascii"))


def _needles(value: str) -> set[bytes]:
    """Return what to search for in decoded bytes: the value, its lines, and codes that are no escapes."""
    lines = [line.strip() for line in value.splitlines()]
    parts = {value, *(line for line in lines if len(line) >= _MIN_CHARS_OF_LINE)}
    needles: set[bytes] = set()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        readings = {raw.replace(b" ", b"+"), *(view.data for view in readings_of(raw))}
        needles |= {reading for reading in readings if len(reading) >= _MIN_CHARS}
        needles |= {code for code in _codes(raw) if len(code) >= _MIN_CHARS_OF_CODE}
        if not part.isascii():
            needles |= {part.encode(code, "surrogatepass") for code in ("utf-16-le", "utf-16-be")}
    return {needle for needle in needles if needle not in SCRUBBED.encode()}


def _codes(raw: bytes) -> Iterator[bytes]:
    """Return `raw` in hexadecimal, and in base64 wherever in a longer text it stands."""
    yield raw.hex().encode()
    yield raw.hex().upper().encode()
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + raw)
        settled = encoded[(before * 8 + 5) // 6 : (before + len(raw)) * 8 // 6]
        yield settled
        yield settled.translate(bytes.maketrans(b"+/", b"-_"))


def _search_for(needles: Iterable[bytes]) -> re.Pattern[bytes]:
    """Return one expression for all needles, in which equal beginnings are compared once."""
    tree: dict[int, Any] = {}
    for needle in needles:
        node = tree
        for letter in needle:
            node = node.setdefault(letter, {})
        node[-1] = len(needle) < _MIN_CHARS_ANYWHERE
    return re.compile(_branches(tree))


def _branches(tree: dict[int, Any]) -> bytes:
    run = b""
    while len(tree) == 1 and -1 not in tree:
        letter, tree = next(iter(tree.items()))
        run += re.escape(bytes((letter,)))
    ways = [re.escape(bytes((letter,))) + _branches(tree[letter]) for letter in tree if letter >= 0]
    if -1 in tree:
        ways.append(rb"(?![A-Za-z0-9])" if tree[-1] else b"")
    return run + (ways[0] if len(ways) == 1 else b"(?:" + b"|".join(ways) + b")")
