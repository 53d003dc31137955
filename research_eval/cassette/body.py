"""Bodies: bytes in, their most readable lossless form out, and back."""

import base64
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from research_eval.cassette.interaction import Body
from research_eval.errors import CassetteCorruptError

__all__ = [
    "MAX_DEPTH",
    "STYLES",
    "Style",
    "body_bytes",
    "body_bytes_of",
    "depth_of",
    "read_json",
    "readable_body",
    "spell_json",
]

_FILE_NAME = re.compile(r"[0-9a-f]{64}\.[a-z]{2,5}\Z")

MAX_DEPTH = 64
"""Deepest JSON that is written out as a value; deeper text stays text."""

Style: TypeAlias = Literal["compact", "spaced", "ascii", "ascii_spaced"]

STYLES: tuple[Style, ...] = ("compact", "spaced", "ascii", "ascii_spaced")

_ENCODERS = {
    style: json.JSONEncoder(
        ensure_ascii=style.startswith("ascii"),
        separators=(", ", ": ") if style.endswith("spaced") else (",", ":"),
    ).encode
    for style in STYLES
}


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


_decode: Callable[[str], Any] = json.JSONDecoder(parse_constant=_no_constant).decode


def read_json(text: str) -> Any:  # noqa: ANN401  # any JSON value
    """Return the value of JSON text.

    Raises:
        ValueError: If it is none.
    """
    return _decode(text)


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
    values = body.model_dump(by_alias=True, exclude_none=True)
    return body_bytes_of(values, read_file)


def body_bytes_of(
    values: Mapping[str, Any], read_file: Callable[[str], bytes], where: str = ""
) -> bytes:
    """Return the bytes that the values of a body stand for.

    Args:
        values: As they stand in a file.
        read_file: Gives the content of a body that has a file of its own.
        where: The file that they stand in, for messages.

    Raises:
        CassetteCorruptError: If they hold nothing that can be read back.
    """
    try:
        if "string" in values:
            return str(values["string"]).encode("utf-8", "surrogatepass")
        if "lines" in values:
            return "\n".join(values["lines"]).encode("utf-8", "surrogatepass")
        if "file" in values:
            return read_file(_file_name(values["file"]))
        if "base64" in values:
            return base64.b64decode(values["base64"], validate=True)
        text = spell_json(values["json"], values.get("style", "compact"))
        return text.encode("utf-8", "surrogatepass")
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as exc:
        raise CassetteCorruptError(
            f"{where}{': ' if where else ''}a body cannot be read back: {exc!r}"
        ) from exc


def _file_name(name: str) -> str:
    """Return the name of a body's file, which can lead nowhere else."""
    if not _FILE_NAME.match(name):
        raise ValueError(f"{name[:80]!r} is no name of a body")
    return name


def spell_json(value: object, style: Style = "compact") -> str:
    """Return `value` as JSON text, spelled in one of the styles that clients and servers use."""
    return _ENCODERS[style](value)


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
        value = read_json(text)
    except (ValueError, RecursionError):
        return None
    if depth_of(value) > MAX_DEPTH:
        return None
    for style in STYLES:
        if spell_json(value, style) == text:
            return Body(data=value, style=None if style == "compact" else style)
    return None
