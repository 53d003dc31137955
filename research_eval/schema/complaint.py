"""What pydantic found wrong with a value in, one complaint for each mistake out: key, words, nearest legal word."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from research_eval.hint import did_you_mean, nearest
from research_eval.schema.display import one_line
from research_eval.schema.record import records_in

__all__ = ["Complaint", "Place", "complaints", "dotted"]

Place = tuple[int | str, ...]
"""Keys and numbers of elements on the way to a value."""

MAX_SHOWN = 60
"""Characters of a value at fault that are shown."""


class Complaint(NamedTuple):
    """One mistake."""

    place: Place
    kind: str
    """`unknown`, `missing` or `value`."""
    words: str
    """What is wrong, and what was expected."""
    meant: str | None = None
    """The missing key in whose place an unknown one stands."""


def complaints(exc: ValidationError, record: type[BaseModel], data: object) -> list[Complaint]:
    """Return each mistake once, in the order of pydantic's errors.

    An unknown key that is near to a missing one of the same table is one mistake, not two.

    Args:
        exc: What `record` raised when `data` was validated.
        record: The model.
        data: What was validated.
    """
    errors: dict[Place, list[ErrorDetails]] = {}
    for error in exc.errors(include_url=False):
        errors.setdefault(_real_place(error, data), []).append(error)
    missing = {place for place, some in errors.items() if some[0]["type"] == "missing"}
    around = {place[:length] for place in errors for length in range(len(place))}
    found: list[Complaint] = []
    for place, some in errors.items():
        if place in around and some[0]["type"] != "value_error":
            continue  # another form of a union, which nobody meant
        if some[0]["type"] == "extra_forbidden":
            found.append(_unknown(place, record, missing))
        elif some[0]["type"] != "missing":
            found.append(Complaint(place, "value", _words(some)))
    meant = {(*one.place[:-1], one.meant) for one in found if one.meant}
    lacking = (Complaint(one, "missing", "is missing") for one in errors if one in missing - meant)
    return [*found, *lacking]


def dotted(place: Place) -> str:
    """Return a place as a person writes it, for instance `configuration.0.agent`."""
    return one_line(".".join(map(str, place)))


def _real_place(error: ErrorDetails, data: object) -> Place:
    """Return where in `data` an error is; pydantic also names the members of a union."""
    place: list[int | str] = []
    here: Any = data
    *path, last = error["loc"] or (None,)
    for part in path:
        if _holds(here, part):
            place.append(part)
            here = here[part]
    if last is not None and (_holds(here, last) or error["type"] == "missing"):
        place.append(last)
    return tuple(place)


def _holds(value: Any, part: int | str | None) -> bool:  # noqa: ANN401  # what was validated
    if isinstance(value, Mapping):
        return part in value
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return is_list and isinstance(part, int) and part < len(value)


def _unknown(place: Place, record: type[BaseModel], missing: set[Place]) -> Complaint:
    """Return what is wrong with a key that nobody knows."""
    *table, key = place
    legal = list(_legal_keys(record, tuple(table)))
    near = nearest(str(key), legal)
    meant = near if near is not None and (*table, near) in missing else None
    hint = did_you_mean(str(key), legal) or f"; expected one of {', '.join(legal)}"
    return Complaint(place, "unknown", f"unknown key{hint}", meant)


def _legal_keys(record: type[BaseModel], table: Place) -> Iterable[str]:
    records = [record]
    for part in table:
        if isinstance(part, str):
            inner = [
                one
                for each in records
                if part in each.model_fields
                for one in records_in(each.model_fields[part].annotation)
            ]
            records = inner or records
    return dict.fromkeys(name for each in records for name in each.model_fields)


def _words(errors: Sequence[ErrorDetails]) -> str:
    """Return in one line what was expected, by the forms that a value may have, and what was found."""
    first = errors[0]
    if first["type"] == "value_error":
        return first["msg"].removeprefix("Value error, ")
    forms = dict.fromkeys(_expected(error) for error in errors)
    shown = one_line(repr(first["input"]), MAX_SHOWN)
    return f"expected {' or '.join(forms)}; found {shown}{_near_value(errors)}"


def _expected(error: ErrorDetails) -> str:
    if error["type"] in {"model_type", "model_attributes_type", "dict_type"}:
        return "a table"
    if error["type"] in {"tuple_type", "list_type"}:
        return "a list"
    return error["msg"].removeprefix("Input should be ").removeprefix("Value error, ")


def _near_value(errors: Sequence[ErrorDetails]) -> str:
    """Return the legal word that a wrong one is near to."""
    for error in errors:
        if error["type"] == "literal_error" and isinstance(error["input"], str):
            listed = str(error.get("ctx", {}).get("expected", ""))
            return did_you_mean(error["input"], listed.split("'")[1::2])
    return ""
