"""Bodies: bytes in, their most readable lossless form out, and back."""

import base64
import binascii
import json
from collections.abc import Callable
from typing import Literal, TypeAlias

from research_eval.cassette.interaction import Body
from research_eval.errors import CassetteCorruptError

__all__ = ["MAX_DEPTH", "STYLES", "Style", "body_bytes", "depth_of", "readable_body", "spell_json"]

MAX_DEPTH = 64
"""Deepest JSON that is written out as a value; deeper text stays text."""

Style: TypeAlias = Literal["compact", "spaced", "ascii", "ascii_spaced"]

STYLES: tuple[Style, ...] = ("compact", "spaced", "ascii", "ascii_spaced")


def readable_body(content: bytes) -> Body:
    """Return the most readable form of `content` that gives exactly these bytes back."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return Body(base64=base64.b64encode(content).decode("ascii"))
    if text[:1] in {"{", "["}:
        as_json = _json_body(text)
        if as_json is not None:
            return as_json
    if "\n" in text[:-1]:
        return Body(lines=tuple(text.split("\n")))
    return Body(string=text)


def body_bytes(body: Body | None, read_file: Callable[[str], bytes]) -> bytes:
    """Return the bytes that `body` stands for.

    Args:
        body: What the file holds; `None` is no body.
        read_file: Gives the content of a body that has a file of its own.

    Raises:
        CassetteCorruptError: If it holds nothing that can be read back.
    """
    if body is None:
        return b""
    if body.string is not None:
        return body.string.encode("utf-8", "surrogatepass")
    if body.lines is not None:
        return "\n".join(body.lines).encode("utf-8", "surrogatepass")
    if body.file is not None:
        return read_file(body.file)
    if body.base64 is not None:
        try:
            return base64.b64decode(body.base64, validate=True)
        except (binascii.Error, ValueError) as exc:
            raise CassetteCorruptError(f"a body is not base64: {exc}") from exc
    return spell_json(body.data, body.style or "compact").encode("utf-8", "surrogatepass")


def spell_json(value: object, style: Style = "compact") -> str:
    """Return `value` as JSON text, spelled in one of the styles that clients and servers use."""
    separators = (", ", ": ") if style in {"spaced", "ascii_spaced"} else (",", ":")
    return json.dumps(value, ensure_ascii=style.startswith("ascii"), separators=separators)


def depth_of(value: object, limit: int = MAX_DEPTH) -> int:
    """Return how deep `value` is nested, counting no further than one past `limit`."""
    depth = 0
    layer: list[object] = [value]
    while depth <= limit:
        layer = [
            child
            for item in layer
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        if not layer:
            return depth
        depth += 1
    return depth


def _json_body(text: str) -> Body | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if depth_of(value) > MAX_DEPTH:
        return None
    for style in STYLES:
        if spell_json(value, style) == text:
            return Body(data=value, style=None if style == "compact" else style)
    return None
