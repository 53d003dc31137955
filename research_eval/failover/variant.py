"""Variants: the same chain under other settings, to be measured beside each other."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from research_eval.errors import ConfigError
from research_eval.failover.scenario import Scenario
from research_eval.failover.server import endpoint_of
from research_eval.tool.search import ProviderSettings, ResilienceSettings, SearchSettings

__all__ = ["COMPARED", "OPTIONS", "changed", "options", "variant"]

COMPARED = ("default", "original", "no breaker", "no cache", "no fallback")
"""The variants that every scenario is run under, the settings that hold by default first."""

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "single probe": ("probes",),
    "evict expired": ("evict_expired",),
    "coalesce": ("coalesce",),
    "Retry-After": ("honour_retry_after", "max_wait_s"),
    "no hopeless retry": ("retry_hopeless", "quota_cooldown_s"),
    "no overdraw": ("may_overdraw",),
    "burst": ("burst",),
    "adapted rate": ("adapt_rate",),
    "empty is no outage": ("empty_is_failure", "empty_threshold"),
    "jitter": ("backoff_jitter",),
    "fallback first": ("fallback_first", "request_retries"),
    "failure rate": ("failure_rate", "slow_call_s"),
    "growing cool-down": ("cooldown_s", "cooldown_factor"),
    "short queue": ("max_waiting",),
}
"""The refinements over the original settings, each by the settings that make it."""

_WITHOUT: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "no breaker": {"failure_threshold": None, "failure_rate": None, "quota_cooldown_s": None},
    "no cache": {"cache_size": 0, "coalesce": False},
    "no fallback": {},
}


def variant(scenario: Scenario, name: str) -> SearchSettings:
    """Return the chain of `scenario` under the variant called `name`.

    Raises:
        ConfigError: If there is no such variant.
    """
    if name == "original":
        return _chain(scenario, _original())
    if name.startswith("original + "):
        refined = OPTIONS[name.removeprefix("original + ")]
        return _chain(scenario, {k: v for k, v in _original().items() if k not in refined})
    if name not in _WITHOUT:
        raise ConfigError(f"unknown variant {name!r}; known: {', '.join(COMPARED)}")
    settings = _chain(scenario, dict(_WITHOUT[name]))
    if name == "no fallback":
        return settings.model_copy(update={"chain": settings.chain[:1]})
    return settings


def options() -> list[str]:
    """Return the variants that add one refinement each to the original settings."""
    return ["original", *(f"original + {name}" for name in OPTIONS), "default"]


def changed(scenario: Scenario, assignments: Mapping[str, object]) -> SearchSettings:
    """Return the default chain with some resilience settings changed.

    Raises:
        ConfigError: If there is no such setting, or it does not take that value.
    """
    try:
        return _chain(scenario, dict(assignments))
    except ValidationError as exc:
        first = exc.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"--set {key}: {first['msg']}") from exc


def _original() -> dict[str, Any]:
    """Return what the original settings say otherwise; numbers of a scenario stay as they are."""
    refined = ResilienceSettings().model_dump()
    original = ResilienceSettings.original().model_dump()
    return {name: value for name, value in original.items() if value != refined[name]}


def _chain(scenario: Scenario, resilience: dict[str, Any]) -> SearchSettings:
    return SearchSettings(
        chain=tuple(
            ProviderSettings(
                provider=entry.provider,
                endpoint=endpoint_of(entry.provider),
                timeout_s=entry.timeout_s,
                price_usd=entry.price_usd,
            )
            for entry in scenario.provider
        ),
        resilience=ResilienceSettings.model_validate({**scenario.resilience, **resilience}),
    )
