"""The doubles that users get fail like the real thing."""

import random

import pytest

from research_eval.clock import SystemClock
from research_eval.errors import ConfigError, ModelError
from research_eval.model import ModelSettings, build_model
from research_eval.schema import Message
from research_eval.testing import ScriptedModel, ScriptedTool, call_tool, serve_models

pytestmark = pytest.mark.anyio
ASKED = [Message(role="user", text="When?")]


async def test_a_scripted_model_speaks_in_order_and_remembers():
    model = ScriptedModel(["one", call_tool("fetch")])

    first, second = await model.reply(ASKED, ()), await model.reply(ASKED, ())

    assert first.text == "one"
    assert second.tool_calls[0].name == "fetch"
    assert model.seen == [tuple(ASKED)] * 2


async def test_a_script_may_hold_a_failure():
    with pytest.raises(ModelError, match="down"):
        await ScriptedModel([ModelError("down", kind="server")]).reply(ASKED, ())


async def test_the_end_of_a_script_is_an_error_and_not_an_empty_answer():
    with pytest.raises(ModelError, match="no further reply"):
        await ScriptedModel([]).reply(ASKED, ())


async def test_a_scripted_tool_keeps_its_arguments_and_ends_with_a_failure():
    tool = ScriptedTool("fetch", ["page"], ["url"])

    first, second = await tool({"url": "a"}), await tool({"url": "b"})

    assert (first.text, first.ok, second.ok) == ("page", True, False)
    assert tool.calls == [{"url": "a"}, {"url": "b"}]
    assert list(tool.spec.parameters["properties"]) == ["url"]


@pytest.fixture
def served():
    """A model that searches, then says what it read; the run's own client asks it."""

    def reply(messages):
        read = [message.text for message in messages if message.role == "tool"]
        return f"I read: {read[0]}" if read else call_tool("web_search", '{"query": "port"}')

    with serve_models({"one": reply, "other": lambda messages: messages[0].role}) as address:

        def model(name):
            return build_model(
                ModelSettings(name=f"openai:{name}", base_url=address, request_retries=0),
                transport=None, secrets={}, clock=SystemClock(), rng=random.Random(1), case_seed="a",
            )  # fmt: skip

        yield model


@pytest.mark.sockets
async def test_a_served_script_is_a_model_behind_a_provider(served):
    first = await served("one").reply(ASKED, ())
    asked = Message(role="assistant", tool_calls=first.tool_calls)
    result = Message(role="tool", text="1907", tool_call_id="call_1", tool_name="web_search")
    second = await served("one").reply([*ASKED, asked, result], ())

    assert (first.finish_reason, first.tool_calls[0].arguments) == (
        "tool_calls",
        '{"query": "port"}',
    )
    assert (second.text, second.finish_reason, second.model) == ("I read: 1907", "stop", "one")
    assert second.usage.input_tokens > first.usage.input_tokens > 0
    assert (
        await served("other").reply([Message(role="system", text="a"), *ASKED], ())
    ).text == "system"


@pytest.mark.sockets
async def test_a_script_that_nobody_serves_is_named_with_those_that_are(served):
    with pytest.raises(ModelError, match="no model 'third'; known: one, other"):
        await served("third").reply(ASKED, ())


def test_a_port_that_is_taken_is_refused():
    with serve_models({}) as address:
        again = serve_models({}, port=int(address.rpartition(":")[2].removesuffix("/v1")))
        with pytest.raises(ConfigError, match="cannot listen"):
            again.__enter__()
