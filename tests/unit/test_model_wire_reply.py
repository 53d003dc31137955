"""Oddities of provider replies, each in the shape in which a provider sends it."""

import json
import re

import httpx2
import pytest

from research_eval.errors import ModelError
from research_eval.schema import Message, ToolCall
from tests.unit.wire_lab import (
    FETCH,
    QUESTION,
    candidates,
    chat,
    chat_call,
    client,
    messages,
    response,
    said,
)

pytestmark = pytest.mark.anyio


async def ask(provider, *answers, **settings):
    model, _ = client(provider, *answers, **settings)
    return await model.reply(QUESTION, (FETCH,))


@pytest.mark.parametrize(
    ("provider", "answer"),
    [
        ("openai", chat(finish="length")),
        (
            "openai-responses",
            response(
                said(), status="incomplete", incomplete_details={"reason": "max_output_tokens"}
            ),
        ),
        ("anthropic", messages({"type": "text", "text": "In 19"}, stop="max_tokens")),
        ("google", candidates({"text": "In 19"}, finish="MAX_TOKENS")),
        ("google", candidates(finish="MAX_TOKENS")),
    ],
    ids=["openai", "responses", "anthropic", "google", "google-without-parts"],
)
async def test_a_reply_that_was_cut_says_so(provider, answer):
    assert (await ask(provider, answer)).finish_reason == "length"


@pytest.mark.parametrize(
    ("provider", "answer"),
    [
        ("openai", chat({"content": None, "refusal": "I cannot help."})),
        ("openai-responses", response(said("I cannot help.", "refusal"))),
        ("anthropic", messages({"type": "text", "text": "I cannot help."}, stop="refusal")),
    ],
    ids=["openai", "responses", "anthropic"],
)
async def test_a_refusal_is_told_from_a_filter(provider, answer):
    reply = await ask(provider, answer)

    assert (reply.finish_reason, reply.text) == ("refusal", "I cannot help.")


@pytest.mark.parametrize(
    ("provider", "answer"),
    [
        ("openai", chat(finish="content_filter")),
        ("google", candidates(finish="SAFETY")),
        (
            "google",
            {
                "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
                "usageMetadata": {"promptTokenCount": 4, "totalTokenCount": 4},
                "modelVersion": "gemini-test",
            },
        ),
    ],
    ids=["openai", "google-reply", "google-prompt"],
)
async def test_a_filtered_reply_is_one(provider, answer):
    assert (await ask(provider, answer)).finish_reason == "content_filter"


@pytest.mark.parametrize("arguments", ['{"url": "https://po', "nothing", "[1, 2]"])
async def test_arguments_that_are_no_object_arrive_as_they_are_and_never_go_back_so(arguments):
    calls = {"content": None, "tool_calls": [chat_call(arguments)]}
    model, server = client("openai", chat(calls, finish="tool_calls"), chat())
    reply = await model.reply(QUESTION, (FETCH,))

    told = Message(
        role="tool", text="Not JSON.", tool_call_id="call_a", tool_name="fetch", is_error=True
    )
    asked = Message(role="assistant", tool_calls=reply.tool_calls)
    await model.reply((*QUESTION, asked, told), (FETCH,))

    sent = server.sent()["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert reply.tool_calls[0].arguments == arguments
    assert json.loads(sent) == {"invalid_json": arguments}


async def test_empty_arguments_are_an_empty_object_on_the_way_back():
    calls = {"content": None, "tool_calls": [chat_call("")]}
    model, server = client("openai", chat(calls, finish="tool_calls"), chat())
    reply = await model.reply(QUESTION, (FETCH,))

    await model.reply((*QUESTION, Message(role="assistant", tool_calls=reply.tool_calls)), (FETCH,))

    assert server.sent()["messages"][2]["tool_calls"][0]["function"]["arguments"] == "{}"


@pytest.mark.parametrize(
    ("provider", "answer"),
    [
        (
            "openai",
            chat(
                {"content": None, "tool_calls": [chat_call(call_id=""), chat_call(call_id="")]},
                finish="tool_calls",
            ),
        ),
        (
            "google",
            candidates(
                {"functionCall": {"name": "fetch", "args": {}}},
                {"functionCall": {"name": "fetch", "args": {}}},
            ),
        ),
    ],
    ids=["openai", "google"],
)
async def test_calls_without_an_id_get_the_same_ids_in_every_replay(provider, answer):
    first, again = await ask(provider, answer), await ask(provider, answer)

    assert [call.id for call in first.tool_calls] == ["call_1_1", "call_1_2"]
    assert first == again


async def test_an_id_that_is_given_twice_is_told_apart():
    calls = {"content": None, "tool_calls": [chat_call(), chat_call()]}

    reply = await ask("openai", chat(calls, finish="tool_calls"))

    first, second = (call.id for call in reply.tool_calls)
    assert first == "call_a"
    assert second != first


async def test_no_random_id_is_ever_sent():
    answer = candidates({"functionCall": {"name": "fetch", "args": {"url": "https://a/"}}})
    model, server = client("google", answer, candidates({"text": "In 1907."}))
    reply = await model.reply(QUESTION, (FETCH,))
    result = Message(role="tool", text="x", tool_call_id=reply.tool_calls[0].id, tool_name="fetch")

    asked = Message(
        role="assistant", tool_calls=reply.tool_calls, provider_state=reply.provider_state
    )
    await model.reply((*QUESTION, asked, result), (FETCH,))

    assert not re.search(rb"pyd_ai_[0-9a-f]{8}", server.requests[1].content)


async def test_an_unknown_tool_is_a_call_like_any_other():
    calls = {"content": None, "tool_calls": [chat_call(name="browse")]}

    assert (await ask("openai", chat(calls, finish="tool_calls"))).tool_calls[0].name == "browse"


async def test_a_reply_without_usage_is_counted_as_unmeasured():
    usage = (await ask("openai", chat(usage=False))).usage

    assert (usage.requests, usage.unmeasured_requests, usage.input_tokens) == (1, 1, 0)


async def test_cached_tokens_are_part_of_the_prompt():
    answer = messages(
        {"type": "text", "text": "x"}, cache_read_input_tokens=81, cache_creation_input_tokens=9
    )

    usage = (await ask("anthropic", answer)).usage

    assert (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens) == (111, 81, 9)


@pytest.mark.parametrize(
    ("provider", "answer"),
    [
        ("openai-responses", response(said())),
        ("google", candidates({"text": "x"}, thoughtsTokenCount=3)),
    ],
    ids=["responses", "google"],
)
async def test_reasoning_tokens_are_part_of_the_reply(provider, answer):
    usage = (await ask(provider, answer)).usage

    assert usage.reasoning_tokens == 3
    assert usage.output_tokens in {8, 11}


async def test_a_price_that_the_provider_reports_is_kept():
    body = chat(provider="Maker")
    body["usage"]["cost"] = 0.00042

    assert (await ask("openrouter", body)).usage.reported_cost_usd == 0.00042


async def test_a_price_that_is_only_known_from_a_table_is_not():
    assert (await ask("openai", chat())).usage.reported_cost_usd is None


async def test_a_signature_goes_back_to_its_provider():
    thinking = {"type": "thinking", "thinking": "Let me look.", "signature": "sig-1"}
    call = {"type": "tool_use", "id": "call_a", "name": "fetch", "input": {"url": "https://a/"}}
    model, server = client(
        "anthropic",
        messages(thinking, call, stop="tool_use"),
        messages({"type": "text", "text": "x"}),
    )
    reply = await model.reply(QUESTION, (FETCH,))
    result = Message(role="tool", text="x", tool_call_id="call_a", tool_name="fetch")
    asked = Message(
        role="assistant", tool_calls=reply.tool_calls, provider_state=reply.provider_state
    )

    await model.reply((*QUESTION, asked, result), (FETCH,))

    sent = server.sent()["messages"][1]["content"]
    assert reply.text == ""
    assert sent[0] == {"type": "thinking", "thinking": "Let me look.", "signature": "sig-1"}


async def test_the_state_of_a_reply_is_plain_json():
    thinking = {"type": "thinking", "thinking": "Let me look.", "signature": "sig-1"}
    reply = await ask("anthropic", messages(thinking, {"type": "text", "text": "x"}))

    assert json.loads(json.dumps(reply.provider_state)) == reply.provider_state


async def test_a_reply_without_thoughts_carries_no_state():
    assert (await ask("openai", chat())).provider_state is None


async def test_an_error_of_a_tool_is_marked_on_the_wire():
    call = ToolCall(id="call_a", name="fetch", arguments='{"url": "https://a/"}')
    failed = Message(
        role="tool", text="gone", tool_call_id="call_a", tool_name="fetch", is_error=True
    )
    model, server = client("anthropic", messages({"type": "text", "text": "x"}))

    await model.reply((*QUESTION, Message(role="assistant", tool_calls=(call,)), failed), (FETCH,))

    assert server.sent()["messages"][2]["content"][0]["is_error"] is True


async def test_a_body_with_blank_lines_before_it_is_read():
    body = b"\n\n   \n" + json.dumps(chat(provider="Maker")).encode()

    assert (await ask("openrouter", (200, body))).text == "In 1907."


async def test_a_missing_finish_reason_is_no_obstacle():
    assert (await ask("openai", chat(finish=None))).finish_reason == "stop"


@pytest.mark.parametrize(
    "answer",
    [
        {"type": "pong"},
        (200, b"<html>Bad gateway</html>", {"content-type": "text/html"}),
        (200, b""),
        (200, b"null"),
    ],
    ids=["other-json", "html", "empty", "null"],
)
async def test_what_is_no_reply_is_refused_as_malformed(answer):
    with pytest.raises(ModelError) as caught:
        await ask("openai", answer)

    assert caught.value.kind in {"malformed", "other"}


STREAM = (
    b'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m",'
    b'"choices":[{"index":0,"delta":{"role":"assistant","content":"In "},"finish_reason":null}]}\n\n'
    b": a comment to keep the line open\n\n"
    b'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m",'
    b'"choices":[{"index":0,"delta":{"content":"1907."},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)
EVENTS = {"content-type": "text/event-stream"}


async def test_a_stream_is_read_to_its_end():
    reply = await ask("openai", (200, STREAM, EVENTS), stream=True)

    assert (reply.text, reply.finish_reason) == ("In 1907.", "stop")


async def test_a_stream_that_holds_nothing_is_no_answer():
    with pytest.raises(ModelError) as caught:
        await ask("openai", (200, b"data: [DONE]\n\n", EVENTS), stream=True)

    assert caught.value.kind == "malformed"


NATIVE = (
    b'data: {"model":"m","message":{"role":"assistant","content":"In 1907."},"done":false}\n\n'
    b'data: {"model":"m","message":{"role":"assistant","content":""},"done_reason":"stop",'
    b'"done":true,"prompt_eval_count":21,"eval_count":8}\n\n'
    b"data: [DONE]\n\n"
)


async def test_a_stream_in_another_format_is_refused_and_not_read_as_an_empty_answer():
    with pytest.raises(ModelError) as caught:
        await ask("ollama", (200, NATIVE, EVENTS), stream=True)

    assert caught.value.kind == "malformed"


async def test_an_empty_answer_in_the_right_format_is_an_answer():
    silent = STREAM.replace(b"In ", b"").replace(b"1907.", b"")

    reply = await ask("openai", (200, silent, EVENTS), stream=True)

    assert (reply.text, reply.finish_reason) == ("", "stop")


async def test_an_error_inside_a_stream_is_an_error():
    event = b'data: {"error":{"code":429,"message":"slow down"}}\n\n'

    with pytest.raises(ModelError):
        await ask("openrouter", (200, event, EVENTS), stream=True)


async def test_a_failed_generation_of_groq_is_given_back_to_the_model():
    failed = '{"name": "fetch", "arguments": {"link": "https://a/"}}'
    body = {
        "error": {
            "code": "tool_use_failed",
            "type": "invalid_request_error",
            "message": "Failed to call a function.",
            "failed_generation": failed,
        }
    }

    reply = await ask("groq", (400, body))

    assert [call.name for call in reply.tool_calls] == ["fetch"]
    assert json.loads(reply.tool_calls[0].arguments) == {"link": "https://a/"}


async def test_a_connection_that_breaks_over_the_bridge_is_a_connection_error():
    with pytest.raises(ModelError) as caught:
        await ask("groq", httpx2.ConnectError("refused"))

    assert caught.value.kind == "connection"
