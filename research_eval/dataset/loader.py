"""A JSON Lines file to cases; a line that is no case is an error that names file and line."""

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from research_eval.dataset.case import Case
from research_eval.errors import DatasetError
from research_eval.schema.complaint import complaints, dotted

__all__ = ["find_faults", "load_cases", "parse_cases"]


def load_cases(path: str | Path) -> tuple[Case, ...]:
    """Return the cases of the JSON Lines file at `path`, or of `cases.jsonl` in that folder.

    Raises:
        DatasetError: If the file cannot be read or a line is not a case, as `file:line: why`.
    """
    data, name = _content(path)
    return parse_cases(data, name=name)


def find_faults(path: str | Path) -> list[str]:
    """Return everything that is wrong with the lines of the file at `path`.

    Raises:
        DatasetError: If the file cannot be read.
    """
    data, name = _content(path)
    errors = [read for read in _read(data, name) if isinstance(read, DatasetError)]
    return [fault for error in errors for fault in error.faults]


def parse_cases(data: bytes, *, name: str = "dataset") -> tuple[Case, ...]:
    """Return the cases in `data`, JSON Lines in UTF-8; blank lines are skipped.

    Raises:
        DatasetError: As `name:line: why`, with every mistake of every line.
    """
    cases: list[Case] = []
    faults: list[str] = []
    for read in _read(data, name):
        if isinstance(read, DatasetError):
            faults += read.faults
        else:
            cases.append(read)
    if faults:
        raise DatasetError(*faults)
    if not cases:
        raise DatasetError(f"{name}: holds no case; expected one JSON object a line")
    return tuple(cases)


def _content(path: str | Path) -> tuple[bytes, str]:
    file = Path(path)
    if file.is_dir():
        file /= "cases.jsonl"
    try:
        return file.read_bytes(), str(file)
    except OSError as exc:
        raise DatasetError(f"{file}: cannot read the dataset: {exc.strerror or exc}") from exc


def _read(data: bytes, name: str) -> Iterator[Case | DatasetError]:
    """Yield for each line that is not blank its case, or why it is none."""
    first_at: dict[str, int] = {}
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            case = _parse(_text(raw, f"{name}:{number}"), f"{name}:{number}")
        except DatasetError as exc:
            yield exc
            continue
        earlier = first_at.setdefault(case.id, number)
        if earlier == number:
            yield case
        else:
            yield DatasetError(
                f"{name}:{number}: case id {case.id!r} was used on line {earlier}; expected a new id"
            )


def _text(raw: bytes, place: str) -> str:
    try:
        return raw.decode("utf-8").strip()
    except UnicodeDecodeError as exc:
        raise DatasetError(
            f"{place}: byte {exc.start + 1} of the line is not UTF-8; expected JSON in UTF-8"
        ) from exc


def _parse(line: str, place: str) -> Case:
    """Return the case that `line` holds."""
    try:
        value = json.loads(line, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as exc:
        raise DatasetError(
            f"{place}: not JSON at column {exc.colno}: {exc.msg}; expected one object a line"
        ) from exc
    except (ValueError, RecursionError) as exc:
        raise DatasetError(f"{place}: {_why(exc)}; expected one object a line") from exc
    if not isinstance(value, dict):
        raise DatasetError(f"{place}: expected a JSON object, found {_json_kind(value)}")
    try:
        return Case.model_validate_json(line)
    except ValidationError as exc:
        raise DatasetError(*_words(exc, value, place)) from exc


def _words(exc: ValidationError, value: object, place: str) -> Iterator[str]:
    """Yield each mistake of a line: the field, what is wrong, what was expected."""
    for one in complaints(exc, Case, value):
        yield f"{place}: {dotted(one.place)}: {one.words}" if one.place else f"{place}: {one.words}"


def _why(exc: Exception) -> str:
    return "nested too deeply" if isinstance(exc, RecursionError) else str(exc)


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build an object and refuse a key that stands twice, which JSON would drop in silence."""
    built: dict[str, object] = {}
    for key, value in pairs:
        if key in built:
            raise ValueError(f"key {key!r} stands twice")
        built[key] = value
    return built


def _json_kind(value: object) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
