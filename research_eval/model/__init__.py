"""Model: a conversation in, one reply out."""

from research_eval.model.build import build_model
from research_eval.model.client import ClosableModel, ModelClient
from research_eval.model.limits import (
    Limiter,
    LimiterPool,
    LimiterStatus,
    LimitSettings,
    provider_key,
)
from research_eval.model.price import list_price, reports_cost
from research_eval.model.prompted import PromptedModel
from research_eval.model.provider_policy import ProviderPolicy, is_unknown_model, outage_scopes
from research_eval.model.reference import KnownValues, ReferenceAgent, known_values, reference_agent
from research_eval.model.settings import ModelSettings, ReasoningBudget

__all__ = [
    "ClosableModel",
    "KnownValues",
    "LimitSettings",
    "Limiter",
    "LimiterPool",
    "LimiterStatus",
    "ModelClient",
    "ModelSettings",
    "PromptedModel",
    "ProviderPolicy",
    "ReasoningBudget",
    "ReferenceAgent",
    "build_model",
    "is_unknown_model",
    "known_values",
    "list_price",
    "outage_scopes",
    "provider_key",
    "reference_agent",
    "reports_cost",
]
