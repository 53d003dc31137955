"""One suite over every model: providers, prompted models, reference agents, scripted ones."""

import json

import pytest

from research_eval.model import ModelClient, PromptedModel, reference_agent
from research_eval.schema import Message, ToolCall
from research_eval.testing import ScriptedModel
from tests.unit.wire_lab import ARGUMENTS, CALL_REPLIES, FETCH, QUESTION, TEXT_REPLIES, client

pytestmark = pytest.mark.anyio

CALL = ToolCall(id="call_a", name="fetch", arguments='{"url": "https://port.example/"}')
HISTORY = (
    *QUESTION,
    Message(role="assistant", text="I look.", tool_calls=(CALL,)),
    Message(role="tool", text="Opened 1907.", tool_call_id="call_a", tool_name="fetch"),
    Message(role="assistant", text="In 1907."),
    Message(role="user", text="Cite the page."),
)
OTHERS = {
    "scripted": lambda: ScriptedModel(["In 1907."]),
    "prompted": lambda: PromptedModel(ScriptedModel(["In 1907."])),
    "reference": lambda: reference_agent("no-citer", case_seed="1"),
}


@pytest.fixture(params=[*TEXT_REPLIES, *OTHERS])
def model(request) -> ModelClient:
    if request.param in OTHERS:
        return OTHERS[request.param]()
    return client(request.param, TEXT_REPLIES[request.param])[0]


async def test_a_reply_has_text_or_calls_a_reason_and_counts_as_a_request(model):
    reply = await model.reply(QUESTION, (FETCH,))

    assert reply.text or reply.tool_calls
    assert reply.finish_reason == ("tool_calls" if reply.tool_calls else "stop")
    assert reply.usage.requests == 1


async def test_a_long_conversation_is_taken(model):
    reply = await model.reply(HISTORY, (FETCH,))

    assert reply.text or reply.tool_calls


async def test_a_model_works_without_tools(model):
    assert (await model.reply(QUESTION, ())).finish_reason == "stop"


async def test_a_model_has_a_name(model):
    assert model.name


@pytest.mark.parametrize("provider", list(TEXT_REPLIES))
async def test_a_text_reply_of_every_provider_is_read_whole(provider):
    model, server = client(provider, TEXT_REPLIES[provider])

    reply = await model.reply(QUESTION, (FETCH,))

    assert reply.text == "In 1907."
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (21, 8)
    assert server.requests[0].headers["accept-encoding"] == "gzip"
    assert len(server.requests) == 1


@pytest.mark.parametrize("provider", list(CALL_REPLIES))
async def test_a_tool_call_of_every_provider_is_read_and_answered_under_its_id(provider):
    model, server = client(provider, CALL_REPLIES[provider], TEXT_REPLIES[provider])

    reply = await model.reply(QUESTION, (FETCH,))
    (call,) = reply.tool_calls
    result = Message(role="tool", text="Opened 1907.", tool_call_id=call.id, tool_name="fetch")
    asked = Message(role="assistant", tool_calls=(call,), provider_state=reply.provider_state)
    answer = await model.reply((*QUESTION, asked, result), (FETCH,))

    assert (call.name, call.id) == ("fetch", "call_a")
    assert json.loads(call.arguments) == ARGUMENTS
    assert answer.text == "In 1907."
    assert b"Opened 1907." in server.requests[1].content


@pytest.mark.parametrize("provider", list(CALL_REPLIES))
async def test_the_same_conversation_is_sent_in_the_same_bytes(provider):
    model, server = client(provider, TEXT_REPLIES[provider])

    await model.reply(HISTORY, (FETCH,))
    await model.reply(HISTORY, (FETCH,))

    assert server.requests[0].content == server.requests[1].content
