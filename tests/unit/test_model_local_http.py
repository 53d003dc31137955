"""A provider's client against a real OpenAI-compatible server on 127.0.0.1."""

import random
import socket
from http.server import ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from research_eval.agent import AgentSettings, EventLog, ResearchAgent
from research_eval.clock import SystemClock
from research_eval.errors import ModelError
from research_eval.gate import load_gate
from research_eval.ledger import SourceRegistry
from research_eval.model import ModelSettings, build_model
from research_eval.testing import ScriptedTool
from research_eval.tool.kit import ToolKit
from tests.json_server import JsonHandler, serving
from tests.unit.wire_lab import QUESTION, chat, chat_call

pytestmark = [pytest.mark.anyio, pytest.mark.sockets]


class Handler(JsonHandler):
    """Calls a tool first, answers once it sees the result; limits every second request."""

    def post(self, body):
        self.server.seen.append((self.path, dict(self.headers), body))
        if self.server.grumpy and len(self.server.seen) % 2:
            return self.send(429, {"error": {"message": "slow down"}}, ("retry-after", "0"))
        if any(message["role"] == "tool" for message in body["messages"]):
            return self.send(200, chat({"content": "In 1907, I believe."}))
        calls = {"content": None, "tool_calls": [chat_call()]}
        return self.send(200, chat(calls, finish="tool_calls"))


@pytest.fixture
def server():
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.seen, http.grumpy = [], False
    with serving(http):
        yield http


def model(server, **settings):
    return build_model(
        ModelSettings(
            name="openai:local",
            base_url=f"http://127.0.0.1:{server.server_port}/v1",
            max_tokens_field="max_tokens",
            seed="trial",
            **settings,
        ),
        transport=None,
        secrets={},
        clock=SystemClock(),
        rng=random.Random(1),
        case_seed="a/1",
    )


async def run(server, **settings):
    clock = SystemClock()
    log = EventLog(clock)
    agent = ResearchAgent(
        AgentSettings(max_retries=0),
        model=model(server, **settings),
        kit=ToolKit(fetch=ScriptedTool("fetch", ["It opened in 1907."], ["url"])),
        ledger=SourceRegistry(),
        gate=load_gate("default"),
        log=log,
        clock=clock,
    )
    return await agent.run("When did the port open?")


async def test_a_trial_runs_over_real_sockets(server):
    outcome = await run(server)

    path, headers, first = server.seen[0]
    assert (outcome.status, outcome.answer) == ("rejected", "In 1907, I believe.")
    assert outcome.usage.input_tokens == 42
    assert path == "/v1/chat/completions"
    assert headers["accept-encoding"] == "gzip"
    assert first["max_tokens"] == 8192
    assert first["tools"][0]["function"]["name"] == "fetch"
    assert isinstance(first["seed"], int)
    assert [message["role"] for message in server.seen[1][2]["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
    ]


async def test_a_limited_request_is_sent_again(server):
    server.grumpy = True

    outcome = await run(server)

    assert outcome.status == "rejected"
    assert len(server.seen) == 4


async def test_a_server_that_is_gone_is_a_connection_error():
    with socket.socket() as held:  # its port is nobody else's, and nobody listens there
        held.bind(("127.0.0.1", 0))
        gone = SimpleNamespace(server_port=held.getsockname()[1])
        with pytest.raises(ModelError) as caught:
            await model(gone, request_retries=0).reply(QUESTION, ())

    assert caught.value.kind == "connection"
