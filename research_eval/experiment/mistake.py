"""Settings as a file gives them in; what is right of them, and every mistake in a line of its own, out."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from research_eval.experiment.settings import ExperimentSettings
from research_eval.schema.complaint import Complaint, Place, complaints

__all__ = ["Right", "right_of"]

ROUNDS = 20
"""Mistakes may hide others, which are looked for again at most this often."""

PLACEHOLDERS = {"name": "unnamed", "dataset": "", "cassettes": "", "model": "reference:honest"}
"""What takes the place of a required setting that is wrong, so that the others can be checked."""


class Right(NamedTuple):
    """What is right of a file."""

    settings: ExperimentSettings | None
    """With defaults and placeholders in the place of mistakes; `None` if too little is right."""
    mistakes: tuple[Complaint, ...]
    has_all_names: bool
    """Whether the dataset and the names of configurations are what the file means."""


def right_of(data: dict[str, Any]) -> Right:
    """Validate settings; leave out what is wrong, and validate the rest, until it is right.

    Args:
        data: Values as TOML gives them, with defaults merged; changed in place.
    """
    mistakes: dict[Place, Complaint] = {}
    replaced: set[Place] = set()
    for _ in range(ROUNDS):
        try:
            settings = ExperimentSettings.model_validate(data)
        except ValidationError as exc:
            found = complaints(exc, ExperimentSettings, data)
            for one in found:
                if one.place not in replaced:
                    mistakes.setdefault(one.place, one)
            is_mended = [_mend(data, one, replaced) for one in found]
            if not any(is_mended):
                break
        else:
            is_whole = not any(map(_names_something, replaced))
            return Right(settings, tuple(mistakes.values()), is_whole)
    return Right(None, tuple(mistakes.values()), has_all_names=False)


def _mend(data: dict[str, Any], one: Complaint, replaced: set[Place]) -> bool:
    """Take a mistake out of the data; return whether that could be done."""
    if one.place[:1] == ("configuration",) and len(one.place) == 2:
        return _replace_configuration(data["configuration"], one.place[1])
    *way, key = _to_a_key(one.place) or (None,)
    if key is None:
        return False
    table = _at(data, way)
    if not isinstance(table, dict):
        return False
    value = table.pop(key, None)
    place = (*way, key)
    if one.meant is not None:
        table[one.meant] = value
    elif key in PLACEHOLDERS and _needs(place):
        taken = f"{PLACEHOLDERS[key]}-{way[1]}" if key == "name" and way else PLACEHOLDERS[key]
        table[key] = taken
        replaced.add(place)
    elif one.kind == "missing":  # nothing can stand in for it: the table around it goes
        return bool(way) and _mend(data, Complaint(tuple(way), "value", ""), replaced)
    else:
        replaced.add(place)
    return True


def _replace_configuration(items: list[Any], number: int | str) -> bool:
    """Put one of the same name in the place of a configuration that contradicts itself."""
    item = items[int(number)]
    name = item.get("name") if isinstance(item, dict) else f"unnamed-{number}"
    stand_in = {"name": name, "model": PLACEHOLDERS["model"]}
    is_new: bool = item != stand_in
    items[int(number)] = stand_in
    return is_new


def _to_a_key(place: Place) -> Place:
    """Return the place up to its last key: an element of a list goes with the whole list."""
    while place and isinstance(place[-1], int):
        place = place[:-1]
    return () if place == ("configuration",) else place


def _names_something(place: Place) -> bool:
    return place == ("dataset",) or (_needs(place) and place[0::2] == ("configuration", "name"))


def _needs(place: Place) -> bool:
    return len(place) == 1 or (place[0] == "configuration" and len(place) == 3)


def _at(data: Any, way: Sequence[int | str]) -> Any:  # noqa: ANN401  # TOML values
    for part in way:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return None
    return data
