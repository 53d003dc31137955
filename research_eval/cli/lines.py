"""Files that `gate` commands read, line by line with their places, and the lines that they write."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

import click

from research_eval.errors import UsageError

__all__ = ["json_lines", "json_text", "opened", "print_text", "read_text"]

json_text = json.JSONEncoder(ensure_ascii=False).encode
"""A value as one line of JSON."""


def read_text(name: str) -> str:
    """Return the text of a file, or of standard input for `-`.

    Raises:
        UsageError: If it cannot be read, or is not UTF-8.
    """
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as exc:
        raise UsageError(f"{name}: {exc.strerror}") from exc
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise UsageError(f"{name}: not UTF-8 at byte {exc.start}") from exc


def json_lines(
    name: str, fields: dict[str, type], quick: Callable[[bytes], Any] = lambda _: None
) -> Iterator[tuple[str, Any]]:
    """Yield the objects of a JSON Lines file with their place; each has an id and `fields`.

    Args:
        name: The file.
        fields: What each object has, and of which type.
        quick: Reads a line that is as it should be, and returns `None` for every other.

    Raises:
        UsageError: If a line is not such an object.
    """
    with opened(name) as lines:
        for number, content in enumerate(lines, start=1):
            place = f"{name}:{number}"
            if (entry := quick(content)) is not None:
                yield place, entry
                continue
            line = _decoded(content, place, is_first=number == 1)
            if line.strip():
                yield place, _entry(line, place, fields)


def opened(name: str) -> AbstractContextManager[BinaryIO]:
    """Return a file, or standard input for `-`, open for reading bytes.

    Raises:
        UsageError: If there is none.
    """
    if name == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(name).open("rb")
    except OSError as exc:
        raise UsageError(f"{name}: {exc.strerror}") from exc


def _decoded(content: bytes, place: str, *, is_first: bool) -> str:
    try:
        return content.decode("utf-8-sig" if is_first else "utf-8")
    except UnicodeDecodeError as exc:
        raise UsageError(f"{place}: not UTF-8 at byte {exc.start} of the line") from exc


def _entry(line: str, place: str, fields: dict[str, type]) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError as exc:
        raise UsageError(f"{place}: not JSON: {exc}") from exc
    except RecursionError as exc:
        raise UsageError(f"{place}: not JSON: nested too deeply") from exc
    if not isinstance(entry, dict) or "id" not in entry:
        raise UsageError(f"{place}: expected an object with an id")
    for field, kind in fields.items():
        if not isinstance(entry.get(field), kind):
            raise UsageError(f"{place}: {field}: expected text")
    return entry


def print_text(text: str) -> None:
    """Print a text that may hold what UTF-8 cannot."""
    click.echo(text.encode("utf-8", "replace"))
