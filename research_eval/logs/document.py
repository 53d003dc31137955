"""Read files of logs piece by piece: lines of JSON, or the items of one large JSON document."""

import itertools
import zipfile
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

from research_eval.errors import UsageError
from research_eval.logs.step import Tally
from research_eval.schema.outside import read_json

__all__ = ["MAX_LINE", "Piece", "pieces", "zip_members"]

MAX_LINE = 32 * 2**20
"""Bytes of a line that are read; a longer one is refused, and the next one is read."""
MAX_MEMBER = 512 * 2**20
"""Bytes of one file of a ZIP archive, unpacked."""
_BOM = b"\xef\xbb\xbf"


class Piece(NamedTuple):
    """A value of a file: a line, an item of a wanted list, or a single value that stands beside."""

    path: str
    """Where it stands in the document, for instance `values.messages.item`; `` for a line."""
    value: Any
    place: str
    """File and line, or file and item, for people."""


def pieces(path: Path, wanted: Sequence[str], tally: Tally) -> Iterator[Piece]:
    """Yield what a file of JSON Lines, or one JSON document, holds.

    Of a document the items of the `wanted` lists come one by one, and single values as they stand
    between them; of JSON Lines each line is one value. What cannot be read is counted in `tally`.

    Raises:
        UsageError: If the file cannot be opened.
    """
    try:
        file = path.open("rb")
    except OSError as exc:
        raise UsageError(f"{path}: {exc.strerror}") from exc
    with file:
        if _is_lines(file, path):
            yield from _lines(file, path, tally)
        else:
            yield from _document(file, path, wanted, tally)


def _is_lines(file: BinaryIO, path: Path) -> bool:
    """Return whether each line is a value of its own, and leave the file at its begin."""
    if path.suffix in {".jsonl", ".ndjson"}:
        return True
    first = b""
    while not first.strip() and (line := file.readline(MAX_LINE + 1)):
        first = line.removeprefix(_BOM)
    is_more = bool(file.read(4096).strip())
    file.seek(0)
    try:
        return is_more and len(first) <= MAX_LINE and isinstance(read_json(first), dict)
    except ValueError:
        return False


def _lines(file: BinaryIO, path: Path, tally: Tally) -> Iterator[Piece]:
    for number in itertools.count(1):
        line = file.readline(MAX_LINE + 1)
        if not line:
            return
        place = f"{path}:{number}"
        if len(line) > MAX_LINE:
            tally.refuse(f"a line of more than {MAX_LINE // 2**20} MiB", place)
            while line and not line.endswith(b"\n"):
                line = file.readline(2**20)
            continue
        if number == 1:
            line = line.removeprefix(_BOM)
        if not line.strip():
            continue
        try:
            yield Piece("", read_json(line), place)
        except ValueError as exc:
            tally.refuse(_reason(exc), place)


def _reason(exc: ValueError) -> str:
    text = str(exc)
    if "nested" in text or "digits" in text:
        return "JSON that is nested too deeply, or has a number of too many digits"
    if isinstance(exc, UnicodeDecodeError):
        return "not UTF-8"
    return "not JSON, or cut"


def _document(file: IO[bytes], path: Path, wanted: Sequence[str], tally: Tally) -> Iterator[Piece]:
    """Yield the items of the wanted lists, and single values that stand in no other list."""
    if path.stat().st_size > MAX_LINE:
        yield from _streamed(file, path, wanted, tally)
        return
    try:
        value = read_json(file.read().removeprefix(_BOM))
    except ValueError as exc:
        tally.refuse(_reason(exc), str(path))
        return
    found = list(_walk(value, "", wanted, path))
    lists = any(piece.path.endswith("item") for piece in found)
    yield from found if lists else [Piece("", value, str(path))]


def _walk(value: object, prefix: str, wanted: Sequence[str], path: Path) -> Iterator[Piece]:
    """Yield of a value what `_streamed` yields of its text; lists last, so that what is beside is known."""
    dot = f"{prefix}." if prefix else ""
    if isinstance(value, list):
        if f"{dot}item" in wanted:
            for number, item in enumerate(value, start=1):
                yield Piece(f"{dot}item", item, f"{path}: item {number}")
    elif isinstance(value, dict):
        if prefix in wanted:
            yield Piece(prefix, value, str(path))
        for name in sorted(value, key=lambda name: isinstance(value[name], dict | list)):
            yield from _walk(value[name], f"{dot}{name}", wanted, path)
    elif value is not None:
        yield Piece(prefix, value, str(path))


def _streamed(file: IO[bytes], path: Path, wanted: Sequence[str], tally: Tally) -> Iterator[Piece]:
    import ijson  # noqa: PLC0415  # for documents that are too large to be held

    count = 0
    events = ijson.parse(_without_bom(file))
    try:
        for prefix, event, value in events:
            if prefix in wanted and event in {"start_map", "start_array"}:
                count += 1
                yield Piece(prefix, _built(event, events), f"{path}: item {count}")
            elif event in {"string", "number", "boolean"} and ".item" not in f".{prefix}":
                yield Piece(prefix, value, str(path))
    except (ijson.JSONError, UnicodeDecodeError, ValueError, RecursionError):
        tally.refuse("not JSON, or cut", f"{path}: after item {count}")


def _without_bom(file: IO[bytes]) -> IO[bytes]:
    if file.read(3) != _BOM:
        file.seek(0)
    return file


def _built(event: str, events: Iterator[tuple[str, str, Any]]) -> Any:  # noqa: ANN401  # JSON
    """Return the value that begins with `event`; one that is nested too deeply is left empty."""
    import ijson  # noqa: PLC0415

    builder = ijson.ObjectBuilder()
    builder.event(event, None)
    depth, deepest = 1, 1
    while depth:
        _, kind, value = next(events)
        depth += kind in {"start_map", "start_array"}
        deepest = max(deepest, depth)
        if deepest <= MAX_BUILT:
            builder.event(kind, float(value) if isinstance(value, Decimal) else value)
        depth -= kind in {"end_map", "end_array"}
    if deepest > MAX_BUILT:
        return None
    return builder.value


MAX_BUILT = 200
"""Levels of one item of a document."""


def zip_members(path: Path, tally: Tally) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the files of a ZIP archive, by name, those that are too large left out.

    Raises:
        UsageError: If it is no archive.
    """
    try:
        archive = zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as exc:
        raise UsageError(f"{path}: not a ZIP archive: {exc}") from exc
    with archive:
        for member in sorted(archive.infolist(), key=lambda one: one.filename):
            if member.file_size > MAX_MEMBER:
                tally.refuse(
                    f"a file of more than {MAX_MEMBER // 2**20} MiB", f"{path}: {member.filename}"
                )
                continue
            try:
                with archive.open(member) as file:
                    yield member.filename, file
            except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError):
                tally.refuse("a file of an archive that is damaged", f"{path}: {member.filename}")
