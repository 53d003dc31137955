"""A scenario: a chain of providers, a load over virtual time, what fails when, what must hold."""

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from research_eval.errors import ConfigError
from research_eval.fault import FaultSettings
from research_eval.schema import Record
from research_eval.tool.search import WIRES, ResilienceSettings

__all__ = [
    "Expectation",
    "LoadSettings",
    "Scenario",
    "ScenarioProvider",
    "bundled_scenarios",
    "load_scenario",
]

_EXPECTATION = re.compile(r"(>=|<=|==)\s*(-?\d+(?:\.\d+)?)$")


class LoadSettings(Record):
    """Searches over virtual time."""

    searches: int = Field(ge=1, le=100_000)
    over_s: float = Field(gt=0, le=1e7)
    """From the first search to the last, in virtual seconds."""
    arrival: Literal["regular", "poisson", "bursts"] = "poisson"
    """How searches follow each other; `bursts` come ten at a time."""
    distinct_queries: int = Field(default=100, ge=1, le=1_000_000)
    popularity: float = Field(default=2.0, ge=1, le=100)
    """How uneven the queries' popularity is; at 1 all are asked equally often."""
    answers: int = Field(default=0, ge=0, le=10_000)
    """Questions that an agent answers meanwhile, spread evenly; each answer is put to the gate."""


class ScenarioProvider(Record):
    """A provider of the chain, and how its server behaves when nothing is wrong with it."""

    provider: str
    latency_s: float = Field(default=0.4, ge=0)
    """How long an answer takes, give or take a third."""
    price_usd: float = Field(default=0.0, ge=0)
    """What one answered request costs, US dollars."""
    knows_share: float = Field(default=1.0, ge=0, le=1)
    """The share of queries for which it has results at all."""
    server_rate_per_s: float | None = Field(default=None, gt=0)
    """Requests a second that the server allows; more are answered with 429."""
    timeout_s: float = Field(default=10.0, gt=0)

    @model_validator(mode="after")
    def _is_known(self) -> Self:
        if self.provider not in WIRES:
            raise ValueError(f"unknown provider {self.provider!r}; known: {', '.join(WIRES)}")
        return self


class Expectation(Record):
    """One thing that must hold of a metric."""

    metric: str
    operator: Literal[">=", "<=", "=="]
    bound: float

    def holds(self, value: float | None) -> bool:
        """Return whether `value` is within the bound; no value is not."""
        if value is None:
            return False
        if self.operator == "==":
            return value == self.bound
        return value >= self.bound if self.operator == ">=" else value <= self.bound

    @property
    def words(self) -> str:
        """The expectation as it is written."""
        return f"{self.metric} {self.operator} {self.bound:g}"


def _expectations(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return [_expectation(metric, text) for metric, text in value.items()]


def _expectation(metric: str, text: object) -> dict[str, object]:
    found = _EXPECTATION.match(str(text))
    if not found:
        raise ValueError(f"{metric} = {text!r} is no bound such as '>= 0.99'")
    return {"metric": metric, "operator": found[1], "bound": float(found[2])}


class Scenario(Record):
    """One experiment of the laboratory."""

    name: str
    title: str
    seed: int = 1
    load: LoadSettings
    provider: tuple[ScenarioProvider, ...] = Field(min_length=1)
    resilience: dict[str, Any] = Field(default={})
    """Settings that all variants share here, for instance `rate_per_s`."""
    fault: tuple[FaultSettings, ...] = ()
    expect: Annotated[tuple[Expectation, ...], BeforeValidator(_expectations)] = ()
    """What must hold under the default settings."""

    @model_validator(mode="after")
    def _resilience_fits(self) -> Self:
        ResilienceSettings.model_validate(self.resilience)
        return self


def load_scenario(path: Path) -> Scenario:
    """Read a scenario's file; its name is the file's.

    Raises:
        ConfigError: If it is missing, no TOML, or no scenario; the message names file and key.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigError(f"{path}: cannot be read: {exc}") from exc
    return _parse(text, path.stem, str(path))


def bundled_scenarios() -> dict[str, Scenario]:
    """Return the scenarios that come with the project, by name."""
    folder = files("research_eval.failover") / "scenarios"
    found = sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith(".toml")),
        key=lambda entry: entry.name,
    )
    return {
        name: _parse(entry.read_text(encoding="utf-8"), name, entry.name)
        for entry in found
        if (name := entry.name.removesuffix(".toml"))
    }


def _parse(text: str, name: str, where: str) -> Scenario:
    try:
        return Scenario.model_validate({"name": name, **tomllib.loads(text)})
    except ValidationError as exc:
        first = exc.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{where}: {key or 'scenario'}: {first['msg']}") from exc
    except RecursionError as exc:
        raise ConfigError(f"{where}: not TOML: nested too deeply") from exc
    except ValueError as exc:  # a number of too many digits is no `TOMLDecodeError`
        raise ConfigError(f"{where}: not TOML: {exc}") from exc
