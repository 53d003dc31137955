"""Whatever a provider sends comes to the ending that fits it; what is no answer is never judged."""

import json

import pytest

from research_eval.agent import AgentSettings, EventLog, ResearchAgent
from research_eval.clock import VirtualClock
from research_eval.gate import load_gate
from research_eval.ledger import SourceRegistry
from research_eval.schema import AnswerChecked, ModelCalled, ToolCalled
from research_eval.testing import ScriptedTool
from research_eval.tool.kit import ToolKit
from tests.unit.wire_lab import (
    TEXT_REPLIES,
    candidates,
    chat,
    chat_call,
    client,
    converse,
    messages,
    response,
    said,
)

pytestmark = pytest.mark.anyio

CHAT = ("openai", "openrouter", "ollama", "groq", "mistral")
URL = "https://port.example/"
MARK = "\N{REPLACEMENT CHARACTER}"


def chat_of(message=None, **more):
    return chat(message, provider="Maker", **more)


async def run(provider, *answers, tool="It opened in 1907.", **settings):
    """Return how a trial ended whose model sends these answers, and the requests that it got."""
    clock = VirtualClock()
    model, server = client(provider, *answers, clock=clock, **settings)
    agent = ResearchAgent(
        AgentSettings(max_retries=0, max_turns=4),
        model=model,
        kit=ToolKit(fetch=ScriptedTool("fetch", [tool] * 9, ["url"])),
        ledger=SourceRegistry(),
        gate=load_gate("default"),
        log=EventLog(clock),
        clock=clock,
    )
    outcome = await agent.run("When did the port open?")
    await model.aclose()
    return outcome, server


def kind_of(outcome):
    return outcome.status, outcome.failure.kind if outcome.failure else None


def judged(outcome):
    return [event.answer for event in outcome.transcript if isinstance(event, AnswerChecked)]


def notes(outcome):
    calls = [event for event in outcome.transcript if isinstance(event, ModelCalled)]
    return [note for call in calls for note in call.notes or ()]


EMPTY = {
    **{f"{name}, no text": (name, chat_of({"content": ""})) for name in CHAT},
    **{f"{name}, null": (name, chat_of({"content": None})) for name in CHAT},
    "openai, blank": ("openai", chat_of({"content": " \n"})),
    "anthropic, no blocks": ("anthropic", messages()),
    "google, no parts": ("google", candidates()),
    "responses, reasoning": (
        "openai-responses",
        response({"type": "reasoning", "id": "r", "summary": []}),
    ),
    "bedrock, no blocks": ("bedrock", converse()),
}


@pytest.mark.parametrize(("provider", "answer"), EMPTY.values(), ids=EMPTY)
async def test_an_empty_reply_is_asked_again_once_and_then_an_ending_of_its_own(provider, answer):
    outcome, server = await run(provider, answer)

    assert outcome.status == "empty"
    assert judged(outcome) == []
    assert len(server.requests) == 2


@pytest.mark.parametrize(("provider", "answer"), EMPTY.values(), ids=EMPTY)
async def test_an_answer_after_an_empty_reply_is_judged(provider, answer):
    outcome, _ = await run(provider, answer, TEXT_REPLIES[provider])

    assert judged(outcome) == ["In 1907."]


DECLINED = {
    "openai, refusal": (
        "openai",
        chat({"content": None, "refusal": "I can't."}),
        "refusal",
    ),
    **{f"{name}, filter": (name, chat_of(finish="content_filter"), "content_filter")
       for name in ("openai", "openrouter", "ollama", "groq")},
    "azure, no message": (
        "openai",
        chat() | {"choices": [{"index": 0, "finish_reason": "content_filter"}]},
        "content_filter",
    ),
    "azure, prompt": (
        "openai",
        (400, {"error": {"message": "filtered", "code": "content_filter", "status": 400}}),
        "content_filter",
    ),
    "anthropic": ("anthropic", messages({"type": "text", "text": "Hm"}, stop="refusal"), "refusal"),
    "responses, refusal": ("openai-responses", response(said("No.", kind="refusal")), "refusal"),
    "responses, filter": (
        "openai-responses",
        response(said(), status="incomplete", incomplete_details={"reason": "content_filter"}),
        "content_filter",
    ),
    **{f"google, {finish}": ("google", candidates({"text": "x"}, finish=finish), "content_filter")
       for finish in ("SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII")},
    "google, no part": ("google", candidates(finish="SAFETY"), "content_filter"),
    "google, prompt": (
        "google",
        {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 3}},
        "content_filter",
    ),
    "bedrock, guardrail": (
        "bedrock", converse({"text": "No."}, stop="guardrail_intervened"), "content_filter"
    ),
    "bedrock, filter": (
        "bedrock", converse({"text": "No."}, stop="content_filtered"), "content_filter"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("provider", "answer", "kind"), DECLINED.values(), ids=DECLINED)
async def test_a_model_or_provider_that_declines_is_a_refusal(provider, answer, kind):
    outcome, server = await run(provider, answer)

    assert kind_of(outcome) == ("refused", kind)
    assert judged(outcome) == []
    assert len(server.requests) == 1


CUT = {
    **{name: (name, chat_of(finish="length")) for name in CHAT},
    "anthropic": ("anthropic", messages({"type": "text", "text": "In 19"}, stop="max_tokens")),
    "google": ("google", candidates({"text": "In 19"}, finish="MAX_TOKENS")),
    "responses": (
        "openai-responses",
        response(said(), status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
    ),
    "bedrock": ("bedrock", converse({"text": "In 19"}, stop="max_tokens")),
}


@pytest.mark.parametrize(("provider", "answer"), CUT.values(), ids=CUT)
async def test_a_reply_that_the_token_limit_cut_is_not_judged(provider, answer):
    outcome, _ = await run(provider, answer)

    assert kind_of(outcome) == ("cut", "length")
    assert judged(outcome) == []


@pytest.mark.parametrize("provider", CHAT)
@pytest.mark.parametrize("word", ["error", "insufficient_system_resource", "network_error"])
async def test_half_an_answer_that_the_server_broke_is_an_error_and_asked_again(provider, word):
    outcome, server = await run(provider, chat_of(finish=word), request_retries=1)
    whole, _ = await run(provider, chat_of(finish=word), chat_of(), request_retries=1)

    assert outcome.status == "error"
    assert len(server.requests) == 2
    assert judged(whole) == ["In 1907."]


@pytest.mark.parametrize("provider", CHAT)
@pytest.mark.parametrize(
    ("word", "note"),
    [
        ("", ["no_finish_reason"]),
        (None, ["no_finish_reason"]),
        ("mystery", ["unknown_finish_reason"]),
        (3, ["no_finish_reason"]),
        ("eos", []),
        ("STOP", []),
    ],
)
async def test_an_odd_finish_reason_loses_no_answer_and_is_told(provider, word, note):
    outcome, _ = await run(provider, chat_of(finish=word))

    assert judged(outcome) == ["In 1907."]
    assert notes(outcome) == note


@pytest.mark.parametrize("choices", [[], None])
async def test_a_reply_without_choices_is_asked_again(choices):
    outcome, server = await run("openai", chat() | {"choices": choices}, chat(), request_retries=1)
    failed, _ = await run("openai", chat() | {"choices": choices}, request_retries=1)

    assert judged(outcome) == ["In 1907."]
    assert len(server.requests) == 2
    assert kind_of(failed) == ("error", "server")
    assert "holds no" in failed.failure.message


REASONED = [
    f"It may be {URL} said somebody. </think>In 1907.",
    f"<think>Hm, {URL}</think>\n\nIn 1907.",
    f"<thinking>\n{URL}\n</thinking>\nIn 1907.",
    f"<|channel|>analysis<|message|>{URL}?<|end|><|start|>assistant<|channel|>final<|message|>In 1907.",
    f"<|channel|>analysis<|message|>{URL}?<|end|><|channel|>final<|message|>In 1907.<|return|>",
]


@pytest.mark.parametrize("provider", ["openai", "ollama", "groq", "mistral"])
@pytest.mark.parametrize("text", REASONED)
async def test_reasoning_in_the_text_is_no_part_of_the_answer(provider, text):
    outcome, _ = await run(provider, chat({"content": text}))

    assert [answer.strip() for answer in judged(outcome)] == ["In 1907."]


@pytest.mark.parametrize("provider", ["openai", "ollama", "groq", "mistral"])
@pytest.mark.parametrize(
    "text",
    [
        f"<think>Hm, {URL}",
        f"<think>Hm, {URL}</think>",
        f"<|channel|>analysis<|message|>Hm, {URL}<|end|>",
        f"Hm, {URL} </think>",
    ],
)
async def test_reasoning_alone_is_an_empty_reply_whoever_takes_it_out(provider, text):
    outcome, server = await run(provider, chat({"content": text}))

    assert kind_of(outcome) == ("empty", "only_reasoning")
    assert judged(outcome) == []
    assert len(server.requests) == 2


CALL = json.dumps({"name": "fetch", "arguments": {"url": URL}})
WRITTEN = [
    f"<tool_call>{CALL}</tool_call>",
    f"I will look.\n<tool_call>\n{CALL}\n</tool_call>",
    f"<tool_call>{CALL}",
    f"```json\n{CALL}\n```",
    f"I will look.\n\n```\n{CALL}\n```",
    CALL,
    f"[{CALL}]",
    f"[TOOL_CALLS] [{CALL}]",
    f'<function=fetch>{{"url": "{URL}"}}</function>',
    json.dumps({"name": "fetch", "parameters": {"url": URL}}),
    json.dumps({"type": "function", "function": {"name": "fetch", "arguments": {"url": URL}}}),
    f'<|channel|>commentary to=functions.fetch <|constrain|>json<|message|>{{"url": "{URL}"}}<|call|>',
    f"<think>I need a page.</think><tool_call>{CALL}</tool_call>",
]


@pytest.mark.parametrize("text", WRITTEN)
async def test_a_tool_call_in_the_text_is_made_and_counted(text):
    outcome, _ = await run("openai", chat({"content": text}), chat())

    called = [event for event in outcome.transcript if isinstance(event, ToolCalled)]
    assert [(call.tool, json.loads(call.arguments), call.ok) for call in called] == [
        ("fetch", {"url": URL}, True)
    ]
    assert notes(outcome).count("repaired_call") == 1
    assert judged(outcome) == ["In 1907."]


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>open that page</tool_call>",
        '<tool_call>{"name": "fetch", "arguments": {"url": </tool_call>',
        '<function=fetch>{"url": </function>',
    ],
)
async def test_a_tool_call_that_nobody_can_read_is_a_protocol_failure_with_advice(text):
    outcome, server = await run("openai", chat({"content": text}))

    assert kind_of(outcome) == ("protocol", "malformed_call")
    assert 'tool_protocol = "prompted"' in outcome.failure.message
    assert judged(outcome) == []
    assert len(server.requests) == 2


@pytest.mark.parametrize("finish", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"])
async def test_a_broken_call_of_gemini_is_the_models_doing(finish):
    outcome, server = await run("google", candidates(finish=finish))

    assert kind_of(outcome) == ("protocol", "malformed_call")
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "text",
    [
        'The file says {"name": "fetch", "arguments": {"url": "x"}} in its first line.',
        '```json\n{"name": "harbour", "arguments": {"year": 1907}}\n```',
        '{"name": "Port", "opened": 1907}',
        "I can't help with that.",
    ],
)
async def test_json_that_calls_no_tool_of_ours_and_a_polite_no_are_answers(text):
    outcome, _ = await run("openai", chat({"content": text}))

    assert judged(outcome) == [text]


DEEP = "[" * 3_000 + "]" * 3_000
UNREADABLE = {
    "deep": f'{{"url": {DEEP}}}',
    "very deep": f'{{"url": {"[" * 100_000 + "]" * 100_000}}}',
    "unclosed": "[" * 1_500,
    "long number": f'{{"url": {"9" * 5_000}}}',
    "NaN": '{"url": NaN}',
    "no object": '["https://port.example/"]',
    "no JSON": "fetch it",
}


@pytest.mark.parametrize("provider", CHAT)
@pytest.mark.parametrize("arguments", UNREADABLE.values(), ids=UNREADABLE)
async def test_arguments_that_cannot_be_read_are_told_to_the_model(provider, arguments):
    call = chat_of({"content": None, "tool_calls": [chat_call(arguments)]}, finish="tool_calls")

    outcome, _ = await run(provider, call, chat_of())

    called = [event for event in outcome.transcript if isinstance(event, ToolCalled)]
    assert [(one.tool, one.ok) for one in called] == [("fetch", False)]
    assert judged(outcome) == ["In 1907."]


@pytest.mark.parametrize("provider", ["anthropic", "google", "bedrock"])
@pytest.mark.parametrize("value", [DEEP, "9" * 5_000, "NaN"], ids=["deep", "long", "NaN"])
async def test_a_reply_that_cannot_be_read_as_json_ends_the_trial_alone(provider, value):
    call = {
        "anthropic": messages(
            {"type": "tool_use", "id": "a", "name": "fetch", "input": {"url": "@"}}, stop="tool_use"
        ),
        "google": candidates({"functionCall": {"name": "fetch", "args": {"url": "@"}}}),
        "bedrock": converse(
            {"toolUse": {"toolUseId": "a", "name": "fetch", "input": {"url": "@"}}}, stop="tool_use"
        ),
    }[provider]
    body = json.dumps(call).replace('"@"', value).encode()

    outcome, _ = await run(provider, (200, body), TEXT_REPLIES[provider])

    assert outcome.status == "error" or judged(outcome) == ["In 1907."]


@pytest.mark.parametrize("provider", TEXT_REPLIES)
async def test_half_a_character_in_a_reply_is_replaced_and_told(provider):
    body = json.dumps(TEXT_REPLIES[provider]).replace("In 1907.", "In 1907. \\ud83d")

    outcome, _ = await run(provider, (200, body.encode()))

    assert judged(outcome) == [f"In 1907. {MARK}"]
    assert notes(outcome) == ["replaced_surrogates"]
    outcome.model_dump_json()


async def test_half_a_character_anywhere_else_ends_nothing():
    arguments = '{"url": "https://port.example/\\ud83d"}'
    call = chat({"content": None, "tool_calls": [chat_call(arguments)]}, finish="tool_calls")
    error = (400, {"error": {"message": "no \ud83d here"}})

    called, server = await run("openai", call, chat(), tool="page \ud83d")
    failed, _ = await run("openai", error)

    assert server.sent()["messages"][-1]["content"] == f"page {MARK}"
    assert f"no {MARK} here" in failed.failure.message
    called.model_dump_json()
    failed.model_dump_json()
