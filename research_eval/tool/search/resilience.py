"""How a search provider is protected: the settings, and the presets that go by a name."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, GetJsonSchemaHandler, field_validator, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from typing_extensions import override

from research_eval.clock import Clock
from research_eval.schema import Record
from research_eval.tool.search.breaker import BreakerPolicy
from research_eval.tool.search.limiter import TokenBucket

__all__ = ["PRESETS", "ResilienceSettings"]

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "0.1": {
        "burst": 1,
        "adapt_rate": False,
        "failure_rate": None,
        "slow_call_s": None,
        "cooldown_s": 60,
        "cooldown_factor": 1,
        "empty_threshold": None,
        "max_waiting": None,
        "request_retries": 1,
        "fallback_first": False,
    },
    "original": {
        "evict_expired": False,
        "coalesce": False,
        "failure_threshold": 5,
        "failure_rate": None,
        "slow_call_s": None,
        "cooldown_s": 60,
        "cooldown_factor": 1,
        "probes": None,
        "empty_is_failure": True,
        "empty_threshold": None,
        "quota_cooldown_s": None,
        "burst": 1,
        "adapt_rate": False,
        "may_overdraw": True,
        "max_waiting": None,
        "max_wait_s": None,
        "request_retries": 1,
        "fallback_first": False,
        "backoff_jitter": 0,
        "honour_retry_after": False,
        "retry_hopeless": True,
    },
}
"""Settings by name: what each sets otherwise than the defaults."""


class ResilienceSettings(Record):
    """How a provider is protected, and others from it.

    A file may give the name of a preset instead, or beside settings of its own as `preset = "NAME"`.
    Where a setting can be `None`, a file says `"none"`, since TOML has no word for it.
    """

    cache_ttl_s: float = Field(default=300, ge=0)
    """How long an answer stays fresh, in seconds."""
    cache_size: int = Field(default=100, ge=0)
    """Answers that are kept; 0 keeps none."""
    evict_expired: bool = True
    """Whether stale answers make room before fresh ones."""
    coalesce: bool = True
    """Whether identical searches at the same time share one request."""
    failure_threshold: int | None = Field(default=5, ge=1)
    """Failures in a row that open the circuit breaker; `None`: no such rule."""
    failure_rate: float | None = Field(default=0.5, gt=0, le=1)
    """Share of failed or slow requests that opens it, where a next provider exists; `None`: no rule."""
    window_calls: int = Field(default=20, ge=1)
    """The last so many requests, of which that share is taken."""
    window_s: float = Field(default=60, gt=0)
    """How old a request of these may be, in seconds."""
    min_calls: int = Field(default=8, ge=1)
    """Requests that there must be before the share counts."""
    slow_call_s: float | None = Field(default=3, gt=0)
    """A request that takes longer counts as failed, where a next provider exists; `None`: none does.

    If a next provider is ready, the answer is not waited for any longer; should nobody else have one,
    the provider is asked again, with all its time.
    """
    cooldown_s: float = Field(default=5, ge=0)
    """How long the breaker stays open the first time, in seconds."""
    cooldown_factor: float = Field(default=2, ge=1)
    """What that is multiplied by each time the provider fails again within `window_s`."""
    cooldown_max_s: float = Field(default=60, ge=0)
    """The longest time that the breaker stays open, in seconds; never less than `cooldown_s`."""
    probes: int | None = Field(default=1, ge=1)
    """Searches let through at once while half-open; `None` lets all through."""
    empty_is_failure: bool = False
    """Whether the breaker counts an empty answer as a failure."""
    empty_threshold: int | None = Field(default=2, ge=1)
    """Empty answers in a row after which the other providers are asked first; `None`: never."""
    empty_rest_s: float = Field(default=60, ge=0)
    """For how long they are, in seconds; nobody is passed over for it."""
    quota_cooldown_s: float | None = Field(default=600, ge=0)
    """How long to leave a provider alone whose key or quota was refused; `None`: no rule."""
    rate_per_s: float | None = Field(default=1, gt=0)
    """Requests a second; `None` is no limit."""
    burst: int | None = Field(default=None, ge=1)
    """Requests that may follow each other at once after a pause; `None`: as many as in a second."""
    adapt_rate: bool = True
    """Whether a 429 without a `Retry-After` slows requests down until none came for `window_s`."""
    may_overdraw: bool = False
    """Whether callers who wait together take the same token together."""
    max_waiting: int | None = Field(default=1, ge=1)
    """Searches that wait for the rate limit until others go where the queue is shorter; `None`: any."""
    max_wait_s: float | None = Field(default=10, ge=0)
    """The longest wait for the rate limit or a Retry-After; what is longer fails at once."""
    request_retries: int = Field(default=2, ge=0)
    """Times that a failed request is sent again."""
    fallback_first: bool = True
    """Whether the other providers are asked before a failed request is sent again.

    So are their caches, before any request.
    """
    backoff_s: float = Field(default=0.5, ge=0)
    """The wait before the first request retry; it doubles each time."""
    backoff_jitter: float = Field(default=0.5, ge=0, le=1)
    """The share of each back-off that is left to (seeded) chance."""
    honour_retry_after: bool = True
    """Whether a provider is left alone, by all searches, for as long as it asks."""
    retry_hopeless: bool = False
    """Whether requests are sent again that cannot succeed: bad key, spent quota, bad query."""

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, value: object) -> object:
        given = {"preset": value} if isinstance(value, str) else value
        if not isinstance(given, Mapping) or "preset" not in given:
            return given
        name = given["preset"]
        if not isinstance(name, str) or name not in PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(PRESETS)}")
        own = {key: one for key, one in given.items() if key != "preset"}
        return {**PRESETS[name], **own}

    @classmethod
    @override
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> JsonSchemaValue:
        schema = handler(core_schema)
        if handler.mode == "serialization":
            return schema
        table = handler.resolve_ref_schema(schema)
        preset = {"enum": list(PRESETS), "description": "settings by name"}
        for one in table["properties"].values():
            if {"type": "null"} in one.get("anyOf", []):
                one["anyOf"].append({"const": "none"})
        table["properties"]["preset"] = preset
        return {"anyOf": [schema, preset]}

    @field_validator("*", mode="before")
    @classmethod
    def _none_is_a_word(cls, value: object) -> object:
        return None if value == "none" else value

    def bucket(self, clock: Clock) -> TokenBucket:
        """Return a rate limit of these settings."""
        return TokenBucket(
            clock,
            rate_per_s=self.rate_per_s,
            burst=self.burst or max(1, int(self.rate_per_s or 1)),
            may_overdraw=self.may_overdraw,
            recovery_s=self.window_s,
        )

    def breaker_policy(self, *, has_fallback: bool) -> BreakerPolicy:
        """Return when a breaker opens; by rate and by slow calls only where a fallback exists.

        Without one, failures in a row are searches: each with all its request retries.
        """
        in_a_row = self.failure_threshold
        if in_a_row is not None and self.fallback_first and not has_fallback:
            in_a_row *= 1 + self.request_retries
        return BreakerPolicy(
            failure_threshold=in_a_row,
            failure_rate=self.failure_rate if has_fallback else None,
            window_calls=self.window_calls,
            window_s=self.window_s,
            min_calls=self.min_calls,
            slow_call_s=self.slow_call_s if has_fallback else None,
            cooldown_s=self.cooldown_s,
            cooldown_factor=self.cooldown_factor,
            cooldown_max_s=self.cooldown_max_s,
            probes=self.probes,
        )

    @classmethod
    def original(cls) -> "ResilienceSettings":
        """Return the plainest form: one request retry in place, five failures in a row, a minute."""
        return cls.model_validate("original")
