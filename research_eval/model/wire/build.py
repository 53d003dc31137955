"""Settings in, a model of a provider out."""

import random
from collections.abc import Mapping
from typing import Any, cast

import httpx2
from pydantic_ai.settings import ModelSettings as WireSettings

from research_eval.clock import Clock
from research_eval.errors import ConfigError, MissingSecretError
from research_eval.model.limits import Limiter
from research_eval.model.provider_policy import ProviderPolicy
from research_eval.model.settings import ModelSettings, ReasoningBudget
from research_eval.model.wire.client import WireModel, http_client
from research_eval.model.wire.provider import Connection, Provider, find_provider
from research_eval.model.wire.repairing import RepairingTransport
from research_eval.waiting import Waits

__all__ = ["build_wire_model", "key_name"]

NO_KEY = "no-key"
"""Sent where an SDK wants a key and the server needs none."""


def build_wire_model(
    settings: ModelSettings,
    *,
    transport: httpx2.AsyncBaseTransport | None,
    secrets: Mapping[str, str],
    clock: Clock,
    rng: random.Random,
    seed: int | None,
    limiter: Limiter | None = None,
    waits: Waits | None = None,
    provider_policy: ProviderPolicy | None = None,
) -> WireModel:
    """Return a client for the provider that the settings name.

    Raises:
        ConfigError: If there is no such provider, or its SDK is not installed.
        MissingSecretError: If its key is not among `secrets`.
    """
    kind, _, name = settings.name.partition(":")
    provider = find_provider(kind)
    key = _key(settings, secrets)
    waits = waits or Waits(clock)
    repairing = RepairingTransport(
        transport or httpx2.AsyncHTTPTransport(), waits, settings.timeout_s
    )
    http = http_client(repairing, timeout_s=settings.timeout_s, headers=settings.headers)
    to = Connection(
        name, settings.base_url or provider.base_url, key or NO_KEY, http, settings.max_tokens_field
    )
    try:
        model = provider.build(to)
    except ImportError as exc:
        extra = provider.extra or kind
        raise ConfigError(
            f"model {settings.name!r} needs: pip install 'research-eval[{extra}]'"
        ) from exc
    return WireModel(
        settings.name,
        model,
        settings=_wire_settings(settings, provider, seed),
        policy=settings,
        clock=clock,
        rng=rng,
        secrets=(key,) if key else (),
        limiter=limiter,
        http=http,
        waits=waits,
        provider_policy=provider_policy,
        take_notes=repairing.take_notes,
    )


def key_name(settings: ModelSettings) -> str | None:
    """Return the name of the key that a model is asked with, or `None` if it is asked without one.

    A key of a provider is never sent to another server by default.

    Raises:
        ConfigError: If there is no such provider.
    """
    provider = find_provider(settings.name.partition(":")[0])
    if settings.api_key_env is None and settings.base_url in {None, provider.base_url}:
        return provider.key_name
    return settings.api_key_env


def _key(settings: ModelSettings, secrets: Mapping[str, str]) -> str | None:
    """Return the key to send."""
    name = key_name(settings)
    if name is None:
        return None
    key = secrets.get(name)
    if not key:
        raise MissingSecretError(f"model {settings.name!r} needs the environment variable {name}")
    return key


def _wire_settings(settings: ModelSettings, provider: Provider, seed: int | None) -> WireSettings:
    """Return what every request says."""
    chosen = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "max_tokens": settings.max_tokens,
        "seed": seed if provider.takes_seed else None,
        "timeout": settings.timeout_s if provider.takes_timeout else None,
    }
    given: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    given |= _reasoning(settings, provider)
    if settings.extra_body:
        given["extra_body"] = settings.extra_body
    return cast("WireSettings", given)


def _reasoning(settings: ModelSettings, provider: Provider) -> dict[str, Any]:
    """Return how this provider is told how much to reason; nothing where it cannot be told."""
    match settings.reasoning:
        case None:
            return {}
        case ReasoningBudget(budget=budget):
            if provider.name == "bedrock" and "anthropic." in settings.name:
                thinking = {"type": "enabled", "budget_tokens": budget}
                return {"bedrock_additional_model_requests_fields": {"thinking": thinking}}
            return provider.reasoning_budget(budget) if provider.reasoning_budget else {}
        case effort:
            is_foreign = settings.base_url not in {None, provider.base_url}
            if provider.name == "ollama" or (provider.name == "openai" and is_foreign):
                return {"openai_reasoning_effort": effort}  # the library knows no model there
            if provider.name == "openrouter":
                return {"openrouter_reasoning": {"effort": effort}}
            return {"thinking": effort}
