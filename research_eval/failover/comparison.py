"""Scenarios under variants beside each other, and a setting swept over its values."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from research_eval.errors import ConfigError
from research_eval.failover.lab import run_scenario
from research_eval.failover.measure import Metrics, measure
from research_eval.failover.scenario import Expectation, Scenario
from research_eval.failover.trace import LabTrace
from research_eval.failover.variant import changed, variant
from research_eval.tool.search import SearchSettings

__all__ = ["broken", "compare", "parse_sweep", "run_variant", "sweep"]

MOST_VALUES = 200
"""Values that one sweep may take."""


def run_variant(
    scenario: Scenario, settings: SearchSettings, name: str
) -> tuple[LabTrace, Metrics]:
    """Return what happened under `settings`, and its numbers."""
    trace = run_scenario(scenario, settings, variant=name)
    calm = run_scenario(scenario, settings, variant=name, is_calm=True)
    return trace, measure(trace, calm)


def compare(
    scenarios: Iterable[Scenario], variants: Sequence[str]
) -> Iterator[tuple[LabTrace, Metrics]]:
    """Yield each scenario under each variant, scenario by scenario.

    Raises:
        ConfigError: If there is no such variant.
    """
    for scenario in scenarios:
        for name in variants:
            yield run_variant(scenario, variant(scenario, name), name)


def sweep(
    scenarios: Iterable[Scenario], name: str, values: Sequence[object]
) -> Iterator[tuple[object, Metrics]]:
    """Yield each scenario under the default settings with `name` set to each value.

    Raises:
        ConfigError: If there is no such setting, or it does not take one of the values.
    """
    for scenario in scenarios:
        for value in values:
            settings = changed(scenario, {name: value})
            yield value, run_variant(scenario, settings, f"{name} = {_shown(value)}")[1]


def broken(scenario: Scenario, metrics: Metrics) -> list[tuple[Expectation, Any]]:
    """Return what should hold of the default settings and does not, with the value that was found.

    Raises:
        ConfigError: If an expectation is about no known metric.
    """
    found: Mapping[str, Any] = metrics.model_dump()
    for expected in scenario.expect:
        if not isinstance(found.get(expected.metric, ""), int | float | None):
            numbers = ", ".join(k for k, v in found.items() if isinstance(v, int | float))
            raise ConfigError(
                f"{scenario.name}: expect.{expected.metric}: no such metric; known: {numbers}"
            )
    return [(e, found[e.metric]) for e in scenario.expect if not e.holds(found[e.metric])]


def parse_sweep(text: str) -> tuple[str, list[object]]:
    """Return the setting and its values in `failure_threshold=1..10` or `cooldown_s=15,30,60`.

    Values are TOML; `none` is no limit; `a..b` are the whole numbers from `a` to `b`, `a..b..step`
    the numbers in steps.

    Raises:
        ConfigError: If it is of another form.

    >>> parse_sweep("failure_threshold=1..3,none")
    ('failure_threshold', [1, 2, 3, None])
    """
    name, equals, listed = text.partition("=")
    if not equals or not name.strip() or not listed.strip():
        raise ConfigError(f"--set {text!r} is no sweep such as failure_threshold=1..10")
    values = [value for part in listed.split(",") for value in _values(part.strip(), text)]
    if len(values) > MOST_VALUES:
        raise ConfigError(f"--set {text!r} has more than {MOST_VALUES} values")
    return name.strip(), values


def _values(part: str, text: str) -> list[object]:
    if part == "none":
        return [None]
    try:
        if ".." not in part:
            value: object = tomllib.loads(f"v = {part}")["v"]
            return [value]
        first, last, step = (*(float(piece) for piece in part.split("..")), 1.0)[:3]
        count = int((last - first) / step + 1e-9) + 1 if step > 0 and last >= first else 0
    except (ValueError, OverflowError, RecursionError) as exc:
        raise ConfigError(f"--set {text!r}: {part!r} is no value and no range a..b") from exc
    if not 0 < count <= MOST_VALUES:
        raise ConfigError(f"--set {text!r}: {part!r} holds no value, or more than {MOST_VALUES}")
    return [_number(first + step * number) for number in range(count)]


def _number(value: float) -> int | float:
    value = round(value, 9)
    return int(value) if value.is_integer() else value


def _shown(value: object) -> str:
    return (
        "none" if value is None else str(value).lower() if isinstance(value, bool) else f"{value}"
    )
