"""The text that Next.js sends for its scripts alone: a stream of React elements in, HTML out.

A page whose HTML holds no text may carry it in calls of `self.__next_f.push([1, "…"])`. Together
their strings are rows `ID:VALUE`; a value is JSON, or `T` with a length and a text. An element is
`["$", TAG, KEY, PROPS]`, and a string `"$ID"` or `"$LID"` stands for another row.
"""

import json
import re
from html import escape
from typing import Any

from selectolax.lexbor import LexborHTMLParser

__all__ = ["flight_html"]

_PUSH = re.compile(r"__next_f\.push\(\s*(\[.*\])\s*\)\s*;?\s*\Z", re.DOTALL)
_ROW = re.compile(rb"([0-9a-f]+):")
_TEXT_ROW = re.compile(rb"T([0-9a-f]+),")
_REFERENCE = re.compile(r"\$[L@]?([0-9a-f]+)\Z")
_TAG = re.compile(r"[a-z][a-z0-9-]*\Z")
_ATTRIBUTES = {
    "className": "class",
    "id": "id",
    "href": "href",
    "role": "role",
    "alt": "alt",
    "hidden": "hidden",
    "colSpan": "colspan",
}
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "wbr"})
_MAX_CHARS = 2_000_000
_MAX_DEPTH = 150
_ELEMENT_PARTS = 4


def flight_html(parser: LexborHTMLParser) -> str | None:
    """Return the document that the page's payload describes; `None` where there is none."""
    stream = "".join(_pushed(parser))
    if not stream:
        return None
    return _Writer(_rows(stream.encode("utf-8", "replace"))).write() or None


def _pushed(parser: LexborHTMLParser) -> list[str]:
    found: list[str] = []
    size = 0
    for node in parser.css("script"):
        call = _PUSH.search(node.text()) if "__next_f" in node.text() else None
        value = None if call is None else _json(call[1])
        if isinstance(value, list) and value[:1] == [1] and isinstance(value[-1], str):
            size += len(value[-1])
            if size > _MAX_CHARS:
                break
            found.append(value[-1])
    return found


def _json(text: str | bytes) -> Any:  # noqa: ANN401 - JSON of a stranger
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _rows(stream: bytes) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    place = 0
    while (head := _ROW.match(stream, place)) is not None:
        name = head[1].decode("ascii")
        text = _TEXT_ROW.match(stream, head.end())
        if text is not None and len(text[1]) < len("fffffff"):
            place = text.end() + int(text[1], 16)
            rows[name] = stream[text.end() : place].decode("utf-8", "replace")
        else:
            end = stream.find(b"\n", head.end())
            end = len(stream) if end < 0 else end
            rows[name] = _json(stream[head.end() : end])
            place = end
        while stream[place : place + 1] == b"\n":
            place += 1
    return rows


class _Writer:
    """Writes the elements of all rows, each row once, where it is first referred to."""

    def __init__(self, rows: dict[str, Any]) -> None:
        self._rows = rows
        self._parts: list[str] = []
        self._size = 0

    def write(self) -> str:
        while self._rows:
            name = "0" if "0" in self._rows else next(iter(self._rows))
            self._search(self._rows.pop(name), _MAX_DEPTH)
        return "".join(self._parts)

    def _put(self, text: str) -> None:
        self._size += len(text)
        if self._size <= _MAX_CHARS:
            self._parts.append(text)

    def _search(self, value: object, depth: int) -> None:
        """Write the elements in a structure that is none itself, for instance a table of routes."""
        if depth == 0:
            return
        if _is_element(value):
            self._node(value, depth)
        elif isinstance(value, list):
            for item in value:
                self._search(item, depth - 1)
        elif isinstance(value, dict):
            for item in value.values():
                self._search(item, depth - 1)
        elif isinstance(value, str) and (found := self._referred(value)) is not None:
            self._search(found, depth - 1)

    def _referred(self, text: str) -> object:
        found = _REFERENCE.match(text)
        return None if found is None else self._rows.pop(found[1], None)

    def _node(self, value: object, depth: int) -> None:
        """Write what stands where a page shows something."""
        if depth == 0:
            return
        if _is_element(value):
            self._element(value, depth)
        elif isinstance(value, list):
            for item in value:
                self._node(item, depth - 1)
        elif isinstance(value, str):
            self._text(value, depth)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self._put(str(value))

    def _text(self, text: str, depth: int) -> None:
        if _REFERENCE.match(text):
            self._node(self._referred(text), depth - 1)
        elif text.startswith("$$"):
            self._put(escape(text[1:]))
        elif not text.startswith("$") or text[1:2].isspace() or text[1:2].isdigit():
            self._put(escape(text))

    def _element(self, element: Any, depth: int) -> None:  # noqa: ANN401 - JSON of a stranger
        tag, props = element[1], element[3]
        if not isinstance(props, dict):
            return
        is_html = isinstance(tag, str) and _TAG.match(tag) is not None
        if is_html and tag in {"script", "style", "template"}:
            return
        if is_html:
            self._put(f"<{tag}{_attributes(props)}>")
        given = props.get("dangerouslySetInnerHTML")
        markup = given.get("__html") if isinstance(given, dict) else None
        if isinstance(markup, str):
            found = self._referred(markup)
            self._put(found if isinstance(found, str) else markup)
        self._node(props.get("children"), depth - 1)
        if is_html and tag not in _VOID:
            self._put(f"</{tag}>")


def _is_element(value: object) -> bool:
    return isinstance(value, list) and len(value) >= _ELEMENT_PARTS and value[0] == "$"


def _attributes(props: dict[str, Any]) -> str:
    told = ((html, props.get(name)) for name, html in _ATTRIBUTES.items())
    return "".join(
        f' {name}="{escape(value if isinstance(value, str) else "")}"'
        for name, value in told
        if isinstance(value, str) or value is True
    )
