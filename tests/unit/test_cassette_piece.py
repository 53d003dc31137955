"""A key that a model says in pieces of a few letters: in no recording, and never before the agent."""

import json

import httpx
import pytest

from research_eval.cassette import Redactor, WebCassettes
from research_eval.clock import VirtualClock
from research_eval.schema import TrialKey
from tests.json_value import texts_of

KEY = 'sk-live/0123+4567"89-abcde'
SECRETS = Redactor({"API_KEY": KEY})
pytestmark = pytest.mark.anyio

SHAPES = {
    "chat completions": lambda text: {"id": "x", "choices": [{"index": 0, "delta": {"content": text}}]},
    "chat tool call": lambda text: {
        "choices": [{"delta": {"tool_calls": [{"index": 1, "function": {"arguments": text}}]}}]
    },
    "chat reasoning": lambda text: {"choices": [{"index": 0, "delta": {"reasoning_content": text}}]},
    "responses": lambda text: {"type": "response.output_text.delta", "item_id": "m", "delta": text},
    "messages": lambda text: {
        "type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text},
    },
    "messages tool call": lambda text: {
        "type": "content_block_delta", "index": 2,
        "delta": {"type": "input_json_delta", "partial_json": text},
    },
    "gemini": lambda text: {"candidates": [{"content": {"parts": [{"text": text}], "role": "model"}}]},
    "ollama": lambda text: {"message": {"role": "assistant", "content": text}, "done": False},
}  # fmt: skip


class Pieces(httpx.AsyncByteStream):
    def __init__(self, pieces):
        self.pieces = pieces

    async def __aiter__(self):
        for piece in self.pieces:
            yield piece


async def ask(folder, mode, pieces, kind, redactor):
    inner = httpx.MockTransport(
        lambda _: httpx.Response(200, headers={"content-type": kind}, stream=Pieces(pieces))
    )
    session = WebCassettes(folder, mode=mode, redactor=redactor).session(
        TrialKey("case", "configuration", 1), VirtualClock()
    )
    inner = None if mode == "replay" else inner
    async with httpx.AsyncClient(transport=session.transport(inner)) as client:
        response = await client.get("https://a.example/x")
    session.close()
    return response.text


def said(stream, make):
    """Return the text that the deltas of a stream make, as a client would."""
    quiet = texts_of(make("\0"))
    place = quiet.index("\0")
    lines = [line.removeprefix("data: ") for line in stream.split("\n") if "{" in line]
    return "".join(texts_of(json.loads(line))[place] for line in lines)


@pytest.mark.parametrize("spelled", [KEY, json.dumps(KEY)[1:-1], KEY.replace("+", "%2B")])
@pytest.mark.parametrize("size", [1, 4, 7])
@pytest.mark.parametrize("shape", SHAPES)
async def test_a_key_in_pieces_is_taken_out_and_the_rest_is_said(tmp_path, shape, size, spelled):
    make, text = SHAPES[shape], f"The key is {spelled}, said the server."
    is_sse = shape != "ollama"
    kind = "text/event-stream" if is_sse else "application/x-ndjson"
    events = [
        f"data: {json.dumps(make(text[at : at + size]))}\n\n" if is_sse
        else json.dumps(make(text[at : at + size])) + "\n"
        for at in range(0, len(text), size)
    ]  # fmt: skip
    sent = [event.encode() for event in events]

    seen = await ask(tmp_path, "record", sent, kind, SECRETS)
    replayed = await ask(tmp_path, "replay", sent, kind, Redactor())

    assert said(seen, make) == "The key is SCRUBBED, said the server."
    assert replayed == seen
    assert len(seen.split("\n")) == len("".join(events).split("\n"))
    written = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY[4:12] not in written


async def test_two_texts_in_turn_are_told_apart(tmp_path):
    make = SHAPES["messages"]
    half = len(KEY) // 2
    events = [make(KEY[:half]), make("other") | {"index": 1}, make(KEY[half:])]
    sent = [f"data: {json.dumps(event)}\n\n".encode() for event in events]

    seen = await ask(tmp_path, "record", sent, "text/event-stream", SECRETS)

    texts = [json.loads(line[6:])["delta"]["text"] for line in seen.split("\n") if line]
    assert texts == ["SCRUBBED", "other", ""]


async def test_a_stream_without_a_key_passes_event_by_event_and_unchanged(tmp_path):
    make = SHAPES["chat completions"]
    sent = [
        f"data: {json.dumps(make(word))}\r\n\r\n".encode() for word in ["a!", "b sk-", "c\u00e9 &"]
    ]

    assert (
        await ask(tmp_path, "record", sent, "text/event-stream", SECRETS) == b"".join(sent).decode()
    )
