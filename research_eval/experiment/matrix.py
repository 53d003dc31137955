"""A `[[matrix]]` in, a configuration for each combination of its values out, named after them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import product
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from research_eval.experiment.override import merged, with_model_table
from research_eval.hint import did_you_mean
from research_eval.schema.complaint import Place

__all__ = ["MatrixError", "expand"]

MAX_CONFIGURATIONS = 10_000
MAX_LABEL_CHARS = 40
"""A longer value, as of a prompt, is no name: it needs a label."""
SEPARATOR = "_"
"""Between the labels of a name; no label holds it."""

_NOT_IN_LABEL = re.compile(r"[^A-Za-z0-9.-]+")


class MatrixError(Exception):
    """A matrix that cannot be expanded."""

    def __init__(self, place: Place, words: str) -> None:
        super().__init__(words)
        self.place = place
        """Inside the matrix."""
        self.words = words


class _Axis(NamedTuple):
    setting: Place
    values: Sequence[object]
    labels: Sequence[str]


def expand(matrix: object) -> list[dict[str, Any]]:
    """Return the configurations of a matrix; the last setting that varies changes fastest.

    Args:
        matrix: What `[[matrix]]` holds: `vary`, a list of values for each setting that varies;
            `exclude`, patterns of names that are left out; all else belongs to every configuration.

    Raises:
        MatrixError: If it does not say what it should.
    """
    if not isinstance(matrix, Mapping):
        raise MatrixError((), "expected a table")
    axes = list(_axes(matrix.get("vary", {})))
    if not axes:
        raise MatrixError(
            ("vary",), 'expected lists of values, as in vary.model = ["openai:a", "openai:b"]'
        )
    size = 1
    for axis in axes:
        size *= len(axis.values)
    if size > MAX_CONFIGURATIONS:
        raise MatrixError(("vary",), f"makes {size} configurations; at most {MAX_CONFIGURATIONS}")
    shared = {key: value for key, value in matrix.items() if key not in {"vary", "exclude"}}
    if "name" in shared:
        raise MatrixError(("name",), "names are made of the values; give a value a label instead")
    made: dict[str, dict[str, Any]] = {}
    for picks in product(*(range(len(axis.values)) for axis in axes)):
        pairs = list(zip(axes, picks, strict=True))
        name = SEPARATOR.join(axis.labels[pick] for axis, pick in pairs)
        item = with_model_table({"name": name, **shared})
        for axis, pick in pairs:
            item = merged(item, _nested(axis.setting, axis.values[pick]))
        made[name] = dict(item) if isinstance(item, Mapping) else {}
    return [made[name] for name in _left(list(made), matrix.get("exclude", []))]


def _axes(vary: object, place: Place = ()) -> Iterator[_Axis]:
    if isinstance(vary, Mapping):
        for key, value in vary.items():
            yield from _axes(value, (*place, key))
    elif isinstance(vary, list) and vary and place:
        yield _axis(place, vary)
    else:
        raise MatrixError(("vary", *place), "expected a list of values")


def _axis(setting: Place, values: Sequence[object]) -> _Axis:
    labels = [_label(setting, value, is_short=True) for value in values]
    if len(set(labels)) < len(labels):
        labels = [_label(setting, value, is_short=False) for value in values]
    for number, label in enumerate(labels):
        place = ("vary", *setting, number)
        if not label or len(label) > MAX_LABEL_CHARS:
            raise MatrixError(
                place, 'is no name: give it one, as in { label = "plain", value = … }'
            )
        if label in labels[:number]:
            raise MatrixError(place, f"a second value is called {label!r}: give it a label")
    return _Axis(setting, [_bare(setting, value) for value in values], labels)


def _bare(setting: Place, value: object) -> object:
    """Return a value without its label, as it may be merged with what all configurations share."""
    if isinstance(value, Mapping) and "label" in value:
        rest = {key: one for key, one in value.items() if key != "label"}
        value = rest["value"] if rest.keys() == {"value"} else rest
    return {"name": value} if setting == ("model",) and isinstance(value, str) else value


def _label(setting: Place, value: object, *, is_short: bool) -> str:
    """Return the name of a value: texts stand for themselves, numbers behind their setting."""
    match value:
        case {"label": str(label)}:
            text = label
        case {"file": str(file), **rest} if not rest:
            text = PurePosixPath(file).stem if is_short else file
        case {"name": str(name), **rest}:
            parts = [_label(setting, name, is_short=is_short), *_labels(rest, is_short=is_short)]
            text = "-".join(parts)
        case Mapping():
            text = "-".join(_labels(value, is_short=is_short))
        case [*items] if items:
            text = "-".join(_label(setting, item, is_short=is_short) for item in items)
        case str():
            text = value.partition(":")[2] or value if is_short else value
        case _:
            shown = str(value).lower() if isinstance(value, bool) else str(value)
            text = f"{setting[-1]}-{shown if value != [] else 'none'}"
    return _NOT_IN_LABEL.sub("-", text).strip("-.")


def _labels(table: Mapping[Any, object], *, is_short: bool) -> list[str]:
    return [_label((key,), value, is_short=is_short) for key, value in table.items()]


def _nested(setting: Place, value: object) -> object:
    for key in reversed(setting):
        value = {key: value}
    return value


def _left(names: Sequence[str], excluded: object) -> list[str]:
    """Return the names that no pattern leaves out."""
    if not isinstance(excluded, list) or not all(isinstance(one, str) for one in excluded):
        raise MatrixError(("exclude",), "expected a list of names or patterns of configurations")
    for pattern in excluded:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise MatrixError(
                ("exclude",), f"{pattern!r} matches none{did_you_mean(pattern, names)}"
            )
    left = [name for name in names if not any(fnmatchcase(name, one) for one in excluded)]
    if not left:
        raise MatrixError(("exclude",), "leaves no configuration")
    return left
