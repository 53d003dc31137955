"""Whatever field around an answer is lost or odd, the answer is kept; any reply is read or refused."""

import copy
import json
import random

import pytest

from research_eval.errors import ModelError
from tests.unit.wire_lab import ARGUMENTS, CALL_REPLIES, FETCH, QUESTION, TEXT_REPLIES, client

pytestmark = pytest.mark.anyio

GONE = object()
VALUES = [GONE, None, "zz", "", 7, 1.5, -1, [], {}, [{}], True, "\ud83d"]
ANSWER = {
    "openai-responses": ("output",),
    "anthropic": ("content",),
    "google": ("candidates",),
    "bedrock": ("output",),
}
"""Where the formats keep what a model said; chat completions keep it in `choices`."""

BESIDE = {"index", "role", "type", "id", "call_id", "status", "annotations", "toolUseId"}
"""Fields inside an answer that it can do without; `type` only where the format has one type."""


def places(value, place=()):
    """Yield the path of everything inside a JSON value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for name, item in pairs:
        yield (*place, name)
        if isinstance(item, dict | list):
            yield from places(item, (*place, name))


def changed(reply, place, value):
    """Return the reply with another value at `place`."""
    reply = copy.deepcopy(reply)
    holder = reply
    for name in place[:-1]:
        holder = holder[name]
    if value is GONE:
        holder.pop(place[-1])
    else:
        holder[place[-1]] = value
    return reply


def is_beside(provider, place):
    """Return whether a field is none that the answer stands in, or is known by."""
    inside = place[: len(ANSWER.get(provider, ("choices",)))]
    if inside != ANSWER.get(provider, ("choices",)):
        return True
    if place[-1] not in BESIDE:
        return False
    return provider not in {"anthropic", "openai-responses"} or place[-1] != "type"


def is_whole(reply):
    if reply.tool_calls:
        return reply.tool_calls[0].arguments == json.dumps(ARGUMENTS)
    return reply.text == "In 1907."


CASES = [
    (kind, provider, place)
    for kind, replies in (("text", TEXT_REPLIES), ("call", CALL_REPLIES))
    for provider, reply in replies.items()
    for place in places(reply)
]


@pytest.mark.parametrize(("kind", "provider"), sorted({case[:2] for case in CASES}))
async def test_an_answer_survives_whatever_stands_around_it(kind, provider):
    reply = {"text": TEXT_REPLIES, "call": CALL_REPLIES}[kind][provider]
    rng = random.Random(f"{kind} {provider}")

    lost = []
    for place in (p for k, name, p in CASES if (k, name) == (kind, provider)):
        for value in rng.sample(VALUES, len(VALUES)):
            model, _ = client(provider, changed(reply, place, value))
            try:
                whole = is_whole(await model.reply(QUESTION, (FETCH,)))
            except ModelError:
                whole = False
            if not whole and is_beside(provider, place):
                lost.append((place, value))
    assert lost == []
