"""What a user may set about a model."""

import hashlib
from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, field_validator, model_serializer

from research_eval.schema import Record
from research_eval.secret import declare_secrets

__all__ = ["ModelSettings", "ReasoningBudget"]


class ReasoningBudget(Record):
    """How many tokens a model may reason with, for the providers that count them."""

    budget: int = Field(ge=1)
    """Tokens of one reply; Anthropic wants at least 1,024, and fewer than `max_tokens`."""


class ModelSettings(Record):
    """Which model, where it is served, and how it is asked."""

    name: str = "reference:honest"
    """`reference:<agent>`, or `<provider>:<model>`, for instance `openai:gpt-5-mini`."""
    base_url: str | None = None
    """Where the provider's API stands, if not where it usually does; for `openai` including `/v1`."""
    api_key_env: str | None = None
    """The environment variable with the key; `None` is the provider's usual one, and none at all
    when `base_url` points elsewhere."""
    temperature: float | None = Field(default=None, ge=0)
    """Sampling temperature; `None` is the provider's default."""
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=8192, ge=1)
    """Tokens of one reply at most; above 21,333 Anthropic's replies are streamed."""
    reasoning: Literal["low", "medium", "high"] | ReasoningBudget | None = None
    """How much the model reasons; `None` is its default. Refused where the provider does not take it."""
    max_tokens_field: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    """The name under which a server at `base_url` takes `max_tokens`; some know the older one alone."""
    seed: int | Literal["trial"] | None = None
    """Sampling seed, where the provider takes one; `trial` gives each trial one of its own."""
    tool_protocol: Literal["native", "prompted"] = "native"
    """`prompted` describes the tools in the conversation, for servers whose models ignore `tools`."""
    tool_result_chars: int | None = Field(default=None, ge=100)
    """Characters of each tool result that a `prompted` model is shown; `None` is all."""
    stream: bool = False
    """Whether replies are streamed; some servers answer long requests in no other way."""
    timeout_s: float = Field(default=120.0, gt=0)
    """Seconds for one request, from sending it to the end of the reply."""
    request_retries: int = Field(default=4, ge=0)
    """Times that a request is sent again after an error that may pass."""
    max_wait_s: float = Field(default=120.0, gt=0)
    """Longest wait before a request retry; a server that asks for more ends the trial."""
    headers: dict[str, str] = Field(default={})
    """Further HTTP headers; no place for secrets, which cassettes and manifests would show."""
    extra_body: dict[str, Any] = Field(default={})
    """Further fields of the request's JSON, as the provider documents them."""

    @field_validator("api_key_env")
    @classmethod
    def _holds_a_key(cls, name: str | None) -> str | None:
        declare_secrets([name] if name else [])
        return name

    @model_serializer(mode="wrap")
    def _without_what_is_unset(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        if data.get("reasoning", True) is None:  # manifests of earlier versions do not name it
            del data["reasoning"]
        return data

    @property
    def is_reference_agent(self) -> bool:
        """Whether a script stands in for a model."""
        return self.name.startswith("reference:")

    def sampling_seed(self, case_seed: str) -> int | None:
        """Return the seed to sample with in the trial that `case_seed` tells apart."""
        if self.seed != "trial":
            return self.seed
        return int.from_bytes(hashlib.sha256(case_seed.encode()).digest()[:4]) >> 1
