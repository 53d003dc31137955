"""Bodies of answers made wrong: the right bytes in, bytes that a client must cope with out."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

__all__ = ["HUGE_BYTES", "MUTATIONS"]

HUGE_BYTES = 10 * 1024 * 1024
"""How much `huge` sends at least."""

_LISTS = ("organic", "results", "items", "value", "choices", "candidates", "content", "output")
"""Where search and model APIs put what they found or said."""

_ADDRESSES = frozenset({"url", "link", "id", "FirstURL", "uri", "displayUrl", "formattedUrl"})
_URL = re.compile(rb"https?:(?:\\?/){2}[^\s\"'<>\\)\]]*")


def _malformed(body: bytes) -> bytes:
    return body[: len(body) // 2] or b"{"


def _wrong_json(body: bytes) -> bytes:
    del body
    return b'{"unexpected":["shape",null,{"deep":1}]}'


def _empty(body: bytes) -> bytes:
    return _on_lists(body, lambda _: [], lambda _: b"")


def _duplicates(body: bytes) -> bytes:
    return _on_lists(body, lambda rows: [row for row in rows for _ in (1, 2)], lambda raw: raw * 2)


def _huge(body: bytes) -> bytes:
    def repeated(rows: list[Any]) -> list[Any]:
        size = max(1, len(_dump(rows)) - 1)
        return rows * (HUGE_BYTES // size + 1) if rows else [" " * HUGE_BYTES]

    return _on_lists(
        body, repeated, lambda raw: (raw or b" ") * (HUGE_BYTES // (len(raw) or 1) + 1)
    )


def _no_urls(body: bytes) -> bytes:
    def without(rows: list[Any]) -> list[Any]:
        return [
            {k: v for k, v in row.items() if k not in _ADDRESSES} if isinstance(row, dict) else row
            for row in rows
        ]

    return _URL.sub(b"", _on_lists(body, without, lambda raw: raw))


MUTATIONS: Mapping[str, Callable[[bytes], bytes]] = {
    "malformed": _malformed,
    "wrong_json": _wrong_json,
    "empty": _empty,
    "duplicates": _duplicates,
    "huge": _huge,
    "no_urls": _no_urls,
}
"""By kind of fault: from the right body to the wrong one."""


def _on_lists(
    body: bytes,
    change: Callable[[list[Any]], list[Any]],
    otherwise: Callable[[bytes], bytes],
) -> bytes:
    """Apply `change` to the first list of results in a JSON body, `otherwise` to any other body."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return otherwise(body)
    found = next(_lists(data, depth=4), None)
    if found is None:
        return otherwise(body)
    owner, key = found
    owner[key] = change(owner[key])
    return _dump(data)


def _dump(data: object) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _lists(data: object, depth: int) -> Iterator[tuple[dict[str, Any], str]]:
    if not isinstance(data, dict) or not depth:
        return
    for key in _LISTS:
        if isinstance(data.get(key), list):
            yield data, key
    for value in data.values():
        yield from _lists(value, depth - 1)
