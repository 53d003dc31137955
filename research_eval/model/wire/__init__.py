"""Wire: our messages in, a provider's reply out; imported only when a provider is asked for."""

from research_eval.model.wire.client import WireModel
from research_eval.model.wire.provider import PROVIDERS, Provider, find_provider

__all__ = ["PROVIDERS", "Provider", "WireModel", "find_provider"]
