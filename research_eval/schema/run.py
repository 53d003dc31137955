"""What a run says of itself: settings as resolved, versions, digests."""

import hashlib
from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from research_eval.schema.execution import PluginCode
from research_eval.schema.price import Price
from research_eval.schema.record import Record
from research_eval.schema.requirement import Requirement
from research_eval.schema.verdict import ViolationKind

__all__ = ["ConfigurationSummary", "Recordings", "RunRecord"]


class ConfigurationSummary(Record):
    """One configuration as a report shows it."""

    name: str
    model: str
    is_reference_agent: bool
    """Whether a script stands in for a model: its numbers calibrate, they rank nothing."""
    gate: str
    max_retries: int
    max_turns: int
    search: str
    """The chain of providers in words, for instance `serper > brave`."""
    tools: tuple[str, ...]
    settings: dict[str, Any]
    """Everything, as resolved."""
    price: Price | None = None
    """What a call costs where the provider does not say it; absent where no price is known."""
    note: str = ""
    """What it is, for the readers of a report; absent where nobody said it."""
    agent_code: str = ""
    """SHA-256 of the code of an agent of the user's own, or `unidentified`; else absent."""
    violation_kinds: tuple[ViolationKind, ...] = ()
    """What a gate of the user's own declares beside the kinds that are built in; else absent."""

    @model_serializer(mode="wrap")
    def _without_what_is_unknown(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        for name in ("price", "note", "agent_code", "violation_kinds"):
            if not data[name]:
                del data[name]
        return data


class Recordings(Record):
    """The digests of what a run replays, part by part."""

    web: str = ""
    """SHA-256 of the web's recordings; empty where they are not replayed."""
    models: dict[str, str] = Field(default={})
    """The same of each configuration's model."""

    def digest(self, configurations: Iterable[str]) -> str | None:
        """Return one SHA-256 for the web and some configurations; `None` if one is not here."""
        hasher = hashlib.sha256(self.web.encode())
        for name in sorted(configurations):
            if name not in self.models:
                return None
            hasher.update(f"{name} {self.models[name]}\n".encode())
        return hasher.hexdigest()


class RunRecord(Record):
    """The manifest of a run."""

    schema_version: Literal[1] = 1
    experiment: str
    """The experiment's name."""
    experiment_sha256: str
    """Digest of the resolved experiment."""
    dataset: str
    dataset_sha256: str
    dataset_is_synthetic: bool
    """Whether the questions and the web were made for the purpose."""
    cassettes_sha256: str | None
    recordings: Recordings | None = None
    """Of a replay that left configurations of its experiment out: the digests of all of them, by
    which it is known to replay what a run of more configurations does; otherwise absent."""
    code_version: str
    packages: dict[str, str]
    """Versions that can change a result."""
    plugins: dict[str, PluginCode] = Field(default={})
    """The code of a user's own gates, search providers and extractors, by kind and name; absent where
    there is none."""
    model_mode: Literal["replay", "record", "live", "imported"]
    web_mode: Literal["replay", "record", "live", "imported"]
    seed: int
    trials: int
    """Repetitions of each case under each configuration."""
    settings: dict[str, Any] = Field(default={})
    """What else the experiment says, as resolved; empty in runs of earlier versions."""
    case_ids: tuple[str, ...]
    configurations: tuple[ConfigurationSummary, ...]
    requirements: tuple[Requirement, ...] = ()
    """The thresholds of the experiment, which decide exit statuses; absent where it has none."""

    @property
    def planned(self) -> int:
        """How many trials the run is meant to hold."""
        return len(self.case_ids) * len(self.configurations) * self.trials

    @model_serializer(mode="wrap")
    def _without_what_is_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        for name in ("recordings", "requirements", "plugins"):
            if not data.get(name):
                data.pop(name, None)
        return data
