"""Pack records for a page: equal parts are kept once, and the whole is deflated and in base64."""

import base64
import functools
import json
import zlib
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import TypeAlias

__all__ = ["JSON", "Table", "pack", "pack_value", "unpack"]

JSON: TypeAlias = "str | int | float | bool | Sequence[JSON] | Mapping[str, JSON] | None"
"""What JSON can say."""

_REFERENCE = "~"
_WORTH = 20
"""Length of JSON text from which on a part is kept in the table."""


class Table:
    """Keeps each distinct part once and gives a short reference for it.

    A reference is a string `~7`, the index in the table; a string that begins with `~` itself is
    written with one more.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._index: dict[str, int] = {}

    def add(self, value: JSON) -> str:
        """Return the JSON text that stands for `value`: itself if short, else a reference."""
        if isinstance(value, str):
            text = _string(_REFERENCE + value if value.startswith(_REFERENCE) else value)
        elif isinstance(value, dict):
            inner = [f"{_string(key)}:{self.add(one)}" for key, one in value.items()]
            text = f"{{{','.join(inner)}}}"
        elif isinstance(value, list | tuple):
            text = f"[{','.join([self.add(one) for one in value])}]"
        elif type(value) is int:
            return str(value)
        else:
            text = json.dumps(value)
        return text if len(text) < _WORTH else f'"{_REFERENCE}{self._keep(text)}"'

    def _keep(self, text: str) -> int:
        index = self._index.setdefault(text, len(self._parts))
        if index == len(self._parts):
            self._parts.append(text)
        return index

    def text(self, root: str) -> str:
        """Return the JSON text of the table and of what refers to it."""
        return f'{{"parts":[{",".join(self._parts)}],"root":{root}}}'


def pack(text: str) -> str:
    """Return `text` deflated, in base64."""
    return base64.b64encode(zlib.compress(text.encode(errors="replace"), 9)).decode("ascii")


def pack_value(value: JSON) -> str:
    """Return `value` packed, without the search for equal parts: quicker, and larger."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if f'"{_REFERENCE}' not in text:
        return pack(f'{{"parts":[],"root":{text}}}')
    table = Table()
    return pack(table.text(table.add(value)))


def unpack(packed: str) -> JSON:
    """Return what `pack` was given as JSON of a table, with every reference resolved.

    Raises:
        ValueError: If it was not made by `pack`.
    """
    held = json.loads(zlib.decompress(base64.b64decode(packed)))
    return _resolve(held["root"], held["parts"])


_string = functools.lru_cache(maxsize=4096)(encode_basestring)


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
