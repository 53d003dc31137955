"""The providers: where each one stands, which key it takes, which library class speaks to it.

An SDK is imported when its provider is asked for, and no other with it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import httpx2
from pydantic_ai.models import Model

from research_eval.errors import ConfigError
from research_eval.hint import did_you_mean

__all__ = ["PROVIDERS", "Connection", "Provider", "find_provider"]


class Connection(NamedTuple):
    """What a provider's model is built on."""

    model: str
    base_url: str
    key: str
    http: httpx2.AsyncClient
    max_tokens_field: str = "max_completion_tokens"


class Provider(NamedTuple):
    """One provider of models."""

    name: str
    base_url: str
    """Where its API stands, unless the settings say otherwise."""
    key_name: str | None
    """The environment variable that holds its key; `None` where none is needed."""
    build: Callable[[Connection], Model]
    extra: str | None = None
    """The extra of this project that installs its SDK; `None` is always there."""
    reasoning_budget: Callable[[int], dict[str, Any]] | None = None
    """What tells it how many tokens to reason with; `None` where it counts none."""
    takes_seed: bool = True
    takes_timeout: bool = True
    """Whether its SDK takes a time-out of its own, beside the one over the whole request."""


def find_provider(name: str) -> Provider:
    """Return the provider called `name`.

    Raises:
        ConfigError: If there is none.
    """
    if name not in PROVIDERS:
        known = ["reference", *PROVIDERS]
        hint = did_you_mean(name, known)
        raise ConfigError(f"unknown model provider {name!r}{hint}; known: {', '.join(known)}")
    return PROVIDERS[name]


def _openai_client(to: Connection) -> Any:  # noqa: ANN401  # the SDK's class, imported late
    from openai import AsyncOpenAI  # noqa: PLC0415

    return AsyncOpenAI(api_key=to.key, base_url=to.base_url, http_client=to.http, max_retries=0)


def _openai(to: Connection) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider  # noqa: PLC0415

    client = _openai_client(to)
    if to.base_url == PROVIDERS["openai"].base_url:
        return OpenAIChatModel(to.model, provider=OpenAIProvider(openai_client=client))
    takes_new_field = to.max_tokens_field == "max_completion_tokens"
    provider = OpenAICompatibleProvider(
        "openai-compatible",
        openai_client=client,
        profile=OpenAIModelProfile(openai_chat_supports_max_completion_tokens=takes_new_field),
    )
    return OpenAIChatModel(to.model, provider=provider)


def _openai_responses(to: Connection) -> Model:
    from pydantic_ai.models.openai import OpenAIResponsesModel  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    provider = OpenAIProvider(openai_client=_openai_client(to))
    return OpenAIResponsesModel(to.model, provider=provider)


def _openrouter(to: Connection) -> Model:
    from pydantic_ai.models.openrouter import OpenRouterModel  # noqa: PLC0415
    from pydantic_ai.providers.openrouter import OpenRouterProvider  # noqa: PLC0415

    return OpenRouterModel(to.model, provider=OpenRouterProvider(openai_client=_openai_client(to)))


def _ollama(to: Connection) -> Model:
    from pydantic_ai.models.ollama import OllamaModel  # noqa: PLC0415
    from pydantic_ai.providers.ollama import OllamaProvider  # noqa: PLC0415

    return OllamaModel(to.model, provider=OllamaProvider(openai_client=_openai_client(to)))


def _anthropic(to: Connection) -> Model:
    from anthropic import AsyncAnthropic  # noqa: PLC0415
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

    client = AsyncAnthropic(
        api_key=to.key, base_url=to.base_url, http_client=to.http, max_retries=0
    )
    return AnthropicModel(to.model, provider=AnthropicProvider(anthropic_client=client))


def _google(to: Connection) -> Model:
    from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415
    from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415

    provider = GoogleProvider(api_key=to.key, base_url=to.base_url, http_client=to.http)
    return GoogleModel(to.model, provider=provider)


def _mistral(to: Connection) -> Model:
    from pydantic_ai.models.mistral import MistralModel  # noqa: PLC0415
    from pydantic_ai.providers.mistral import MistralProvider  # noqa: PLC0415

    provider = MistralProvider(api_key=to.key, base_url=to.base_url, http_client=to.http)
    return MistralModel(to.model, provider=provider)


def _groq(to: Connection) -> Model:
    from groq import AsyncGroq  # noqa: PLC0415
    from pydantic_ai.models.groq import GroqModel  # noqa: PLC0415
    from pydantic_ai.providers.groq import GroqProvider  # noqa: PLC0415

    from research_eval.model.wire.bridge import bridged_client  # noqa: PLC0415

    client = AsyncGroq(
        api_key=to.key, base_url=to.base_url, http_client=bridged_client(to.http), max_retries=0
    )
    return GroqModel(to.model, provider=GroqProvider(groq_client=client))


def _bedrock(to: Connection) -> Model:
    from research_eval.model.wire.bedrock import bedrock_model  # noqa: PLC0415

    return bedrock_model(to.model, base_url=to.base_url, key=to.key, http=to.http)


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", _openai),
        Provider(
            "openai-responses",
            "https://api.openai.com/v1",
            "OPENAI_API_KEY",
            _openai_responses,
            takes_seed=False,
        ),
        Provider(
            "openrouter",
            "https://openrouter.ai/api/v1",
            "OPENROUTER_API_KEY",
            _openrouter,
            reasoning_budget=lambda n: {"openrouter_reasoning": {"max_tokens": n}},
        ),
        Provider("ollama", "http://localhost:11434/v1", None, _ollama),
        Provider(
            "anthropic",
            "https://api.anthropic.com",
            "ANTHROPIC_API_KEY",
            _anthropic,
            extra="anthropic",
            reasoning_budget=lambda n: {
                "anthropic_thinking": {"type": "enabled", "budget_tokens": n}
            },
            takes_seed=False,
        ),
        Provider(
            "google",
            "https://generativelanguage.googleapis.com",
            "GOOGLE_API_KEY",
            _google,
            extra="google",
            reasoning_budget=lambda n: {"google_thinking_config": {"thinking_budget": n}},
        ),
        Provider("mistral", "https://api.mistral.ai", "MISTRAL_API_KEY", _mistral, extra="mistral"),
        Provider("groq", "https://api.groq.com", "GROQ_API_KEY", _groq, extra="groq"),
        Provider(
            "bedrock",
            "https://bedrock-runtime.us-east-1.amazonaws.com",
            "AWS_BEARER_TOKEN_BEDROCK",
            _bedrock,
            extra="bedrock",
            takes_seed=False,
            takes_timeout=False,
        ),
    )
}
"""The providers by name."""
