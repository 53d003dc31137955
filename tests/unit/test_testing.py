"""The doubles that users get fail like the real thing."""

import pytest

from research_eval.errors import ModelError
from research_eval.schema import Message
from research_eval.testing import ScriptedModel, ScriptedTool, call_tool

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
