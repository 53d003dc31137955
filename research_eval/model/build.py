"""Settings of a model in, a client for one trial out; provider libraries load only when asked for."""

import random
from collections.abc import Mapping
from typing import Literal

import httpx2
from pydantic import Field

from research_eval.clock import Clock
from research_eval.errors import ConfigError
from research_eval.model.client import ModelClient
from research_eval.model.reference import reference_agent
from research_eval.schema import Record

__all__ = ["ModelSettings", "build_model"]


class ModelSettings(Record):
    """Which model, where it is served, and how it is asked."""

    name: str = "reference:honest"
    """`reference:<agent>`, or `<provider>:<model>`, for instance `openai:gpt-5-mini`."""
    base_url: str | None = None
    """Where the provider's API stands; for `openai` including `/v1`."""
    temperature: float | None = Field(default=None, ge=0)
    """Sampling temperature; `None` is the provider's default."""
    max_tokens: int | None = Field(default=8192, ge=1)
    """Tokens of one reply at most."""
    seed: int | None = None
    """Sampling seed, where the provider takes one."""
    tool_protocol: Literal["native", "prompted"] = "native"
    """`prompted` describes the tools in the system prompt, for servers whose models ignore `tools`."""
    timeout_s: float = Field(default=120.0, gt=0)
    """Seconds for one HTTP request."""
    request_retries: int = Field(default=4, ge=0)
    """Times that a request is sent again after an error that may pass."""

    @property
    def is_reference_agent(self) -> bool:
        """Whether a script stands in for a model."""
        return self.name.startswith("reference:")


def build_model(
    settings: ModelSettings,
    *,
    transport: httpx2.AsyncBaseTransport | None,
    secrets: Mapping[str, str],
    clock: Clock,
    rng: random.Random,
    case_seed: str,
) -> ModelClient:
    """Return a client for one trial.

    Args:
        settings: Which model and how.
        transport: What carries its HTTP: a cassette's, or `None` for the network.
        secrets: API keys by the name of their environment variable.
        clock: What back-off waits on.
        rng: Where the jitter of back-off comes from.
        case_seed: Differs from trial to trial and is the same in every replay.

    Raises:
        ConfigError: If the name is no provider's or no reference agent's.
        MissingSecretError: If the provider's key is not among `secrets`.
    """
    kind, colon, name = settings.name.partition(":")
    if kind == "reference" and colon:
        return reference_agent(name, case_seed=case_seed)
    raise ConfigError(
        f"unknown model {settings.name!r}; give reference:<agent> or <provider>:<model>"
    )
