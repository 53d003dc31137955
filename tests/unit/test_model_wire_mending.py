"""What servers get wrong in a reply is read as it was meant, and an error that came with 200 is an error."""

import json

import pytest

from research_eval.errors import ModelError
from tests.unit.wire_lab import ARGUMENTS, FETCH, QUESTION, candidates, chat, client, converse

pytestmark = pytest.mark.anyio

TEXT = json.dumps(ARGUMENTS)
CHAT = ("openai", "openrouter", "ollama", "groq", "mistral")


def reply_with(function, **call):
    """Return a chat completion with one call, whose fields are as given and no others."""
    message = {"content": None, "tool_calls": [{"function": function, **call}]}
    return chat(message, finish="tool_calls", provider="Maker")


def older(arguments, finish="function_call"):
    message = {"content": None, "function_call": {"name": "fetch", "arguments": arguments}}
    return chat(message, finish=finish, provider="Maker")


def events(*deltas, finish):
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    steps = [(delta, None) for delta in deltas] + [({}, finish)]
    lines = [
        json.dumps(
            chunk
            | {"provider": "Maker", "choices": [{"index": 0, "delta": d, "finish_reason": end}]}
        )
        for d, end in steps
    ]
    body = "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])
    return (200, body.encode(), {"content-type": "text/event-stream"})


async def calls_in(provider, answer, **settings):
    model, _ = client(provider, answer, **settings)
    reply = await model.reply(QUESTION, (FETCH,))
    assert reply.finish_reason == "tool_calls"
    return [(call.id, call.name, json.loads(call.arguments)) for call in reply.tool_calls]


@pytest.mark.parametrize("provider", CHAT)
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (
            reply_with({"name": "fetch", "arguments": ARGUMENTS}, id="a", type="function"),
            ("a", "fetch", ARGUMENTS),
        ),
        (reply_with({"name": "fetch", "arguments": None}, id="a"), ("a", "fetch", {})),
        (reply_with({"name": "fetch"}, id="a", type="function"), ("a", "fetch", {})),
        (
            reply_with({"name": "fetch", "arguments": TEXT}, id=None),
            ("call_1_1", "fetch", ARGUMENTS),
        ),
        (reply_with({"name": "fetch", "arguments": TEXT}), ("call_1_1", "fetch", ARGUMENTS)),
        (reply_with({"name": "fetch", "arguments": TEXT}, id=7), ("7", "fetch", ARGUMENTS)),
        (older(TEXT), ("call_1_1", "fetch", ARGUMENTS)),
        (older(ARGUMENTS, finish="stop"), ("call_1_1", "fetch", ARGUMENTS)),
    ],
    ids=[
        "object",
        "null",
        "no arguments",
        "null id",
        "no id, no type",
        "number as id",
        "function_call",
        "function_call with an object",
    ],
)
async def test_a_call_is_read_however_a_server_writes_it(provider, answer, expected):
    assert await calls_in(provider, answer) == [expected]


@pytest.mark.parametrize("provider", ["openai", "openrouter", "ollama", "groq"])
@pytest.mark.parametrize(
    ("deltas", "finish", "expected"),
    [
        (
            [{"tool_calls": [{"index": 0, "function": {"name": "fetch", "arguments": ARGUMENTS}}]}],
            "tool_calls",
            ARGUMENTS,
        ),
        (
            [{"tool_calls": [{"index": 0, "function": {"name": "fetch", "arguments": None}}]}],
            "tool_calls",
            {},
        ),
        (
            [
                {"function_call": {"name": "fetch", "arguments": ""}},
                {"function_call": {"arguments": TEXT[:9]}},
                {"function_call": {"arguments": TEXT[9:]}},
            ],
            "function_call",
            ARGUMENTS,
        ),
    ],
    ids=["object", "null", "function_call in pieces"],
)
async def test_so_is_one_in_a_stream(provider, deltas, finish, expected):
    answer = events(*deltas, finish=finish)

    assert await calls_in(provider, answer, stream=True) == [("call_1_1", "fetch", expected)]


@pytest.mark.parametrize(
    ("provider", "answer"),
    [
        ("google", candidates({"functionCall": {"name": "fetch", "args": TEXT}})),
        ("bedrock", converse({"toolUse": {"name": "fetch", "input": ARGUMENTS}}, stop="tool_use")),
    ],
)
async def test_the_same_holds_for_formats_of_other_providers(provider, answer):
    assert await calls_in(provider, answer) == [("call_1_1", "fetch", ARGUMENTS)]


async def test_bedrock_may_leave_the_input_out():
    answer = converse({"toolUse": {"name": "fetch", "toolUseId": "a"}}, stop="tool_use")

    assert await calls_in("bedrock", answer) == [("a", "fetch", {})]


ERRORS = [
    ({"message": "one request too many", "code": 429}, "rate_limited"),
    ({"message": "wait", "type": "rate_limit_error"}, "rate_limited"),
    ({"message": "Too many requests just now"}, "rate_limited"),
    ({"message": "come back", "type": "overloaded_error"}, "overloaded"),
    ({"message": "no worker is free", "code": "503"}, "overloaded"),
    ({"message": "pay first", "code": "insufficient_quota"}, "quota"),
    ({"message": "You have no credits left"}, "quota"),
    ({"message": "who are you", "code": "invalid_api_key"}, "auth"),
    ({"message": "cut it", "code": "context_length_exceeded"}, "context"),
    ({"message": "the upstream took too long: timed out"}, "timeout"),
    ({"message": "something broke", "code": 13}, "server"),
    ("something broke", "server"),
]


@pytest.mark.parametrize("provider", ["openai", "openrouter", "mistral", "openai-responses"])
@pytest.mark.parametrize(("error", "kind"), ERRORS, ids=[str(error)[:50] for error, _ in ERRORS])
async def test_an_error_that_came_with_200_has_the_kind_that_its_words_say(provider, error, kind):
    model, server = client(provider, {"error": error})

    with pytest.raises(ModelError) as caught:
        await model.reply(QUESTION, (FETCH,))

    assert caught.value.kind == kind
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("provider", "answer", "kind"),
    [
        (
            "anthropic",
            {"type": "error", "error": {"type": "overloaded_error", "message": "x"}},
            "overloaded",
        ),
        ("google", {"error": {"code": 429, "message": "x", "status": "RESOURCE_EXHAUSTED"}}, "rate_limited"),
        ("google", [{"error": {"code": 503, "message": "x", "status": "UNAVAILABLE"}}], "overloaded"),
        ("bedrock", {"__type": "ThrottlingException", "message": "x"}, "rate_limited"),
    ],
)  # fmt: skip
async def test_in_the_formats_of_other_providers_too(provider, answer, kind):
    model, _ = client(provider, answer)

    with pytest.raises(ModelError) as caught:
        await model.reply(QUESTION, (FETCH,))

    assert caught.value.kind == kind


async def test_a_stream_that_was_asked_for_changes_nothing_about_it():
    model, _ = client("openai", {"error": {"message": "x", "code": 429}}, stream=True)

    with pytest.raises(ModelError) as caught:
        await model.reply(QUESTION, (FETCH,))

    assert caught.value.kind == "rate_limited"


async def test_such_an_error_is_retried_like_one_that_came_with_its_status():
    busy = {"error": {"message": "come back", "type": "overloaded_error"}}
    model, server = client("openai", busy, busy, chat(), request_retries=4)

    reply = await model.reply(QUESTION, (FETCH,))

    assert (reply.text, reply.request_retries, len(server.requests)) == ("In 1907.", 2, 3)


async def test_an_answer_that_speaks_of_errors_stays_an_answer():
    text = 'It said {"error": {"code": 429}} and "function_call".'
    model, _ = client("openai", chat({"content": text}, error=None))

    assert (await model.reply(QUESTION, (FETCH,))).text == text
