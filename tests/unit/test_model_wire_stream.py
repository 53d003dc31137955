"""A streamed reply is read whole or not at all, each call and each token once."""

import json

import pytest

from research_eval.errors import ModelError
from tests.unit.wire_lab import FETCH, QUESTION, candidates, client, response, said

pytestmark = pytest.mark.anyio

CHAT = ("openai", "openrouter", "ollama", "groq", "mistral")
EVENTS = {"content-type": "text/event-stream"}
USAGE = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}


def chunk(delta=None, *, finish=None, **more):
    """Return an event of a chat completion."""
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return head | {"provider": "Maker", "choices": [choice]} | more


def text(content, **more):
    return chunk({"role": "assistant", "content": content}, **more)


def call(index, call_id, name, arguments):
    function = {"name": name, "arguments": arguments}
    return chunk({"tool_calls": [{"index": index, "id": call_id, "function": function}]})


def stream(*events, done=True, named=False):
    """Return an answer that streams these events."""
    lines = [
        (f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n"
        for event in events
    ]
    return (200, "".join([*lines, "data: [DONE]\n\n" if done else ""]).encode(), EVENTS)


def anthropic(*, until=None):
    """Return a streamed reply of Anthropic's, with a block of a type that nobody knows."""
    usage = {"input_tokens": 10, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": []}
    events = [
        {"type": "message_start", "message": message | {"stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "news", "x": 1}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "news_delta", "x": 2}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {
            "type": "content_block_delta",
            "index": 1,
            "delta": {"type": "text_delta", "text": "In 1907."},
        },
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 3},
        },
        {"type": "message_stop"},
    ]
    return stream(*events[:until], done=False, named=True)


def responses(*, until=None):
    """Return a streamed reply of the responses API."""
    item = said()
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": []}
    events = [
        {"type": "response.created", "response": response(status="in_progress")},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": item | {"content": [], "status": "in_progress"},
        },
        {"type": "response.content_part.added", **place, "part": part},
        {"type": "response.output_text.delta", **place, "delta": "In 1907.", "logprobs": []},
        {"type": "response.output_text.done", **place, "text": "In 1907.", "logprobs": []},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response(item)},
    ]
    numbered = [event | {"sequence_number": number} for number, event in enumerate(events)]
    return stream(*numbered[:until], done=False, named=True)


def gemini(*, finish="STOP"):
    first = candidates({"text": "In "}, finish=None)
    last = candidates({"text": "1907."}, finish=finish)
    return stream(first, last, done=False)


WHOLE = {
    **{name: (name, stream(text("In "), text("1907."), chunk(finish="stop"))) for name in CHAT},
    "no [DONE]": ("openai", stream(text("In 1907."), chunk(finish="stop"), done=False)),
    "[DONE] alone": ("openai", stream(text("In 1907."))),
    "anthropic": ("anthropic", anthropic()),
    "openai-responses": ("openai-responses", responses()),
    "google": ("google", gemini()),
}
BROKEN = {
    **{name: (name, stream(text("In "), text("19"), done=False)) for name in CHAT},
    "half a call": ("openai", stream(call(0, "a", "fetch", '{"url": "https'), done=False)),
    "anthropic": ("anthropic", anthropic(until=-1)),
    "anthropic, in a block": ("anthropic", anthropic(until=6)),
    "openai-responses": ("openai-responses", responses(until=4)),
    "google": ("google", gemini(finish=None)),
}


async def ask(provider, *answers, **settings):
    model, server = client(provider, *answers, stream=True, **settings)
    return await model.reply(QUESTION, (FETCH,)), server


@pytest.mark.parametrize(("provider", "answer"), WHOLE.values(), ids=WHOLE)
async def test_a_whole_stream_is_an_answer(provider, answer):
    reply, _ = await ask(provider, answer)

    assert (reply.text, reply.finish_reason) == ("In 1907.", "stop")


@pytest.mark.parametrize(("provider", "answer"), BROKEN.values(), ids=BROKEN)
async def test_half_a_stream_is_a_connection_error(provider, answer):
    with pytest.raises(ModelError) as caught:
        await ask(provider, answer)

    assert caught.value.kind == "connection"


@pytest.mark.parametrize(("provider", "answer"), BROKEN.values(), ids=BROKEN)
async def test_half_a_stream_is_asked_for_again(provider, answer):
    whole = WHOLE[provider][1]

    reply, server = await ask(provider, answer, whole, request_retries=1)

    assert (reply.text, reply.request_retries, len(server.requests)) == ("In 1907.", 1, 2)


@pytest.mark.parametrize("provider", ["openai", "openrouter", "ollama", "groq"])
@pytest.mark.parametrize(
    "usages",
    [
        [None, None, None, USAGE],
        [
            {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11},
            {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
            USAGE,
            USAGE,
        ],
        [USAGE, USAGE, USAGE, USAGE],
        [USAGE, None, None, None],
    ],
    ids=["last", "so far", "always", "first"],
)
async def test_usage_is_counted_once_however_it_is_reported(provider, usages):
    events = [text("In "), text("1907."), chunk(finish="stop"), chunk() | {"choices": []}]
    sent = [
        event | ({"usage": usage, "x_groq": {"id": "r", "usage": usage}} if usage else {})
        for event, usage in zip(events, usages, strict=True)
    ]

    reply, _ = await ask(provider, stream(*sent))

    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (10, 3)


@pytest.mark.parametrize("provider", CHAT)
@pytest.mark.parametrize(
    "events",
    [
        [call(0, "a", "fetch", '{"url": "x"}'), call(0, "b", "fetch", '{"url": "y"}')],
        [call(0, "a", "fetch", '{"url": "x"}'), call(1, "b", "fetch", '{"url": "y"}')],
        [
            call(0, "a", "fetch", '{"url":'),
            call(0, "a", None, ' "x"}'),
            call(0, "b", "fetch", '{"url": "y"}'),
        ],
    ],
    ids=["same index", "own index", "pieces"],
)
async def test_calls_that_share_an_index_stay_apart(provider, events):
    reply, _ = await ask(provider, stream(*events, chunk(finish="tool_calls")))

    assert [(one.id, one.name, json.loads(one.arguments)) for one in reply.tool_calls] == [
        ("a", "fetch", {"url": "x"}),
        ("b", "fetch", {"url": "y"}),
    ]


@pytest.mark.parametrize("provider", CHAT)
async def test_an_error_inside_a_stream_is_no_answer(provider):
    broken = stream(text("In 19"), {"error": {"message": "overloaded", "code": 529}}, done=False)
    stopped = stream(text("In 19"), chunk(finish="error"))

    for answer in (broken, stopped):
        with pytest.raises(ModelError):
            await ask(provider, answer)


async def test_halves_of_a_character_in_two_events_are_one_character():
    events = stream(text("In 1907 \ud83d"), text("\ude00."), chunk(finish="stop"))

    reply, _ = await ask("openai", events)

    assert reply.text == "In 1907 \U0001f600."


HOLES = {
    "choices of lists": {"choices": [[]]},
    "a delta that is text": {"choices": [{"index": 0, "delta": "907."}]},
    "content that is a number": chunk({"content": 907}),
    "content that is an object": chunk({"content": {"text": "907."}}),
}


@pytest.mark.parametrize("provider", CHAT)
@pytest.mark.parametrize("event", HOLES.values(), ids=HOLES)
async def test_an_event_that_may_have_held_words_leaves_no_answer_with_a_hole(provider, event):
    whole = (text("In 1"), text("907."), chunk(finish="stop"))

    reply, server = await ask(
        provider,
        stream(text("In 1"), chunk() | event, chunk(finish="stop")),
        stream(*whole),
        request_retries=1,
    )

    assert reply.text == "In 1907."
    assert len(server.requests) == 2


@pytest.mark.parametrize("odd", [[[]], [7], [{"content": [1]}], [{"content": {"parts": [7]}}]])
async def test_the_same_for_gemini(odd):
    events = [candidates({"text": "In 1"}, finish=None), candidates(finish="STOP")]
    broken = [events[0], events[0] | {"candidates": odd}, events[1]]

    with pytest.raises(ModelError) as caught:
        await ask("google", stream(*broken, done=False))

    assert caught.value.kind == "connection"


@pytest.mark.parametrize("provider", ["google", "anthropic", "openai"])
async def test_comments_ids_and_pauses_of_a_stream_are_no_data(provider):
    answers = {
        "google": gemini(),
        "anthropic": anthropic(),
        "openai": stream(text("In 1907."), chunk(finish="stop")),
    }
    status, body, headers = answers[provider]
    noisy = b": ping\n\n" + body.replace(b"data: ", b"id: 7\nretry: 5\ndata: ")

    plain, _ = await ask(provider, (status, body, headers))
    reply, _ = await ask(provider, (status, noisy, headers))

    assert reply.text == plain.text != ""
