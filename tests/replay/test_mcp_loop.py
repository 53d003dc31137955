"""A loop over the tools of the MCP server, with a recorded model: it ends as the built-in agent does."""

import asyncio
import json

import pytest
from mcp.client.client import Client

from research_eval.agent import AgentSettings, CustomAgent
from research_eval.agent.mcp_client import McpDriver
from research_eval.dataset import load_cases
from research_eval.experiment import bundled_experiment, load_experiment
from research_eval.runner.build import build_trial
from research_eval.runner.channels import open_channels
from research_eval.runner.options import RunOptions
from research_eval.schema import Message, TrialKey
from research_eval.tool.kit import ToolKit
from research_eval.waiting import Waits

pytestmark = pytest.mark.sockets

NAME = "smollm2-135m"
MOST_CASES = 40
"""Trials of the small model that are looked through for some that end with an answer."""


@pytest.fixture(scope="module")
def bundled(tmp_path_factory):
    experiment = load_experiment(bundled_experiment(), ())
    (configuration,) = (c for c in experiment.settings.configuration if c.name == NAME)
    options = RunOptions(out=tmp_path_factory.mktemp("loop"))
    channels = open_channels(experiment, [configuration], options)
    yield lambda key: build_trial(key, experiment.settings, configuration, channels)
    channels.close()


@pytest.fixture(scope="module")
def answered(bundled):
    """Return three trials in which the recorded model answered, as the built-in agent ran them."""

    async def look():
        found = {}
        for case in load_cases(bundled_experiment().with_name("cases.jsonl"))[:MOST_CASES]:
            live = bundled(TrialKey(case.id, NAME, 1))
            outcome = await live.agent.run(case.question)
            await live.aclose()
            kinds = [event.kind for event in outcome.transcript]
            if "gate" in kinds and "tool" in kinds and outcome.failure is None:
                found[case] = outcome
            if len(found) == 3:
                break
        return list(found.items())

    return asyncio.run(look())


async def loop(session, model, messages):
    """Let the model search and open pages until an answer passes or no retry is left."""
    specs = tuple(
        tool for tool in (await session.list_tools()).tools if tool.name != "submit_answer"
    )
    assert {spec.name for spec in specs} == {"web_search", "fetch"}
    while True:
        reply = await model(tuple(messages))
        said = Message(role="assistant", text=reply.text, tool_calls=reply.tool_calls)
        messages.append(said.model_copy(update={"provider_state": reply.provider_state}))
        for call in reply.tool_calls:
            result = await session.call_tool(call.name, json.loads(call.arguments))
            message = Message(
                role="tool", text=result.content[0].text, tool_call_id=call.id,
                tool_name=call.name, is_error=result.is_error,
            )  # fmt: skip
            messages.append(message)
        if not reply.tool_calls:
            result = await session.call_tool("submit_answer", {"answer": reply.text})
            if not result.is_error:
                return
            messages.append(Message(role="user", text=result.content[0].text))


async def through_mcp(live, question):
    built_in = live.agent
    driver = McpDriver((), None, str, 0)
    agent = CustomAgent(
        AgentSettings(mcp_client=(), max_retries=built_in.settings.max_retries),
        driver,
        trial_id="trial",
        kit=ToolKit(
            fetch=built_in.tool_set.get("fetch"), search=built_in.tool_set.get("web_search")
        ),
        ledger=built_in.ledger,
        gate=built_in._gate,
        log=built_in.log,
        waits=Waits(built_in._clock),
    )
    work = asyncio.create_task(agent.run(question))
    while driver._host is None:  # noqa: ASYNC110  # nobody announces it
        await asyncio.sleep(0.001)
    prompt = built_in.tool_set.system_prompt(built_in.settings.prompt)
    messages = [Message(role="system", text=prompt), Message(role="user", text=question)]

    async def model(messages):
        return await built_in._model.reply(messages, built_in.tool_set.specs)

    async with Client(driver._server.mcp) as session:
        await loop(session, model, messages)
    return await work


def seen(outcome):
    attempts = [
        (event.answer, event.verdict, event.corrective)
        for event in outcome.transcript
        if event.kind == "gate"
    ]
    tools = [(e.tool, e.ok, e.result_sha256) for e in outcome.transcript if e.kind == "tool"]
    return outcome.status, outcome.references, attempts, tools


def test_a_recorded_model_ends_through_the_server_as_it_does_in_the_built_in_agent(
    bundled, answered, monkeypatch
):
    monkeypatch.setattr("research_eval.agent.mcp_client.LEAVE_S", 0.01)

    async def run(case):
        live = bundled(TrialKey(case.id, NAME, 1))
        try:
            return await through_mcp(live, case.question)
        finally:
            await live.aclose()

    assert len(answered) == 3
    for case, built_in in answered:
        assert seen(asyncio.run(run(case))) == seen(built_in), case.id
