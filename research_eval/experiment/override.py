"""`key=value` of the command line in, the values of a file changed out."""

import tomllib
from collections.abc import Mapping
from typing import Any

from research_eval.errors import ConfigError

__all__ = ["merged", "override", "with_model_table"]


def merged(base: object, over: object) -> object:
    """Return `over` on top of `base`, table by table."""
    if not isinstance(base, Mapping) or not isinstance(over, Mapping):
        return over
    missing = object()
    return {
        key: merged(base[key], over[key])
        if key in base and key in over
        else over.get(key, base.get(key, missing))
        for key in {**base, **over}
    }


def with_model_table(item: object) -> object:
    """Return a configuration whose model's name can be merged with settings of models that stand elsewhere."""
    if isinstance(item, Mapping) and isinstance(item.get("model"), str):
        return {**item, "model": {"name": item["model"]}}
    return item


def override(data: dict[str, Any], change: str) -> None:
    """Change one value, in place.

    Raises:
        ConfigError: If `change` is not `key=value`, or there is no such place.
    """
    key, equals, text = change.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"--set {change!r}: expected key=value")
    *parents, last = key.strip().split(".")
    place: Any = data
    for parent in parents:
        place = _child(place, parent, change)
    if isinstance(place, list):
        raise ConfigError(f"--set {change!r}: {last} is not a setting; expected NAME.key=value")
    place[last] = _value(text.strip())


def _child(place: Any, name: str, change: str) -> Any:  # noqa: ANN401  # TOML values
    if isinstance(place, list):
        found = [item for item in place if isinstance(item, dict) and item.get("name") == name]
        if not found:
            raise ConfigError(f"--set {change!r}: there is no configuration {name!r}")
        return found[0]
    if isinstance(place.get(name), str):
        place[name] = {"name": place[name]}
    child = place.setdefault(name, {})
    if not isinstance(child, dict | list):
        raise ConfigError(f"--set {change!r}: {name} is not a table")
    return child


def _value(text: str) -> object:
    """Return `text` as a TOML value, or as the string that it is."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text
