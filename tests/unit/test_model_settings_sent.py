"""Every setting of a model that is accepted stands in the request; every other one is refused."""

import json

import pytest

from research_eval.errors import ConfigError
from research_eval.model import ModelSettings, ReasoningBudget
from research_eval.model.wire.provider import PROVIDERS
from research_eval.model.wire.sent import SAMPLES, request_of, require_sent, sent_settings
from tests.unit.wire_lab import NAMES

BUDGET = ReasoningBudget(budget=2048)

NAMES_ON_WIRE = {
    "temperature": ("temperature",),
    "top_p": ("top_p", "topP"),
    "max_tokens": ("max_completion_tokens", "max_tokens", "max_output_tokens", "maxOutputTokens", "maxTokens"),
    "seed": ("seed", "random_seed"),
    "headers": (),
    "extra_body": ("sample",),
    "stream": (),
}  # fmt: skip
"""What each provider calls a setting in its JSON."""

EVERYWHERE = {"max_tokens", "stream", "headers"}
EFFORTS = {'reasoning = "low"', 'reasoning = "medium"', 'reasoning = "high"'}
COUNTED = "reasoning = { budget = N }"
SAMPLING = {"temperature", "top_p"}

TAKES = {
    "openai:gpt-4o": EVERYWHERE | SAMPLING | {"seed", "extra_body"},
    "openai:gpt-5-mini": EVERYWHERE | EFFORTS | {"seed", "extra_body"},
    "openai-responses:gpt-5-mini": EVERYWHERE | EFFORTS | {"extra_body"},
    "openrouter:maker/model": EVERYWHERE | SAMPLING | EFFORTS | {COUNTED, "seed", "extra_body"},
    "ollama:qwen3": EVERYWHERE | SAMPLING | EFFORTS | {"seed", "extra_body"},
    "anthropic:claude-sonnet-4-5": EVERYWHERE | SAMPLING | EFFORTS | {COUNTED, "extra_body"},
    "google:gemini-2.5-flash": EVERYWHERE | SAMPLING | EFFORTS | {COUNTED, "seed"},
    "mistral:mistral-small-latest": EVERYWHERE | SAMPLING | {'reasoning = "high"', "seed"},
    "groq:openai/gpt-oss-120b": EVERYWHERE | SAMPLING | EFFORTS | {"seed", "extra_body"},
    "groq:llama-3.3-70b-versatile": EVERYWHERE | SAMPLING | {"seed", "extra_body"},
    "bedrock:us.anthropic.claude-sonnet-4-5-v1:0": EVERYWHERE | SAMPLING | EFFORTS | {COUNTED},
    "bedrock:us.amazon.nova-micro-v1:0": EVERYWHERE | SAMPLING,
}


def found(value, names):
    """Return the values under any of `names`, at any depth."""
    if isinstance(value, dict):
        here = [item for name, item in value.items() if name in names]
        return here + [hit for item in value.values() for hit in found(item, names)]
    if isinstance(value, list):
        return [hit for item in value for hit in found(item, names)]
    return []


def test_every_provider_has_a_row():
    assert {name.partition(":")[0] for name in TAKES} == set(PROVIDERS) == set(NAMES)


@pytest.mark.parametrize("name", TAKES)
def test_what_a_provider_takes_stands_in_the_request_and_nothing_else_is_accepted(name):
    taken = set(sent_settings(ModelSettings(name=name)))
    assert taken == TAKES[name]

    for label, sample in SAMPLES:
        settings = ModelSettings(name=name, **dict(sample))
        if label not in taken:
            continue
        require_sent(settings)
        request = request_of(settings)
        ((field, value),) = sample.items()
        if field == "headers":
            assert request.headers["x-sample"] == "1"
        elif names := NAMES_ON_WIRE.get(field):
            sent = 1 if field == "extra_body" else value
            assert sent in found(request.json, names), label


@pytest.mark.parametrize(
    ("name", "settings", "field"),
    [
        ("google:gemini-2.5-flash", {"extra_body": {"generationConfig": {}}}, "extra_body.generationConfig"),
        ("mistral:mistral-small-latest", {"extra_body": {"safe_prompt": True}}, "extra_body.safe_prompt"),
        ("bedrock:us.amazon.nova-micro-v1:0", {"extra_body": {"a": 1}}, "extra_body.a"),
        ("openai:gpt-5-mini", {"temperature": 0.2}, "temperature"),
        ("openai:gpt-5-mini", {"top_p": 0.2}, "top_p"),
        ("anthropic:claude-sonnet-4-5", {"seed": "trial"}, "seed"),
        ("openai:gpt-5-mini", {"reasoning": BUDGET}, "reasoning"),
        ("openai:gpt-4o", {"reasoning": "low"}, "reasoning"),
        ("mistral:mistral-small-latest", {"reasoning": "low"}, "reasoning"),
        ("openai:gpt-4o", {"max_tokens_field": "max_tokens"}, "max_tokens_field"),
        ("anthropic:claude-sonnet-4-5", {"reasoning": ReasoningBudget(budget=10)}, "reasoning.budget"),
    ],
)  # fmt: skip
def test_a_setting_that_would_not_leave_is_refused_with_what_would(name, settings, field):
    with pytest.raises(ConfigError) as caught:
        require_sent(ModelSettings(name=name, **settings))

    assert str(caught.value).startswith(f"model.{field}: {name.partition(':')[0]} ")
    assert "takes" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("openai:gpt-5-mini", "reasoning_effort", "low"),
        ("openai-responses:gpt-5-mini", "effort", "low"),
        ("ollama:qwen3", "reasoning_effort", "low"),
        ("openrouter:maker/model", "effort", "low"),
        ("groq:openai/gpt-oss-120b", "reasoning_effort", "low"),
    ],
)
def test_an_effort_is_sent_as_the_provider_calls_it(name, field, value):
    assert found(request_of(ModelSettings(name=name, reasoning="low")).json, {field}) == [value]


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("anthropic:claude-sonnet-4-5", "budget_tokens"),
        ("bedrock:us.anthropic.claude-sonnet-4-5-v1:0", "budget_tokens"),
        ("google:gemini-2.5-flash", "thinking_budget"),
        ("openrouter:maker/model", "max_tokens"),
    ],
)
def test_a_budget_is_sent_in_tokens(name, field):
    body = request_of(ModelSettings(name=name, reasoning=BUDGET)).json

    assert 2048 in found(body, {field})


def test_a_server_of_openais_format_gets_the_effort_whatever_its_model():
    settings = ModelSettings(name="openai:own", base_url="http://127.0.0.1:9/v1", reasoning="high")
    require_sent(settings)

    assert request_of(settings).json["reasoning_effort"] == "high"


def test_settings_without_reasoning_are_written_as_they_always_were():
    assert "reasoning" not in json.loads(ModelSettings(name="openai:m").model_dump_json())
