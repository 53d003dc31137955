"""Which settings of a model really leave in its requests; one that would be dropped is refused.

The library under the providers drops what a model does not take, some of it without a word.
So a request is built, caught before it leaves, and built again with another value of each setting:
a setting on which the request does not depend is not sent.
"""

import json
import random
import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import httpx2
from anyio.from_thread import start_blocking_portal
from typing_extensions import override

from research_eval.clock import VirtualClock
from research_eval.errors import ConfigError, ModelError
from research_eval.model.settings import ModelSettings, ReasoningBudget
from research_eval.model.wire.build import build_wire_model
from research_eval.schema import Message, ToolSpec
from research_eval.secret import PlaceholderSecrets

__all__ = ["Request", "request_of", "require_sent", "sent_settings"]

_ASKED = (Message(role="user", text="?"),)
_TOOLS = (ToolSpec(name="fetch", description="Open a page.", parameters={"type": "object"}),)

COUNTS_WITHIN = frozenset({"anthropic", "bedrock"})
"""Providers whose budget of reasoning is a part of `max_tokens`."""
LEAST_BUDGET = 1024
"""The least that they take: Anthropic, Extended thinking, `budget_tokens`."""

SAMPLES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("temperature", {"temperature": 0.4}),
    ("top_p", {"top_p": 0.4}),
    ("max_tokens", {"max_tokens": 8191}),
    ("seed", {"seed": 11}),
    ("stream", {"stream": True}),
    ('reasoning = "low"', {"reasoning": "low"}),
    ('reasoning = "medium"', {"reasoning": "medium"}),
    ('reasoning = "high"', {"reasoning": "high"}),
    ("reasoning = { budget = N }", {"reasoning": ReasoningBudget(budget=2048)}),
    ("headers", {"headers": {"x-sample": "1"}}),
    ("extra_body", {"extra_body": {"sample": 1}}),
)
"""A legal value of each setting that a provider may take."""


class Request(NamedTuple):
    """A request as it would have left."""

    url: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401  # any JSON value
        """The body, decoded."""
        return json.loads(self.body)


class _Caught(httpx2.AsyncBaseTransport):
    """Keeps a request, and sends nothing."""

    def __init__(self) -> None:
        self.request: Request | None = None

    @override
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.request = Request(str(request.url), dict(request.headers), await request.aread())
        raise httpx2.ConnectError("nothing is sent", request=request)


def require_sent(settings: ModelSettings) -> None:
    """Refuse a setting that would not stand in the requests.

    Raises:
        ConfigError: With the field, the provider and what it takes.
    """
    if problem := _problem(settings.model_dump_json()):
        raise ConfigError(problem)


@lru_cache(maxsize=256)
def _problem(settings_json: str) -> str | None:
    settings = ModelSettings.model_validate_json(settings_json)
    provider, _, model = settings.name.partition(":")
    budget = settings.reasoning.budget if isinstance(settings.reasoning, ReasoningBudget) else None
    most = (settings.max_tokens or 2 * (budget or 0)) - 1
    if budget is not None and provider in COUNTS_WITHIN and not LEAST_BUDGET <= budget <= most:
        return f"model.reasoning.budget: {provider} takes {LEAST_BUDGET} to {most} (max_tokens - 1)"
    field = next(_dropped(settings), None)
    if field is None:
        return None
    takes = ", ".join(sent_settings(settings)) or "none of them"
    return f"model.{field}: {provider} does not send it for {model}; it takes: {takes}"


def sent_settings(settings: ModelSettings) -> tuple[str, ...]:
    """Return the settings that the provider of a model takes, each by itself."""
    base = ModelSettings(
        name=settings.name,
        base_url=settings.base_url,
        api_key_env=settings.api_key_env,
        max_tokens_field=settings.max_tokens_field,
    )
    return tuple(
        name
        for name, value in SAMPLES
        if next(_dropped(base.model_copy(update=dict(value))), None) is None
    )


def _dropped(settings: ModelSettings) -> Iterator[str]:
    """Yield the fields on which the request does not depend."""
    try:
        sent = request_of(settings)
    except ModelError:  # a pair that the library refuses itself
        yield "reasoning" if settings.reasoning else "extra_body"
        return
    for name, value in settings.headers.items():
        if sent.headers.get(name.lower()) != value:
            yield f"headers.{name}"
    for field, others in _others(settings):
        for other in others:
            changed = request_of(settings.model_copy(update=other))
            if (changed.url, changed.body) == (sent.url, sent.body):
                yield field
                break


def _others(settings: ModelSettings) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield each field that is set, with the changes that a request must show."""
    for field in ("temperature", "top_p"):
        value = getattr(settings, field)
        if value is not None:
            yield field, [{field: 0.3 if value != 0.3 else 0.2}]
    for field in ("max_tokens", "seed"):
        value = getattr(settings, field)
        if value is not None:
            yield field, [{field: 7 if value == "trial" else value + 1}]
    if settings.stream:
        yield "stream", [{"stream": False}]
    if settings.max_tokens_field == "max_tokens" and settings.max_tokens is not None:
        yield "max_tokens_field", [{"max_tokens_field": "max_completion_tokens"}]
    if others := _other_reasoning(settings):
        yield "reasoning", others
    for name in settings.extra_body:
        left = {key: value for key, value in settings.extra_body.items() if key != name}
        yield f"extra_body.{name}", [{"extra_body": left}]


def _other_reasoning(settings: ModelSettings) -> list[dict[str, Any]]:
    match settings.reasoning:
        case None:
            return []
        case ReasoningBudget(budget=budget):
            return [{"reasoning": ReasoningBudget(budget=budget + 1)}]
        case "high":
            return [{"reasoning": None}]
        case _:
            return [{"reasoning": None}, {"reasoning": "high"}]


def request_of(settings: ModelSettings) -> Request:
    """Return the first request that a trial with these settings would send; nothing is sent.

    Raises:
        ModelError: If the library refuses to make it.
    """
    caught = _Caught()
    model = build_wire_model(
        settings.model_copy(update={"request_retries": 0}),
        transport=caught,
        secrets=PlaceholderSecrets(),
        clock=VirtualClock(),
        rng=random.Random(0),
        seed=settings.sampling_seed("case"),
    )
    with warnings.catch_warnings(), start_blocking_portal() as portal:
        warnings.simplefilter("ignore")  # the library's words on what it drops: said better above
        try:
            portal.call(model.reply, _ASKED, _TOOLS)
        except ModelError:
            if caught.request is None:
                raise
        finally:
            portal.call(model.aclose)
    if caught.request is None:
        raise ModelError(f"{settings.name}: no request was made", kind="other")
    return caught.request
