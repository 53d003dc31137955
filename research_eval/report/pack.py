"""Pack records for a page: equal parts are kept once, and the whole is deflated and in base64."""

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

__all__ = ["JSON", "Table", "deflate", "json_text", "pack", "pack_value", "unpack"]

JSON: TypeAlias = "str | int | float | bool | Sequence[JSON] | Mapping[str, JSON] | None"
"""What JSON can say."""

_REFERENCE = "~"
_MARK = b'"~'
"""How a string begins in JSON that is a reference, or looks like one."""
_WORTH = 20
"""Length of JSON text from which on a part is kept in the table."""
_LONG = 100
"""Length of a string from which on it is a part of its own, wherever it stands."""


class Table:
    """Keeps each distinct part once and gives a short reference for it.

    A reference is a string `~7`, the index in the table; a string that begins with `~` itself is
    written with one more.
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._index: dict[bytes, int] = {}

    def add(self, value: JSON) -> bytes:
        """Return the JSON text that stands for `value`: itself if short, else a reference.

        It is one part, but for long strings of an object, which are parts of their own.
        """
        text = _text(value)
        if _MARK in text:
            value = _escaped(value)
            text = _text(value)
        if len(text) < _WORTH:
            return text
        if len(text) > _LONG and isinstance(value, dict):
            text = self._without_long(value) or text
        return b'"~%d"' % self._keep(text)

    def _without_long(self, value: Mapping[str, JSON]) -> bytes | None:
        """Return the JSON text of an object with references for its long strings, if it has any."""
        kept: dict[str, JSON] = {}
        for key, one in value.items():
            if type(one) is str and len(one) >= _LONG:
                kept[key] = f"{_REFERENCE}{self._keep(_text(one))}"
        return _text({**value, **kept}) if kept else None

    def add_each(self, values: Sequence[JSON]) -> bytes:
        """Return the JSON text of a list of parts."""
        return b"[%b]" % b",".join(map(self.add, values))

    def _keep(self, text: bytes) -> int:
        index = self._index.setdefault(text, len(self._parts))
        if index == len(self._parts):
            self._parts.append(text)
        return index

    def blocks(self, root: bytes) -> Iterator[bytes]:
        """Yield the JSON text of the table and of what refers to it."""
        yield b'{"parts":['
        yield b",".join(self._parts)
        yield b'],"root":%b}' % root


def deflate(blocks: Iterable[bytes]) -> bytes:
    """Return some bytes deflated."""
    packer = zlib.compressobj(9)
    return b"".join([*map(packer.compress, blocks), packer.flush()])


def pack(blocks: Iterable[bytes]) -> str:
    """Return the JSON text of a table, in blocks, deflated and in base64."""
    return base64.b64encode(deflate(blocks)).decode("ascii")


def pack_value(value: JSON) -> str:
    """Return `value` packed, without the search for equal parts: quicker, and larger."""
    return pack([b'{"parts":[],"root":', json_text(value), b"}"])


def json_text(value: JSON) -> bytes:
    """Return the JSON text of a value in which no string looks like a reference."""
    text = _text(value)
    return _text(_escaped(value)) if _MARK in text else text


def unpack(packed: str) -> JSON:
    """Return what `pack` was given as JSON of a table, with every reference resolved.

    Raises:
        ValueError: If it was not made by `pack`.
    """
    held = json.loads(zlib.decompress(base64.b64decode(packed)))
    return _resolve(held["root"], held["parts"])


_encode = msgspec.json.Encoder().encode


def _text(value: JSON) -> bytes:
    try:
        return _encode(value)
    except (UnicodeEncodeError, OverflowError):  # half of a surrogate pair, a very large number
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text.encode(errors="replace")


def _escaped(value: JSON) -> JSON:
    """Return `value` with one more `~` before each string that begins with one."""
    if isinstance(value, str):
        return _REFERENCE + value if value.startswith(_REFERENCE) else value
    if isinstance(value, Mapping):
        return {key: _escaped(one) for key, one in value.items()}
    if isinstance(value, Sequence):
        return [_escaped(one) for one in value]
    return value


def _resolve(value: JSON, parts: Sequence[JSON]) -> JSON:
    if isinstance(value, str):
        if not value.startswith(_REFERENCE) or value.startswith(_REFERENCE * 2):
            return _literal(value)
        part = parts[int(value[1:])]
        return _literal(part) if isinstance(part, str) else _resolve(part, parts)
    if isinstance(value, Mapping):
        return {key: _resolve(one, parts) for key, one in value.items()}
    if isinstance(value, Sequence):
        return [_resolve(one, parts) for one in value]
    return value


def _literal(text: str) -> str:
    return text[1:] if text.startswith(_REFERENCE) else text
