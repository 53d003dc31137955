"""An experiment's file in; its values, ready to be validated, and the line of each out."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cached_property
from pathlib import Path
from typing import Any

from research_eval.experiment.matrix import MatrixError, expand
from research_eval.experiment.override import merged, override, with_model_table
from research_eval.experiment.prompt_file import read_prompt_files
from research_eval.experiment.settings import ExperimentSettings
from research_eval.experiment.toml import lines_of, read_toml
from research_eval.hint import did_you_mean, nearest
from research_eval.schema.complaint import Complaint, Place, dotted
from research_eval.schema.display import one_line

__all__ = ["Reading"]

TABLES = ("configuration", "defaults", "matrix")
"""Tables that are taken apart before the settings are validated."""

STAND_IN = {"name": "unnamed", "model": "reference:honest"}
"""Takes the place of configurations that cannot be read, so that the rest can be checked."""


class Reading:
    """A file's values, made ready to be validated, and where each came from."""

    def __init__(self, path: Path, changes: Sequence[str]) -> None:
        """Take the values of the file at `path` apart and put them together again.

        Raises:
            ConfigError: If it cannot be read, or a change of the command line has no place in it.
        """
        data, self._text = read_toml(path)
        self.complaints: list[Complaint] = []
        self._path = path
        self._origins: list[Place] = []
        self._changed = {change.partition("=")[0].strip() for change in changes}
        late = [one for one in changes if one.lstrip().startswith("configuration.")]
        for change in changes:
            if change not in late:
                override(data, change)
        self._rename_tables(data)
        configurations = self._configurations(data)
        self.has_all_configurations = not self.complaints
        for change in late:
            override({"configuration": configurations}, change)
        defaults = with_model_table(data.pop("defaults", {}))
        items = [merged(defaults, with_model_table(item)) for item in configurations]
        for number, item in enumerate(items):
            for one in read_prompt_files(item, path.parent):
                place = ("configuration", number, *one.place)
                self.complaints.append(one._replace(place=place))
        self._names = [item.get("name") if isinstance(item, Mapping) else None for item in items]
        data["configuration"] = list(map(deepcopy, items))  # no table is shared any more
        self.data = data

    def _rename_tables(self, data: dict[str, Any]) -> None:
        """Understand a misspelt table, since what stands in it decides what else is wrong."""
        legal = [*TABLES, *ExperimentSettings.model_fields]
        for key in [key for key in data if key not in legal]:
            near = nearest(key, legal)
            if near in TABLES and near not in data:
                words = f"unknown key{did_you_mean(key, legal)}"
                self.complaints.append(Complaint((key,), "unknown", words))
                data[near] = data.pop(key)

    def _configurations(self, data: dict[str, Any]) -> list[Any]:
        """Return those that are written, then those of each matrix."""
        written = data.pop("configuration", [])
        matrices = data.pop("matrix", [])
        if not (isinstance(written, list) and isinstance(matrices, list)) or not written + matrices:
            words = "expected at least one [[configuration]] or [[matrix]] table"
            self.complaints.append(Complaint(("configuration",), "value", words))
            written, matrices = [dict(STAND_IN)], []
        made = list(written)
        self._origins = [("configuration", number) for number in range(len(written))]
        for number, matrix in enumerate(matrices):
            try:
                some = expand(matrix)
            except MatrixError as exc:
                place = ("matrix", number, *exc.place)
                self.complaints.append(Complaint(place, "value", exc.words))
                some = [{**STAND_IN, "name": f"unnamed-{number}"}]
            made += some
            self._origins += [("matrix", number)] * len(some)
        return made

    def faults(self) -> list[str]:
        """Return each mistake in a line, in the order of the file."""
        found: dict[str, int] = {}
        for one in self.complaints:
            place, line = self._found(one.place)
            key = f"{dotted(place)}{self._name_of(place)}: " if place else ""
            found.setdefault(f"{self._shown(line)}: {key}{one.words}", line)
        return sorted(found, key=lambda text: found[text])

    def where(self, place: Place) -> str:
        """Return file and line of a setting, or of the table that it would stand in."""
        return self._shown(self._found(place)[1])

    def _shown(self, line: int) -> str:
        return f"{self._path}:{line}" if line else str(self._path)

    @cached_property
    def _lines(self) -> dict[Place, int]:
        return lines_of(self._text)

    def _found(self, place: Place) -> tuple[Place, int]:
        """Return where a value was written: in its own table, or in one that several share; and the line."""
        lines = self._lines
        ways = [place]
        if place[:1] == ("configuration",) and len(place) > 1 and isinstance(place[1], int):
            table = self._origins[place[1]]
            rest = place[2:]
            if f"configuration.{self._named(place[1])}.{dotted(rest)}" in self._changed:
                return place, 0
            ways = [(*table, *rest), (*table, "vary", *rest), ("defaults", *rest)]
        if dotted(ways[-1]) in self._changed:
            return ways[-1], 0
        exact = [way for way in ways if way in lines]
        if exact:
            return exact[0], lines[exact[0]]
        nearest_way = max(ways, key=lambda way: _depth(way, lines))
        return ways[0], lines.get(nearest_way[: _depth(nearest_way, lines)], 0)

    def _named(self, number: int) -> str:
        name = self._names[number]
        return "" if name is None else one_line(str(name), 80)

    def _name_of(self, place: Place) -> str:
        match place:
            case ("configuration", int(number), *_) if name := self._named(number):
                return f" ({name})"
            case _:
                return ""


def _depth(place: Place, lines: Mapping[Place, int]) -> int:
    return next((n for n in range(len(place), 0, -1) if place[:n] in lines), 0)
