"""One answer with what its trial saw: a line of JSON in, text and ledger out.

A line holds `id` and `text`, and what was seen: lists of URLs (`fetched`, `searched`, `failed`, `given`),
or `ledger`, in any form that a file of a ledger has. `expected` says what should come, `note` is for people.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

import msgspec

from research_eval.errors import UsageError
from research_eval.gate.source import LISTS, ledger_from_data
from research_eval.ledger import SourceRegistry

__all__ = ["ALLOWED", "AnswerLine", "Label", "answer_line", "quick_answer_line"]

ALLOWED = "pass"
FIELDS = ("id", "text", *LISTS, "ledger", "expected", "note")
Label = tuple[str, ...]
"""What should come: violations, each a kind or a kind and a URL; empty for an answer that passes."""


class AnswerLine(NamedTuple):
    """One answer of a file."""

    id: str | int
    text: str
    urls: Mapping[str, list[str]]
    """By list."""
    records: object = None
    """Of the field `ledger`."""
    expected: Label | None = None
    """`None` where the file does not say."""
    place: str = ""
    """File and line, for errors."""

    def ledger(self) -> SourceRegistry:
        """Return what was seen.

        Raises:
            UsageError: If the field `ledger` is none.
        """
        if self.records is not None:
            return ledger_from_data(self.records, f"{self.place}: ledger")
        return SourceRegistry.from_urls(**self.urls)


class _Quick(msgspec.Struct, forbid_unknown_fields=True):
    id: str | int
    text: str
    fetched: list[str] = []
    searched: list[str] = []
    failed: list[str] = []
    given: list[str] = []


_QUICK = msgspec.json.Decoder(_Quick)


def quick_answer_line(line: bytes) -> AnswerLine | None:
    """Return the answer on a line of JSON as most are; `None` if it needs a closer look."""
    try:
        found = _QUICK.decode(line)
    except (ValueError, RecursionError):
        return None
    urls = {name: seen for name in LISTS if (seen := getattr(found, name))}
    return AnswerLine(found.id, found.text, urls)


def answer_line(row: Mapping[str, Any], place: str) -> AnswerLine:
    """Return the answer in an object.

    Args:
        row: The object.
        place: File and line, for errors.

    Raises:
        UsageError: With place and field, if it does not hold what it should.
    """
    for key in row:
        if key not in FIELDS:
            nearest = get_close_matches(str(key), FIELDS, 1)
            hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
            raise UsageError(f"{place}: unknown field {key!r}{hint}; known: {', '.join(FIELDS)}")
    name = row.get("id")
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise UsageError(f"{place}: id: expected text or a whole number")
    if not isinstance(row.get("text"), str):
        raise UsageError(f"{place}: text: expected text")
    urls = {key: _urls(row, key, place) for key in LISTS if key in row}
    if "ledger" in row and urls:
        raise UsageError(f"{place}: ledger: stands beside {next(iter(urls))}; give one of them")
    label = _label(row.get("expected"), place)
    return AnswerLine(name, row["text"], urls, row.get("ledger"), label, place)


def _urls(row: Mapping[str, Any], field: str, place: str) -> list[str]:
    value = row[field]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UsageError(f"{place}: {field}: expected a list of URLs")
    return value


def _label(value: object, place: str) -> Label | None:
    if value is None or value == ALLOWED:
        return None if value is None else ()
    items = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]
    is_whole = not isinstance(value, list) or len(items) == len(value)
    if not items or not is_whole or not all(one.split() for one in items):
        raise UsageError(
            f'{place}: expected: give "pass", or a list of kinds, each with a URL if one is meant'
        )
    return tuple(" ".join(one.split()) for one in items)
