"""Read an experiment from its TOML file; whatever is wrong is said with file and key."""

import shlex
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from research_eval.errors import ConfigError
from research_eval.experiment.bundled import BUNDLED, bundled_experiment
from research_eval.experiment.settings import ExperimentSettings
from research_eval.model import provider_key
from research_eval.schema.display import one_line

__all__ = ["Experiment", "load_experiment"]


class Experiment(NamedTuple):
    """Settings and the place that their paths are relative to."""

    settings: ExperimentSettings
    path: Path
    overrides: tuple[str, ...] = ()
    """What went over the file."""

    @property
    def words_on_command_line(self) -> str:
        """How a person names it: `bundled`, or its file's name, and what went over it."""
        name = BUNDLED if self.path == bundled_experiment() else self.path.name
        changes = (f"--set {shlex.quote(change)}" for change in self.overrides)
        return " ".join([shlex.quote(name), *changes])

    @property
    def dataset_path(self) -> Path:
        """The file of the cases."""
        return (self.path.parent / self.settings.dataset).resolve()

    @property
    def cassettes_path(self) -> Path:
        """The folder of the recordings."""
        return (self.path.parent / self.settings.cassettes).resolve()


def load_experiment(path: Path, overrides: Iterable[str] = ()) -> Experiment:
    """Read the experiment at `path`.

    A table `[defaults]` gives what all configurations share; each may say otherwise.

    Args:
        path: The TOML file.
        overrides: `key=value` pairs that go over the file, dotted keys, TOML values;
            `configuration.NAME.key=value` reaches one configuration.

    Raises:
        ConfigError: With file and key, if the file cannot be read or does not validate.
    """
    data = _read(path)
    changes = tuple(overrides)
    for override in changes:
        _override(data, override)
    configurations = data.get("configuration")
    if not isinstance(configurations, list):
        raise ConfigError(f"{path}: configuration: expected at least one [[configuration]] table")
    defaults = data.pop("defaults", {})
    data["configuration"] = [_merged(defaults, item) for item in configurations]
    try:
        settings = ExperimentSettings.model_validate(data)
    except ValidationError as exc:
        raise ConfigError(f"{path}: {_describe(exc, data)}") from exc
    _refuse_idle_limits(settings, path)
    return Experiment(settings, path, changes)


def _refuse_idle_limits(settings: ExperimentSettings, path: Path) -> None:
    """Refuse limits of a provider that no configuration asks: its name is misspelt."""
    asked = [item.model for item in settings.configuration if item.asks_model]
    known = dict.fromkeys(map(provider_key, asked))
    for name in settings.limits:
        if name not in known:
            of_this = ", ".join(known) or "none, but reference agents"
            raise ConfigError(
                f"{path}: limits.{name}: no configuration asks this provider; asked: {of_this}"
            )


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as exc:
        raise ConfigError(f"{path}: cannot be read: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        raise ConfigError(f"{path}: expected UTF-8 text: byte {exc.start} is not") from exc
    except RecursionError as exc:
        raise ConfigError(f"{path}: not TOML: nested too deeply") from exc
    except ValueError as exc:  # a number of too many digits is no `TOMLDecodeError`
        raise ConfigError(f"{path}: not TOML: {exc}") from exc


def _merged(base: object, over: object) -> object:
    """Return `over` on top of `base`, table by table."""
    if not isinstance(base, Mapping) or not isinstance(over, Mapping):
        return over
    missing = object()
    return {
        key: _merged(base[key], over[key])
        if key in base and key in over
        else over.get(key, base.get(key, missing))
        for key in {**base, **over}
    }


def _override(data: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"--set {override!r}: expected key=value")
    *parents, last = key.strip().split(".")
    place: Any = data
    for parent in parents:
        place = _child(place, parent, override)
    if isinstance(place, list):
        raise ConfigError(f"--set {override!r}: {last} is not a setting; expected NAME.key=value")
    place[last] = _value(text.strip())


def _child(place: Any, name: str, override: str) -> Any:  # noqa: ANN401  # TOML values
    if isinstance(place, list):
        found = [item for item in place if isinstance(item, dict) and item.get("name") == name]
        if not found:
            raise ConfigError(f"--set {override!r}: there is no configuration {name!r}")
        return found[0]
    if isinstance(place.get(name), str):
        place[name] = {"name": place[name]}
    child = place.setdefault(name, {})
    if not isinstance(child, dict | list):
        raise ConfigError(f"--set {override!r}: {name} is not a table")
    return child


def _value(text: str) -> object:
    """Return `text` as a TOML value, or as the string that it is."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def _describe(exc: ValidationError, data: Mapping[str, Any]) -> str:
    """Return the first fault with its key, and for a configuration with its name."""
    first = exc.errors(include_url=False)[0]
    place = one_line(".".join(str(part) for part in first["loc"]))
    words = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        text = "unknown key"
    else:
        text = f"{words} (found {first['input']!r:.80})" if first["loc"] else words
    more = f"; and {exc.error_count() - 1} more" if exc.error_count() > 1 else ""
    return f"{place}{_name_of(first['loc'], data)}: {text}{more}" if place else text + more


def _name_of(loc: tuple[int | str, ...], data: Mapping[str, Any]) -> str:
    match loc:
        case ("configuration", int(index), *_):
            item = data["configuration"][index]
            return (
                f" ({one_line(str(item['name']), 80)})"
                if isinstance(item, dict) and "name" in item
                else ""
            )
        case _:
            return ""
