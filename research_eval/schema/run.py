"""What a run says of itself: settings as resolved, versions, digests."""

from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from research_eval.schema.price import Price
from research_eval.schema.record import Record

__all__ = ["ConfigurationSummary", "RunRecord"]


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

    @model_serializer(mode="wrap")
    def _without_what_is_unknown(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        for name in ("price", "note"):
            if not data[name]:
                del data[name]
        return data


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
    code_version: str
    packages: dict[str, str]
    """Versions that can change a result."""
    model_mode: Literal["replay", "record", "live"]
    web_mode: Literal["replay", "record", "live"]
    seed: int
    trials: int
    """Repetitions of each case under each configuration."""
    settings: dict[str, Any] = Field(default={})
    """What else the experiment says, as resolved; empty in runs of earlier versions."""
    case_ids: tuple[str, ...]
    configurations: tuple[ConfigurationSummary, ...]

    @property
    def planned(self) -> int:
        """How many trials the run is meant to hold."""
        return len(self.case_ids) * len(self.configurations) * self.trials
