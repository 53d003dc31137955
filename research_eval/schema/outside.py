"""Text and JSON that come from outside, made safe to read, to write and to send on."""

import json
from collections.abc import Iterable
from typing import Any, Never

__all__ = ["MAX_DEPTH", "read_json", "safe_text", "safe_value"]


def read_json(text: str | bytes) -> Any:  # noqa: ANN401  # JSON of a stranger
    """Return the value of a JSON text, which may hold anything a stranger can write.

    Raises:
        ValueError: If it is no JSON by RFC 8259 (`NaN` and `Infinity` are not), holds a number of
            more digits than Python reads, or is nested deeper than `MAX_DEPTH`.
    """
    try:
        value = json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if _openings(text) > MAX_DEPTH and not _is_flat(value):
        raise ValueError(_TOO_DEEP)
    return value


MAX_DEPTH = 200
"""Levels of lists and objects that are read; a fixed number, so that every machine reads the same."""

_TOO_DEEP = f"the JSON is nested more than {MAX_DEPTH} deep"


def _openings(text: str | bytes) -> int:
    if isinstance(text, bytes):
        return text.count(b"[") + text.count(b"{")
    return text.count("[") + text.count("{")


def _is_flat(value: object) -> bool:
    """Return whether no more than `MAX_DEPTH` levels are nested."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        held = [item for item in level if isinstance(item, list | dict)]
        if not held:
            return True
        level = [inner for item in held for inner in _inside(item)]
    return False


def _inside(value: list[Any] | dict[str, Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _refuse(constant: str) -> Never:
    raise ValueError(f"{constant} is no JSON number")


def safe_text(text: str) -> str:
    r"""Return `text` so that UTF-8 can hold it: each half of a surrogate pair alone becomes U+FFFD.

    Two halves that follow each other are joined to the character that they mean, as where a stream
    was cut between them. Text that UTF-8 can hold is returned as it is, the same object.

    >>> safe_text("nice \ud83d") == "nice \N{REPLACEMENT CHARACTER}"
    True
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def safe_value(value: Any) -> Any:  # noqa: ANN401  # JSON of a stranger
    """Return a JSON value with every string of it made safe, names of fields too.

    A value in which nothing changes is returned as it is. `read_json` bounds how deep it is nested.
    """
    match value:
        case str():
            return safe_text(value)
        case list() | tuple():
            items = [safe_value(item) for item in value]
            is_same = all(a is b for a, b in zip(items, value, strict=True))
            return value if is_same else type(value)(items)
        case dict():
            pairs = {safe_value(name): safe_value(item) for name, item in value.items()}
            return pairs if pairs != value or any(_is_changed(n) for n in value) else value
        case _:
            return value


def _is_changed(name: object) -> bool:
    return isinstance(name, str) and safe_text(name) is not name
