"""Pieces: a stream of events in, the same without secrets that its events hold piece by piece out.

A model's answer comes in deltas, a key in it in as many pieces. Strings at the same place of their
events are read as one text.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from research_eval.cassette.body import STYLES, Style, depth_of, spell_json
from research_eval.secret import SCRUBBED, KnownSecrets

__all__ = ["without_pieces"]

_TELLS_APART = (
    "index", "output_index", "content_index", "summary_index", "item_id", "type", "thought",
)  # fmt: skip

Channel = tuple[object, ...]


class _Line(NamedTuple):
    """A line that carries data: what stands before it, its payload, and the payload as JSON."""

    number: int
    before: str
    payload: str
    value: Any


class _Piece(NamedTuple):
    """A string of an event, and where it stands there."""

    line: int
    path: tuple[str | int, ...]
    text: str


def without_pieces(text: str, known: KnownSecrets) -> str:
    """Return a stream of events without secrets that lie over several of them."""
    lines = text.split("\n")
    data = {line.number: line for line in _data_lines(lines)}
    edits: dict[int, dict[tuple[str | int, ...], str]] = {}
    for pieces in _channels(data.values()).values():
        for piece, new in _edited(pieces, known):
            edits.setdefault(piece.line, {})[piece.path] = new
    for number, changes in edits.items():
        line = data[number]
        lines[number] = line.before + _spelled(line, changes)
    return "\n".join(lines) if edits else text


def _data_lines(lines: list[str]) -> Iterator[_Line]:
    for number, line in enumerate(lines):
        if line.startswith("data:"):
            start = 6 if line.startswith("data: ") else 5
        elif line.startswith("{"):
            start = 0
        else:
            continue
        payload = line[start:]
        try:
            value = json.loads(payload)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict | list) or depth_of(value) > 64:
            value = payload.rstrip("\r")
        yield _Line(number, line[:start], payload, value)


def _channels(lines: Iterable[_Line]) -> dict[Channel, list[_Piece]]:
    channels: dict[Channel, list[_Piece]] = {}
    for line in lines:
        for channel, path, text in _strings(line.value, (), ()):
            channels.setdefault(channel, []).append(_Piece(line.number, path, text))
    return channels


def _strings(
    value: object, channel: Channel, path: tuple[str | int, ...]
) -> Iterator[tuple[Channel, tuple[str | int, ...], str]]:
    if isinstance(value, str):
        if value:
            yield channel, path, value
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _strings(item, (*channel, number), (*path, number))
    elif isinstance(value, dict):
        apart = tuple(
            (name, value[name]) for name in _TELLS_APART if isinstance(value.get(name), str | int)
        )
        for name, item in value.items():
            yield from _strings(item, (*channel, *apart, name), (*path, name))


def _edited(pieces: list[_Piece], known: KnownSecrets) -> Iterator[tuple[_Piece, str]]:
    """Return the pieces that change: the first of a secret holds its stand-in, the others the rest."""
    if len(pieces) == 1:
        return
    contents = [piece.text.encode("utf-8", "surrogatepass") for piece in pieces]
    places = known.places(b"".join(contents))
    start, first = 0, 0
    for piece, content in zip(pieces, contents, strict=True):
        end = start + len(content)
        while first < len(places) and places[first].end <= start:
            first += 1
        parts, done = [], start
        for place in places[first:]:
            if place.start >= end:
                break
            parts.append(content[done - start : max(place.start, start) - start])
            parts.append(SCRUBBED.encode() if place.start >= start else b"")
            done = min(place.end, end)
        if parts:
            parts.append(content[done - start :])
            yield piece, b"".join(parts).decode("utf-8", "replace")
        start = end


def _spelled(line: _Line, changes: dict[tuple[str | int, ...], str]) -> str:
    if isinstance(line.value, str):
        return changes[()] + line.payload[len(line.value) :]
    bare = line.payload.strip()
    styles = (style for style in STYLES if spell_json(line.value, style) == bare)
    style: Style = next(styles, "compact")
    value = _changed(line.value, changes, ())
    return line.payload.replace(bare, spell_json(value, style))


def _changed(
    value: object,
    changes: dict[tuple[str | int, ...], str],
    path: tuple[str | int, ...],
) -> object:
    if isinstance(value, list):
        return [_changed(item, changes, (*path, number)) for number, item in enumerate(value)]
    if isinstance(value, dict):
        return {name: _changed(item, changes, (*path, name)) for name, item in value.items()}
    return changes.get(path, value)
