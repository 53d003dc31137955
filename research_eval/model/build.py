"""Settings of a model in, a client for one trial out; provider libraries load only when asked for."""

import random
from collections.abc import Mapping

import httpx2

from research_eval.clock import Clock
from research_eval.errors import ConfigError
from research_eval.model.client import ModelClient
from research_eval.model.limits import Limiter
from research_eval.model.prompted import PromptedModel
from research_eval.model.provider_policy import ProviderPolicy
from research_eval.model.reference import reference_agent
from research_eval.model.settings import ModelSettings
from research_eval.waiting import Waits

__all__ = ["build_model"]


def build_model(
    settings: ModelSettings,
    *,
    transport: httpx2.AsyncBaseTransport | None,
    secrets: Mapping[str, str],
    clock: Clock,
    rng: random.Random,
    case_seed: str,
    limiter: Limiter | None = None,
    waits: Waits | None = None,
    provider_policy: ProviderPolicy | None = None,
) -> ModelClient:
    """Return a client for one trial.

    Args:
        settings: Which model and how.
        transport: What carries its HTTP: a cassette's, or `None` for the network.
        secrets: API keys by the name of their environment variable.
        clock: What back-off waits on.
        rng: Where the jitter of back-off comes from.
        case_seed: Differs from trial to trial and is the same in every replay.
        limiter: What the trials of a run share towards this provider; `None` in replay.
        waits: Is told when the trial is held back.
        provider_policy: How long the provider may make us wait, and whether it refuses to serve.

    Raises:
        ConfigError: If the name is no provider's or no reference agent's.
        MissingSecretError: If the provider's key is not among `secrets`.
    """
    kind, colon, name = settings.name.partition(":")
    if not colon or not name:
        raise ConfigError(
            f"unknown model {settings.name!r}; give reference:<agent> or <provider>:<model>"
        )
    if kind == "reference":
        return reference_agent(name, case_seed=case_seed)
    from research_eval.model.wire.build import build_wire_model  # noqa: PLC0415  # heavy

    model = build_wire_model(
        settings,
        transport=transport,
        secrets=secrets,
        clock=clock,
        rng=rng,
        seed=settings.sampling_seed(case_seed),
        limiter=limiter,
        waits=waits,
        provider_policy=provider_policy,
    )
    if settings.tool_protocol == "prompted":
        return PromptedModel(model, result_chars=settings.tool_result_chars)
    return model
