"""Tools in plain text: what the model is shown, what is read out of its replies."""

import json

import pytest
from hypothesis import given, strategies as st

from research_eval.model.prompted import PromptedModel, find_call, in_words
from research_eval.schema import Message, ModelReply, ToolCall, ToolSpec
from research_eval.testing import ScriptedModel

SEARCH = ToolSpec(
    name="web_search",
    description="",
    parameters={"properties": {"query": {}, "max_results": {}}, "required": ["query"]},
)
FETCH = ToolSpec(
    name="fetch", description="", parameters={"properties": {"url": {}}, "required": ["url"]}
)
TOOLS = (SEARCH, FETCH)
CALL = ToolCall(id="c1", name="web_search", arguments='{"query": "port"}')
TALK = (
    Message(role="system", text="Be brief."),
    Message(role="user", text="When did it open?"),
    Message(role="assistant", tool_calls=(CALL,)),
    Message(role="tool", text="0123456789" * 20, tool_call_id="c1", tool_name="web_search"),
)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ('{"tool": "web_search", "query": "a b"}', ("web_search", {"query": "a b"})),
        ('Sure!\n{"tool": "fetch", "url": "https://a/"} ok', ("fetch", {"url": "https://a/"})),
        ('{"tool": "fetch", "url": "https://a/', ("fetch", {"url": "https://a/"})),
        ('```json\n{"tool": "fetch", "url": "https://a/"}\n```', ("fetch", {"url": "https://a/"})),
        ('{"name": "fetch", "arguments": {"url": "https://a/"}}', ("fetch", {"url": "https://a/"})),
        (
            '{"tool": "web_search", "query": "x", "max_results": 3',
            ("web_search", {"query": "x", "max_results": 3}),
        ),
        ('web_search("port of Lenz")', ("web_search", {"query": "port of Lenz"})),
        ("fetch: https://a.example/", ("fetch", {"url": "https://a.example/"})),
        ('{"tool": "web_search", "query": "caf\\u00e9"}', ("web_search", {"query": "café"})),
        ('{"tool": "browse", "url": "https://a/"}', None),
        ("It opened in 1907 (https://a.example/).", None),
        ("I will fetch the page.", None),
        ("{}", None),
        ("", None),
    ],
)
def test_a_call_is_read_however_carelessly_it_is_written(text, call):
    assert find_call(text, TOOLS) == call


@given(st.text(alphabet='{}[]":,\\ abfetchurlweb_search(0', max_size=80))
def test_any_text_is_read_without_an_error(text):
    call = find_call(text, TOOLS)

    assert call is None or call[0] in {"web_search", "fetch"}


def test_what_is_shown_is_text_alone_and_takes_turns():
    shown = in_words(TALK, TOOLS)

    assert {message.role for message in shown} == {"system", "user", "assistant"}
    assert all(not message.tool_calls for message in shown)
    turns = [message.role for message in shown[1:]]
    assert turns == ["user", "assistant"] * (len(turns) // 2) + ["user"]


def test_a_call_is_shown_in_the_form_in_which_it_is_asked_for():
    shown = in_words(TALK, TOOLS)

    assert json.loads(shown[-2].text) == {"tool": "web_search", "query": "port"}
    assert find_call(shown[-2].text, TOOLS) == ("web_search", {"query": "port"})


def test_the_examples_use_only_the_tools_that_there_are():
    shown = in_words(TALK[:2], (FETCH,))

    assert not any("web_search" in message.text for message in shown)


def test_a_long_result_is_cut_for_the_model():
    (*_, result) = in_words(TALK, TOOLS, 100)

    assert "0123456789" * 10 in result.text
    assert "0123456789" * 10 + "0" not in result.text


def test_a_corrective_follows_as_a_user_turn_without_being_a_question():
    talk = (*TALK[:2], Message(role="assistant", text="1907."), Message(role="user", text="No."))

    shown = in_words(talk, TOOLS)

    assert shown[-3].text == "Question: When did it open?"
    assert shown[-1].text == "No."


@pytest.mark.anyio
async def test_a_call_in_the_text_becomes_a_tool_call_with_an_id_that_repeats():
    said = '{"tool": "fetch", "url": "https://a.example/"}'
    model = PromptedModel(ScriptedModel([said, said]))

    first = await model.reply(TALK[:2], TOOLS)
    later = await model.reply(TALK, TOOLS)

    assert first.finish_reason == "tool_calls"
    assert first.text == ""
    assert (first.tool_calls[0].id, later.tool_calls[0].id) == ("call_1_1", "call_2_1")


@pytest.mark.anyio
@pytest.mark.parametrize("reason", ["refusal", "content_filter"])
async def test_a_refusal_is_never_read_as_a_call(reason):
    said = ModelReply(text='{"tool": "fetch", "url": "https://a.example/"}', finish_reason=reason)

    reply = await PromptedModel(ScriptedModel([said])).reply(TALK[:2], TOOLS)

    assert reply == said
