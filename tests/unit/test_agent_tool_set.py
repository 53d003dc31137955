"""One choice of tools decides prompt, description and agent card."""

import re

import pytest

from research_eval.agent import PromptSettings, ToolSet
from research_eval.errors import ConfigError
from research_eval.testing import ScriptedTool
from research_eval.tool.kit import ToolKit

FETCH = ScriptedTool("fetch", [], ["url"])
SEARCH = ScriptedTool("web_search", [], ["query"])
PLAIN = PromptSettings()


def test_all_the_kit_has_is_the_default():
    kit = ToolKit(fetch=FETCH, search=SEARCH)

    assert kit.available_tool_ids == ("web_search", "fetch")
    assert ToolSet(kit).ids == ("web_search", "fetch")


def test_fetch_survives_an_empty_set():
    assert ToolSet(ToolKit(fetch=FETCH, search=SEARCH), ()).ids == ("fetch",)


def test_search_needs_a_provider():
    kit = ToolKit(fetch=FETCH)

    assert kit.available_tool_ids == ("fetch",)
    with pytest.raises(ConfigError, match=r"web_search.*this kit has: fetch"):
        ToolSet(kit, ("web_search",))


def test_the_order_asked_for_does_not_matter():
    kit = ToolKit(fetch=FETCH, search=SEARCH)

    assert ToolSet(kit, ("fetch", "web_search")).specs == (SEARCH.spec, FETCH.spec)


def test_two_tools_may_not_share_an_id():
    with pytest.raises(ConfigError, match="share an id"):
        ToolKit(fetch=FETCH, extra=[ScriptedTool("fetch", [])])


@pytest.mark.parametrize("form", ["full", "short"])
def test_a_prompt_never_speaks_of_a_tool_that_is_not_there(form):
    kit = ToolKit(fetch=FETCH, search=SEARCH)
    settings = PromptSettings(form=form)

    with_search = ToolSet(kit).system_prompt(settings)
    without = ToolSet(kit, ()).system_prompt(settings)

    assert re.search(r"\b(web_)?search\b", with_search, re.IGNORECASE)
    assert not re.search(r"\b(web_)?search\b", without, re.IGNORECASE)
    assert "fetch" in without
    assert "{" not in with_search + without


def test_description_and_card_follow_the_same_choice():
    kit = ToolKit(fetch=FETCH, search=SEARCH)
    card = ToolSet(kit, ()).agent_card(url="https://agent.example/a2a", version="1.2")

    assert [skill["id"] for skill in card["skills"]] == ["fetch"]
    assert card["description"] == ToolSet(kit, ()).description()
    assert "Searches" not in card["description"]
    assert "Searches" in ToolSet(kit).description()


def test_the_agent_card_holds_what_the_protocol_requires():
    card = ToolSet(ToolKit(fetch=FETCH)).agent_card(url="https://agent.example/a2a", version="1.2")

    required = {
        "name",
        "description",
        "version",
        "supportedInterfaces",
        "capabilities",
        "defaultInputModes",
        "defaultOutputModes",
        "skills",
    }
    assert required <= card.keys()
    assert all({"id", "name", "description", "tags"} <= skill.keys() for skill in card["skills"])


def test_a_tool_of_ones_own_stands_in_prompt_and_card():
    tool = ScriptedTool("glossary", [], ["word"])
    chosen = ToolSet(ToolKit(fetch=FETCH, extra=[tool]))

    assert chosen.ids == ("fetch", "glossary")
    assert "`glossary`: A scripted glossary." in chosen.system_prompt(PLAIN)
    assert chosen.get("glossary") is tool


def test_style_language_and_further_words_are_settings():
    chosen = ToolSet(ToolKit(fetch=FETCH))
    default = chosen.system_prompt(PLAIN)
    other = chosen.system_prompt(
        PromptSettings(answer_style="report", answer_language="French", extra="Be kind.")
    )

    assert "concisely" in default
    assert "language of the question" in default
    assert "report" in other
    assert "French" in other
    assert other.endswith("Be kind.")
