"""Read an experiment from its TOML file; every mistake is said with file, line and key."""

import shlex
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from research_eval.errors import ConfigError
from research_eval.experiment.bundled import bundled_name
from research_eval.experiment.mistake import right_of
from research_eval.experiment.reading import Reading
from research_eval.experiment.settings import ExperimentSettings
from research_eval.model import provider_key
from research_eval.schema.complaint import Place

__all__ = ["Experiment", "ExperimentError", "load_experiment"]


class Experiment(NamedTuple):
    """Settings and the place that their paths are relative to."""

    settings: ExperimentSettings
    path: Path
    overrides: tuple[str, ...] = ()
    """What went over the file."""

    @property
    def words_on_command_line(self) -> str:
        """How a person names it: `bundled`, `calibration`, or its file's name, and what went over it."""
        name = bundled_name(self.path) or self.path.name
        changes = (f"--set {shlex.quote(change)}" for change in self.overrides)
        return " ".join([shlex.quote(name), *changes])

    def where(self, place: Place) -> str:
        """Return file and line of a setting, for errors; the file alone where it cannot be read."""
        try:
            stamp = self.path.stat().st_mtime_ns
            return _reading_of(self.path, self.overrides, stamp).where(place)
        except (ConfigError, OSError):
            return str(self.path)

    @property
    def dataset_path(self) -> Path:
        """The file of the cases."""
        return (self.path.parent / self.settings.dataset).resolve()

    @property
    def cassettes_path(self) -> Path:
        """The folder of the recordings."""
        return (self.path.parent / self.settings.cassettes).resolve()


@lru_cache(maxsize=1)
def _reading_of(path: Path, changes: tuple[str, ...], stamp: int) -> Reading:
    del stamp  # tells versions of the file apart
    return Reading(path, changes)


class ExperimentError(ConfigError):
    """The settings of an experiment are wrong; one line for each mistake.

    Attributes:
        rest: The experiment without its mistakes, in which more may be looked for; `None` if too
            little is right.
        has_all_names: Whether dataset and configurations are what the file means.
    """

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.rest: Experiment | None = None
        self.has_all_names = True


def load_experiment(path: Path, overrides: Iterable[str] = ()) -> Experiment:
    """Read the experiment at `path`.

    A table `[defaults]` gives what all configurations share; each may say otherwise. A `[[matrix]]`
    makes a configuration of each combination of its values.

    Args:
        path: The TOML file.
        overrides: `key=value` pairs that go over the file, dotted keys, TOML values;
            `configuration.NAME.key=value` reaches one configuration.

    Raises:
        ConfigError: If the file cannot be read.
        ExperimentError: With file, line and key of every mistake.
    """
    changes = tuple(overrides)
    reading = Reading(path, changes)
    right = right_of(reading.data)
    early = {one.place for one in reading.complaints}
    reading.complaints += [one for one in right.mistakes if one.place not in early]
    rest = Experiment(right.settings, path, changes) if right.settings else None
    faults = reading.faults()
    faults += _idle_limits(right.settings, reading) if right.settings else ()
    if not faults and rest is not None:
        return rest
    error = ExperimentError(*faults)
    error.rest = rest
    error.has_all_names = right.has_all_names and reading.has_all_configurations
    raise error


def _idle_limits(settings: ExperimentSettings, reading: Reading) -> Iterator[str]:
    """Yield limits of a provider that no configuration asks: its name is misspelt."""
    asked = [item.model for item in settings.configuration if item.asks_model]
    known = dict.fromkeys(map(provider_key, asked))
    for name in settings.limits:
        if name not in known:
            of_this = ", ".join(known) or "none, but reference agents"
            where = reading.where(("limits", name))
            yield f"{where}: limits.{name}: no configuration asks this provider; asked: {of_this}"
