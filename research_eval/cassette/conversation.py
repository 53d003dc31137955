"""Conversations that are sent again whole with every turn: a request in, the same canonical out.

Only what a request adds to the one before it is read and scrubbed, so that a turn costs no more at
the end of a long conversation than at its beginning. What comes out is what `canonical_request` makes
of the whole; where that cannot be promised, nothing does.
"""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from research_eval.cassette.body import MAX_DEPTH, depth_of, read_json, spell_json
from research_eval.cassette.key import CanonicalRequest, begun_key, canonical_json, key_of, spell
from research_eval.cassette.redact import Channel, Redactor

if TYPE_CHECKING:
    from hashlib import _Hash as Digest

__all__ = ["Conversation"]

_SPACE = re.compile(rb"[ \t\r\n]*")
_NAME = re.compile(rb'"(?:[^"\\]|\\.)*"')
_GENERATED = b"pyd_ai_"
"""Begins ids that are numbered over the whole of a request."""
_ROOM = 2
"""Levels of nesting that the whole has more than an item of its list."""

_raw_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_raw_list = msgspec.json.Decoder(list[msgspec.Raw]).decode


_UNREAD = object()
_NO_VALUE = object()


class _WholeError(Exception):
    """This request has to be read whole."""


class _Item:
    """A part of a request: its canonical text without secrets, and on demand the JSON value of that."""

    __slots__ = ("_value", "is_in_list", "text")

    def __init__(self, text: bytes, *, is_in_list: bool) -> None:
        self.text = text
        self.is_in_list = is_in_list
        """Or a field of the request, with its name."""
        self._value: Any = _UNREAD

    def value(self) -> Any:  # noqa: ANN401  # any JSON value
        """Return its value, the same object each time; `_NO_VALUE` where a cassette cannot hold it."""
        if self._value is _UNREAD:
            self._value = self._read()
        return self._value

    def _read(self) -> Any:  # noqa: ANN401  # any JSON value
        text = self.text.decode("utf-8", "surrogatepass")
        whole = text if self.is_in_list else f"{{{text}}}"
        try:
            value = read_json(whole)
        except (ValueError, RecursionError):
            return _NO_VALUE
        room = _ROOM if self.is_in_list else 0
        is_plain = depth_of(value) <= MAX_DEPTH - room and spell_json(value) == whole
        return value if is_plain else _NO_VALUE


class _Body(NamedTuple):
    """A canonical body in parts."""

    before: bytes
    """Up to the list."""
    name: str
    items: list[_Item]
    after: bytes
    """From the end of the list on."""
    members: list[_Item]

    def text(self) -> str:
        """Return the canonical body."""
        texts = b",".join(item.text for item in self.items)
        return (self.before + texts + self.after).decode("utf-8", "surrogatepass")

    def value(self) -> dict[str, Any] | None:
        """Return its JSON value, if a cassette can hold it written out."""
        values = [item.value() for item in self.items]
        fields = [item.value() for item in self.members]
        if any(value is _NO_VALUE for value in (*values, *fields)):
            return None
        whole: dict[str, Any] = {self.name: values}
        for field in fields:
            whole |= field
        return dict(sorted(whole.items()))


class _Turn(NamedTuple):
    """What is kept of a request for the next one."""

    raw: bytes
    members: dict[str, tuple[bytes, _Item]]
    """By name, as it was sent, and canonical; but for the list."""
    name: str
    """Of the field with the longest list."""
    begin: int
    """Where its first item may begin in `raw`."""
    ends: list[int]
    """Where each item of it ends in `raw`."""
    items: list[_Item]
    before: bytes
    """The canonical body up to the list."""
    digests: list["Digest"]
    """Over the canonical body up to the list, and after each item of it."""


class Conversation:
    """Reads the requests of one trial to one address."""

    def __init__(self, redactor: Redactor, channel: Channel) -> None:
        """Begin with nothing read.

        Args:
            redactor: Takes secrets out.
            channel: Whose traffic it is.
        """
        self._redactor = redactor
        self._channel: Channel = channel
        self._last: _Turn | None = None

    def canonical(
        self, method: str, uri: str, host: str, content: bytes
    ) -> CanonicalRequest | None:
        """Return a request whose body is JSON; `None` if it must be read whole.

        Args:
            method: The HTTP method.
            uri: Where it is sent, canonical and without secrets.
            host: The host in it.
            content: The body as it is sent.
        """
        if self._redactor.has_patterns:
            return None  # which may reach over several parts
        try:
            return self._canonical(method, uri, host, content)
        except (_WholeError, msgspec.MsgspecError, UnicodeError, RecursionError):
            return None

    def _canonical(self, method: str, uri: str, host: str, content: bytes) -> CanonicalRequest:
        last = self._last
        kept = _kept(last, content) if last else 0
        short = content
        if last is not None and kept:
            short = content[: last.begin] + _after_comma(content, last.ends[kept - 1])
        found = dict(_members(short))
        name = last.name if last and kept else self._list_in(short, found)
        start, end = found.pop(name)
        places = list(_places(short, start, end))
        new = [self._item(name, short[first:stop], is_in_list=True) for first, stop in places]
        members = {
            other: self._member(other, short[first:stop], last)
            for other, (first, stop) in found.items()
        }
        before, after = _around(name, members)
        items = [*(last.items[:kept] if last else ()), *new]
        if last is not None and last.before == before:
            digests = _continued(last.digests[: kept + 1], new)
        else:
            begun = begun_key(method, uri, "text")
            begun.update(before)
            digests = _continued([begun], items)
        shift = len(content) - len(short)
        ends = [*(last.ends[:kept] if last else ()), *(stop + shift for _, stop in places)]
        self._last = _Turn(content, members, name, start + 1, ends, items, before, digests)
        whole = digests[-1].copy()
        whole.update(after)
        body = _Body(before, name, items, after, [item for _, item in members.values()])
        return CanonicalRequest(method, uri, host, body, key_of(whole))

    def _list_in(self, text: bytes, members: dict[str, tuple[int, int]]) -> str:
        """Return the name of the longest list among the fields."""
        sizes = {
            name: end - start
            for name, (start, end) in members.items()
            if text[start : start + 1] == b"["
        }
        name = max(sizes, key=lambda name: sizes[name], default="")
        if not sizes or self._redactor.text(spell(name)) != spell(name):
            raise _WholeError
        return name

    def _member(self, name: str, raw: bytes, last: _Turn | None) -> tuple[bytes, _Item]:
        known = last.members.get(name) if last else None
        if known is not None and known[0] == raw:
            return known
        return raw, self._item(name, raw, is_in_list=False)

    def _item(self, name: str, raw: bytes, *, is_in_list: bool) -> _Item:
        """Return a part of a request as it stands in the canonical whole."""
        if _GENERATED in raw:
            raise _WholeError

        def clean(value: object) -> object:
            given: object = [value] if is_in_list else value
            member = {name: given}
            cleaned = self._redactor.value(member, self._channel)
            if cleaned is member or not isinstance(cleaned, dict):
                return value
            return cleaned[name][0] if is_in_list else cleaned[name]

        spelled = canonical_json(raw.decode("utf-8"), clean)
        if spelled is None:
            raise _WholeError
        start = "" if is_in_list else f"{spell(name)}:"
        text = self._redactor.text(start + spelled)
        if not text.startswith(start):
            raise _WholeError  # the name itself is a secret
        return _Item(text.encode("utf-8", "surrogatepass"), is_in_list=is_in_list)


def _kept(last: _Turn, content: bytes) -> int:
    """Return how many first items of the list are sent again, at the same place, byte by byte."""
    low, high = 0, len(last.ends)
    while low < high:
        middle = (low + high + 1) // 2 if low else high
        if content.startswith(last.raw[: last.ends[middle - 1]]):
            low = middle
        else:
            high = middle - 1
    while low and _sign(content, last.ends[low - 1]) not in {b",", b"]"}:
        low -= 1  # a number goes on
    return low


def _after_comma(content: bytes, place: int) -> bytes:
    """Return what follows an item of a list, as the rest of a list."""
    place = _skip(content, place)
    if content[place : place + 1] == b"]":
        return content[place:]
    if _sign(content, place + 1) == b"]":
        raise _WholeError
    return content[place + 1 :]


def _members(text: bytes) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the fields of an object and where their values stand; a name that comes twice is refused."""
    place = _skip(text, _skip(text, 0) + 1)
    for number, (name, raw) in enumerate(_raw_object(text).items()):
        if number:
            place = _skip(text, place + 1)
        found = _NAME.match(text, place)
        if found is None or read_json(found.group().decode()) != name:
            raise _WholeError
        place = _skip(text, _skip(text, found.end()) + 1)
        end = place + _size(raw)
        if text[place:end] != bytes(raw):
            raise _WholeError
        yield name, (place, end)
        place = _skip(text, end)
    if text[place : place + 1] != b"}" or _skip(text, place + 1) != len(text):
        raise _WholeError


def _places(text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where each item of the list in `text[start:end]` stands."""
    place = _skip(text, start + 1)
    for number, raw in enumerate(_raw_list(text[start:end])):
        if number:
            place = _skip(text, place + 1)
        stop = place + _size(raw)
        if text[place:stop] != bytes(raw):
            raise _WholeError
        yield place, stop
        place = _skip(text, stop)
    if place != end - 1:
        raise _WholeError


def _size(raw: msgspec.Raw) -> int:
    return memoryview(raw).nbytes


def _skip(text: bytes, place: int) -> int:
    """Return where the next sign stands that is no white space."""
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _sign(text: bytes, place: int) -> bytes:
    place = _skip(text, place)
    return text[place : place + 1]


def _around(name: str, members: dict[str, tuple[bytes, _Item]]) -> tuple[bytes, bytes]:
    """Return the canonical body up to the list, and from its end on."""
    texts = {other: item.text for other, (_, item) in members.items()}
    before = [texts[other] for other in sorted(texts) if other < name]
    after = [texts[other] for other in sorted(texts) if other > name]
    opened = f"{spell(name)}:[".encode("utf-8", "surrogatepass")
    return b"{" + b",".join([*before, opened]), b",".join([b"]", *after]) + b"}"


def _continued(digests: list["Digest"], items: Iterable[_Item]) -> list["Digest"]:
    """Return the digests up to the list and after each of its items; those of `items` are added."""
    for item in items:
        digest = digests[-1].copy()
        digest.update(b"," + item.text if len(digests) > 1 else item.text)
        digests.append(digest)
    return digests
