"""The official SDK clients stream through a recorded and a replayed cassette."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest

from research_eval.errors import CassetteMissError

lab = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "unit" / "cassette_lab.py")))
KEY = "sk-live-0123456789abcdef"
pytestmark = pytest.mark.anyio


def openai_events():
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m-1"}
    for word in ("The ", "capital ", "is ", "Paris."):
        yield {**base, "choices": [{"index": 0, "delta": {"content": word}, "finish_reason": None}]}
    yield {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield {
        **base,
        "choices": [],
        "usage": {"prompt_tokens": 7, "completion_tokens": 4, "total_tokens": 11},
    }


def anthropic_events():
    message = {
        "id": "msg-1",
        "type": "message",
        "role": "assistant",
        "model": "m-1",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 7, "output_tokens": 1},
    }
    yield "message_start", {"message": message}
    yield "content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}
    for word in ("The ", "capital ", "is ", "Paris."):
        yield "content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": word}}
    yield "content_block_stop", {"index": 0}
    yield (
        "message_delta",
        {
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 4},
        },
    )
    yield "message_stop", {}


def stream(chunks):
    headers = {
        "content-type": "text/event-stream",
        "openai-organization": "org-1",
        "request-id": "r-1",
    }
    return lambda _: httpx2.Response(200, headers=headers, stream=lab.pieces(httpx2, chunks))


async def ask_openai(client, question="What is the capital of France?"):
    openai = pytest.importorskip("openai")
    sdk = openai.AsyncOpenAI(api_key=KEY, http_client=client, max_retries=2)
    found, usage = [], None
    stream = await sdk.chat.completions.create(
        model="m-1",
        messages=[{"role": "user", "content": question}],
        stream=True,
        stream_options={"include_usage": True},
    )
    async for chunk in stream:
        found += [choice.delta.content for choice in chunk.choices if choice.delta.content]
        usage = chunk.usage or usage
    return found, usage.total_tokens


async def ask_anthropic(client, question="What is the capital of France?"):
    anthropic = pytest.importorskip("anthropic")
    sdk = anthropic.AsyncAnthropic(api_key=KEY, http_client=client, max_retries=2)
    found = []
    async with sdk.messages.stream(
        model="m-1", max_tokens=64, messages=[{"role": "user", "content": question}]
    ) as stream:
        found += [text async for text in stream.text_stream]
        final = await stream.get_final_message()
    return found, final.usage.output_tokens


SDKS = {
    "openai": (
        ask_openai,
        [
            *(f"data: {json.dumps(event)}\n\n".encode() for event in openai_events()),
            b"data: [DONE]\n\n",
        ],
        11,
    ),
    "anthropic": (
        ask_anthropic,
        [
            f"event: {name}\ndata: {json.dumps({'type': name, **event})}\n\n".encode()
            for name, event in anthropic_events()
        ],
        4,
    ),
}


@pytest.mark.parametrize("sdk", SDKS)
async def test_a_real_client_streams_through_a_replayed_cassette(tmp_path, sdk):
    ask, chunks, tokens = SDKS[sdk]
    cassettes = lab.Lab(tmp_path, httpx2, "model")
    live = await cassettes.record(stream(chunks), ask)
    played = await cassettes.replay(ask)

    assert live == played == (["The ", "capital ", "is ", "Paris."], tokens)
    assert str(cassettes.session.verdict()) == "hit 1/1"
    text = lab.everything_in(tmp_path)
    assert KEY not in text
    assert "org-1" not in text
    assert "x-stainless" not in text.lower()


@pytest.mark.parametrize("sdk", SDKS)
async def test_a_miss_passes_a_real_client_at_once_and_unchanged(tmp_path, sdk):
    ask, chunks, _ = SDKS[sdk]
    cassettes = lab.Lab(tmp_path, httpx2, "model")
    await cassettes.record(stream(chunks), ask)
    asked = []

    async def other(client):
        client.event_hooks["request"].append(lambda request: _note(asked, request))
        return await ask(client, "What is the capital of Spain?")

    with pytest.raises(CassetteMissError, match=r"differs at messages\[0\]\.content"):
        await cassettes.replay(other)
    assert len(asked) == 1


async def _note(asked, request):
    asked.append(request)


@pytest.mark.parametrize("sdk", SDKS)
async def test_a_stream_that_broke_breaks_again_inside_the_client(tmp_path, sdk):
    ask, chunks, _ = SDKS[sdk]

    def broken(request):
        error = httpx2.ReadError("reset", request=request)
        headers = {"content-type": "text/event-stream"}
        return httpx2.Response(
            200, headers=headers, stream=lab.pieces(httpx2, chunks[:3], error=error)
        )

    async def talk(client):
        with pytest.raises(Exception, match=r"(?i)connection|reset") as caught:
            await ask(client)
        return type(caught.value)

    cassettes = lab.Lab(tmp_path, httpx2, "model")

    assert await cassettes.record(broken, talk) == await cassettes.replay(talk)


@pytest.mark.parametrize("sdk", SDKS)
async def test_a_rate_limit_and_the_clients_own_second_try_are_two_recordings(tmp_path, sdk):
    ask, chunks, tokens = SDKS[sdk]
    answers = iter(
        [
            lambda _: httpx2.Response(
                429, headers={"retry-after-ms": "1"}, json={"error": {"message": "slow down"}}
            ),
            stream(chunks),
        ]
    )
    cassettes = lab.Lab(tmp_path, httpx2, "model")
    live = await cassettes.record(lambda request: _call(next(answers), request), ask)

    assert live == await cassettes.replay(ask)
    assert live[1] == tokens
    assert str(cassettes.session.verdict()) == "hit 2/2"


def _call(answer, request):
    return answer(request)
