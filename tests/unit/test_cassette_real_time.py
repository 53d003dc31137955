"""Replay on a machine that stands still: no real time decides what a trial gets."""

import asyncio
import random
import time

import httpx2
import pytest

from research_eval.cassette import ModelCassettes
from research_eval.clock import SystemClock, VirtualClock
from research_eval.errors import ModelError
from research_eval.model import ModelSettings, build_model
from research_eval.schema import TrialKey
from tests.unit.wire_lab import QUESTION, chat

KEY = TrialKey("case", "configuration", 1)
EVENT = 'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"%s"},"finish_reason":%s}]}\n\n'
EVENTS = [(EVENT % (word, "null")).encode() for word in ("In ", "1907", ".")]
LIMIT_S = 0.02

pytestmark = pytest.mark.anyio


class Pieces(httpx2.AsyncByteStream):
    """A body that comes in pieces, before each of which the whole process stands still for a while."""

    def __init__(self, pieces, stand_still_s=0.0):
        self._pieces, self._stand_still_s = pieces, stand_still_s

    async def __aiter__(self):
        async for piece in self._pieces:
            await stand_still(self._stand_still_s)
            yield piece


async def stand_still(seconds):
    """Block the event loop, and let it see how late it is."""
    time.sleep(seconds)  # noqa: ASYNC251  # it is to block
    for _ in range(3):
        await asyncio.sleep(0)


class Stalled(httpx2.AsyncBaseTransport):
    """Answers by another transport, much later than any limit allows."""

    def __init__(self, inner):
        self._inner = inner

    async def handle_async_request(self, request):
        await stand_still(3 * LIMIT_S)
        response = await self._inner.handle_async_request(request)
        pieces = Pieces(response.stream, 3 * LIMIT_S)
        return httpx2.Response(response.status_code, headers=response.headers, stream=pieces)


async def server(request):
    if b'"stream":true' not in await request.aread():
        return httpx2.Response(200, json=chat())

    async def events():
        for event in [*EVENTS, (EVENT % ("", '"stop"')).encode(), b"data: [DONE]\n\n"]:
            yield event

    kind = {"content-type": "text/event-stream"}
    return httpx2.Response(200, headers=kind, stream=Pieces(events()))


async def ask(transport, clock, timeout_s, *, stream):
    model = build_model(
        ModelSettings(
            name="openai:m",
            base_url="http://h/v1",
            timeout_s=timeout_s,
            request_retries=0,
            stream=stream,
        ),
        transport=transport,
        secrets={},
        clock=clock,
        rng=random.Random(1),
        case_seed="1",
    )
    return await model.reply(QUESTION, ())


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
async def test_a_replay_that_is_held_up_gets_what_was_recorded(tmp_path, stream):
    recording = ModelCassettes(tmp_path, mode="record", stopwatch=VirtualClock()).session(
        KEY, SystemClock()
    )
    inner = httpx2.MockTransport(server)
    live = await ask(recording.transport(inner), SystemClock(), 60.0, stream=stream)
    clock = VirtualClock()
    session = ModelCassettes(tmp_path, mode="replay").session(KEY, clock)

    replayed = await ask(Stalled(session.transport()), clock, LIMIT_S, stream=stream)

    assert replayed == live
    assert replayed.text == "In 1907."
    assert str(session.verdict()) == "hit 1/1"


async def hanging_server(request):
    async def events():
        yield EVENTS[0]
        await stand_still(0.3)
        yield EVENTS[1]
        await asyncio.Event().wait()

    kind = {"content-type": "text/event-stream"}
    return httpx2.Response(200, headers=kind, stream=Pieces(events()))


async def test_a_reply_whose_time_is_up_between_two_pieces_is_given_up_in_the_replay_as_well(
    tmp_path,
):
    recording = ModelCassettes(tmp_path, mode="record").session(KEY, SystemClock())
    transport = recording.transport(httpx2.MockTransport(hanging_server))
    with pytest.raises(ModelError) as live:
        await ask(transport, SystemClock(), 0.2, stream=True)
    recording.close()
    clock = VirtualClock()
    session = ModelCassettes(tmp_path, mode="replay").session(KEY, clock)

    with pytest.raises(ModelError) as replayed:
        await ask(session.transport(), clock, 0.2, stream=True)

    assert (str(replayed.value), replayed.value.kind) == (str(live.value), "timeout")
    assert str(session.verdict()) == "hit 1/1"
