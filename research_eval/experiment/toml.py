"""A TOML file in, its values and the line of each key out."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from research_eval.errors import ConfigError
from research_eval.schema.complaint import Place

__all__ = ["lines_of", "read_toml"]

MAX_PARSED_CHARS = 5_000_000
"""How much is parsed, statement by statement, to find lines; keys behind it have none."""


def read_toml(path: Path) -> tuple[dict[str, Any], str]:
    """Return the values of a file, and its text.

    Raises:
        ConfigError: With the file, if it cannot be read or is not TOML.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        return tomllib.loads(text), text
    except OSError as exc:
        raise ConfigError(f"{path}: cannot be read: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        raise ConfigError(f"{path}: expected UTF-8 text: byte {exc.start} is not") from exc
    except RecursionError as exc:
        raise ConfigError(f"{path}: not TOML: nested too deeply") from exc
    except ValueError as exc:  # a number of too many digits is no `TOMLDecodeError`
        raise ConfigError(f"{path}: not TOML: {exc}") from exc


def lines_of(text: str) -> dict[Place, int]:
    """Return the line, from 1, on which the statement of each key begins.

    The parser tells no lines. A statement ends with its line, so the fewest lines that are TOML by
    themselves are one.
    """
    lines: dict[Place, int] = {}
    tables: dict[Place, int] = {}
    prefix: Place = ()
    for number, statement, data in _statements(text):
        if statement.lstrip().startswith("["):
            is_list = statement.lstrip().startswith("[[")
            prefix = _table(data, tables, is_list=is_list)
            for place in (prefix[:-1], prefix) if is_list else (prefix,):
                lines.setdefault(place, number)
        else:
            for place in _places(data):
                lines.setdefault((*prefix, *place), number)
    return lines


def _statements(text: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    parsed = 0
    statement, begins = "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        begins = begins if statement else number
        statement += f"{line}\n"
        parsed += len(statement)
        if parsed > MAX_PARSED_CHARS:
            return
        try:
            data = tomllib.loads(statement)
        except (ValueError, RecursionError):
            continue
        if data:
            yield begins, statement, data
        statement = ""


def _table(data: Mapping[str, Any], tables: dict[Place, int], *, is_list: bool) -> Place:
    """Return the place of the table that a header opens; `tables` counts the elements of each list."""
    place: Place = ()
    here: Any = data
    while isinstance(here, Mapping) and here:
        ((key, here),) = here.items()
        place = (*place, key)
        if isinstance(here, list) and is_list:
            tables[place] = tables.get(place, -1) + 1
        if place in tables:
            place = (*place, tables[place])
    return place


def _places(value: object) -> Iterator[Place]:
    inner: Iterable[tuple[int | str, object]] = ()
    if isinstance(value, Mapping):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    for key, below in inner:
        yield (key,)
        yield from ((key, *rest) for rest in _places(below))
