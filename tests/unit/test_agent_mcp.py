"""Agents that are MCP clients: what they are offered, and that whatever they do ends their own trial at most."""

import asyncio
import socket
import sys
import textwrap
from pathlib import Path

import pytest
from mcp.client.client import Client

from research_eval.agent import AgentSettings, CustomAgent, EventLog, Surroundings, open_driver
from research_eval.agent.mcp_client import _filled
from research_eval.clock import VirtualClock
from research_eval.errors import ConfigError
from research_eval.gate import load_gate
from research_eval.ledger import SourceRegistry
from research_eval.schema import Fetched
from research_eval.testing import ScriptedTool
from research_eval.tool.kit import ToolKit
from research_eval.tool.protocol import ToolOutcome
from research_eval.waiting import Waits

pytestmark = pytest.mark.sockets

PAGE = "https://example.org/page"
QUESTION = "What is it?"


class OpeningTool(ScriptedTool):
    """A `fetch` that opens whatever it is asked for, and may take a while."""

    def __init__(self, ledger):
        super().__init__("fetch", [], ["url"])
        self.ledger = ledger
        self.may_end = asyncio.Event()
        self.may_end.set()
        self.under_way = lambda: 0

    async def __call__(self, arguments):
        await self.may_end.wait()
        url = str(arguments.get("url"))
        self.ledger.add_page(Fetched(url=url, final_url=url, ok=True, title="Page"), "words")
        return ToolOutcome(text=f"words of {url}")


def agent_of(settings, folder=Path(), place=None):
    clock, ledger = VirtualClock(), SourceRegistry()
    around = Surroundings(folder, None, str, place)
    tool = OpeningTool(ledger)
    agent = CustomAgent(
        settings, open_driver(settings, around), trial_id="case/own/1", kit=ToolKit(fetch=tool),
        ledger=ledger, gate=load_gate("default"), log=EventLog(clock), waits=Waits(clock),
    )  # fmt: skip
    return agent, tool


@pytest.fixture
def leaves_at_once(monkeypatch):
    """Wait for no client that may still come back."""
    monkeypatch.setattr("research_eval.agent.mcp_client.LEAVE_S", 0.1)


async def until(condition):
    while not condition():  # noqa: ASYNC110  # of the server's state, which nobody announces
        await asyncio.sleep(0.001)


def connected(client, **settings):
    """Return the outcome of a trial, and what `client` returned, which connects by itself."""

    async def run():
        with socket.create_server(("127.0.0.1", 0)) as found:
            port = found.getsockname()[1]
        agent, tool = agent_of(AgentSettings(mcp_client=(), **settings), place=port)
        driver = agent._driver
        tool.under_way = lambda: len(driver._server._work)
        work = asyncio.create_task(agent.run(QUESTION))
        await until(lambda: driver._host is not None)
        said = []
        try:
            async with Client(f"http://127.0.0.1:{port}/mcp") as session:
                said = await client(session, tool)
        except* Exception:  # noqa: BLE001
            assert said  # the server may be gone when the client says good-bye
        return await work, said

    return asyncio.run(run())


async def say(session, name, **arguments):
    result = await session.call_tool(name, arguments)
    return not result.is_error, result.content[0].text


@pytest.mark.usefixtures("leaves_at_once")
def test_a_client_is_told_the_question_offered_the_tools_and_corrected_until_it_passes():
    async def client(session, _):
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        said = [session.instructions, set(tools), tools["submit_answer"].input_schema["required"]]
        for name, given in (
            ("submit_answer", {"answer": f"See {PAGE}"}),
            ("fetch", {"url": PAGE}),
            ("submit_answer", {"answer": f"See {PAGE}"}),
        ):
            said.append(await say(session, name, **given))
        return said

    outcome, (told, names, required, first, page, last) = connected(client)
    assert told.endswith(QUESTION)
    assert (names, required) == ({"fetch", "submit_answer"}, ["answer"])
    assert (first[0], page, last[0]) == (False, (True, f"words of {PAGE}"), True)
    assert PAGE in first[1]
    assert "trial is over" in last[1]
    assert (outcome.status, outcome.answer) == ("completed", f"See {PAGE}")
    kinds = [event.kind for event in outcome.transcript]
    assert kinds == ["model", "gate", "tool", "model", "gate"]
    assert outcome.transcript[1].corrective == first[1]
    assert outcome.usage.unmeasured_requests == 2


def test_retries_end_and_nothing_is_served_after():
    async def client(session, _):
        said = [await say(session, "submit_answer", answer=f"See {PAGE}") for _ in range(2)]
        return [*said, await say(session, "fetch", url=PAGE)]

    outcome, said = connected(client, max_retries=1)
    assert outcome.status == "rejected"
    assert [ok for ok, _ in said] == [False, True, False]
    assert not outcome.transcript[-1].verdict.passed
    assert "no tool is served" in said[2][1]


@pytest.mark.usefixtures("leaves_at_once")
def test_what_is_no_call_is_told_and_costs_nothing():
    async def client(session, _):
        return [
            await say(session, "submit_answer", answer=3),
            await say(session, "browser", url=PAGE),
            await say(
                session, "submit_answer", answer="none \ud800".encode("utf-8", "replace").decode()
            ),
        ]

    outcome, said = connected(client, max_retries=0)
    assert [ok for ok, _ in said] == [False, False, True]
    assert "expected a text" in said[0][1]
    assert "no tool named" in said[1][1]
    assert len([event for event in outcome.transcript if event.kind == "gate"]) == 1


@pytest.mark.usefixtures("leaves_at_once")
def test_calls_that_come_together_are_served_in_order_and_before_the_answer_is_judged():
    async def client(session, tool):
        tool.may_end.clear()
        calls = []
        for number in range(3):
            calls.append(asyncio.create_task(say(session, "fetch", url=f"{PAGE}/{number}")))
            await until(lambda: tool.under_way() == len(calls))
        answer = asyncio.create_task(say(session, "submit_answer", answer=f"See {PAGE}/2"))
        await until(lambda: tool.under_way() == 4)
        tool.may_end.set()
        return [await one for one in (*calls, answer)]

    outcome, said = connected(client)
    assert [text for _, text in said[:3]] == [f"words of {PAGE}/{n}" for n in range(3)]
    assert outcome.status == "completed"
    assert [event.kind for event in outcome.transcript] == ["tool", "tool", "tool", "model", "gate"]


@pytest.mark.usefixtures("leaves_at_once")
def test_a_call_that_the_client_gave_up_is_finished_all_the_same():
    async def client(session, tool):
        tool.may_end.clear()
        call = asyncio.create_task(session.call_tool("fetch", {"url": PAGE}))
        await until(tool.under_way)
        call.cancel()
        await asyncio.wait([call])
        tool.may_end.set()
        return await say(session, "submit_answer", answer=f"See {PAGE}")

    outcome, _ = connected(client)
    assert outcome.status == "completed"


def started(tmp_path, body, **settings):
    """Return the outcome of a trial of a client of these lines, which we start."""
    head = """\
        import json, os, sys, time
        from urllib.request import ProxyHandler, Request, build_opener
        question, place = sys.argv[1:]
        url = json.load(open(place))["mcpServers"]["research_eval"]["url"]
        head = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        def post(method, url=url, **params):
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
            with build_opener(ProxyHandler({})).open(Request(url, body.encode(), head)) as reply:
                head.setdefault("mcp-session-id", reply.headers["mcp-session-id"])
                return json.loads(reply.read().decode().split("data: ")[-1])["result"]
        def connect():
            post("initialize", protocolVersion="2025-06-18", capabilities={},
                 clientInfo={"name": "own", "version": "1"})
        def submit(answer):
            return post("tools/call", name="submit_answer", arguments={"answer": answer})
        """
    script = tmp_path / "client.py"
    script.write_text(textwrap.dedent(head) + textwrap.dedent(body))
    command = (sys.executable, "-S", "-E", "client.py", "{question}", "{mcp_config}")
    agent, _ = agent_of(AgentSettings(mcp_client=command, **settings), tmp_path)
    return asyncio.run(agent.run(QUESTION))


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ("sys.exit(3)", "error", "left with status 3 before it handed an answer in"),
        ("sys.stderr.write('boom: no key\\n'); sys.exit(1)", "error", "boom: no key"),
        (
            "print('It is 4.')",
            "empty",
            "left with status 0 before it handed an answer in: It is 4.",
        ),
        ("os.kill(os.getpid(), 9)", "error", "left with status -9"),
        ("while True: sys.stdout.write('x' * 65536)", "limit", "no answer within"),
        ("while True: time.sleep(60)", "limit", "no answer within"),
        ("os.close(1); os.close(2); time.sleep(60)", "limit", "no answer within"),
    ],
)
def test_a_client_without_an_answer_ends_its_own_trial_with_a_reason(tmp_path, body, status, words):
    limit = 0.3 if words == "no answer within" else 120
    outcome = started(tmp_path, body, trial_timeout_s=limit)
    assert outcome.status == status
    assert words in outcome.failure.message


@pytest.mark.parametrize("after", ["", "sys.exit(3)", "while True: time.sleep(60)"])
@pytest.mark.usefixtures("leaves_at_once")
def test_an_answer_counts_whatever_the_client_does_after(tmp_path, after):
    body = f"connect()\nassert question == {QUESTION!r}\nsubmit('See {PAGE}')\n{after}"
    outcome = started(tmp_path, body, max_retries=0)
    assert (outcome.status, outcome.answer) == ("rejected", f"See {PAGE}")
    assert outcome.failure is None


def test_a_rejected_answer_is_not_washed_clean_by_leaving(tmp_path):
    body = f"connect()\nassert submit('See {PAGE}')['isError']\n"
    outcome = started(tmp_path, body)
    assert (outcome.status, outcome.failure.kind) == ("rejected", "empty")


@pytest.mark.usefixtures("leaves_at_once")
def test_no_process_of_a_client_outlives_its_trial_and_no_file_is_left(tmp_path):
    body = f"""
        if os.fork() == 0:
            os.setsid()
            while True:
                time.sleep(60)
        open("place", "w").write(f"{{os.getpid()}} {{place}}")
        connect()
        submit("See {PAGE}")
        """
    started(tmp_path, body, max_retries=0)
    number, place = (tmp_path / "place").read_text().split()
    assert not Path(place).exists()
    script = b"client.py\0" + QUESTION.encode()
    for _ in range(1000):
        left = [p for p in Path("/proc").glob("[0-9]*/cmdline") if script in _content(p)]
        if not left:
            return
    pytest.fail(f"still there: {left}, of {number}")


def _content(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_nobody_finds_the_server_who_was_not_told_where_it_is(tmp_path):
    body = """
        connect()
        for wrong in (url.replace("/mcp", "/other"), "/".join(url.split("/")[:3]) + "/mcp"):
            try:
                post("initialize", url=wrong)
            except Exception as exc:
                assert exc.code == 404, exc
            else:
                sys.exit(5)
        head["host"] = "rebound.example"
        try:
            submit("none")
        except Exception as exc:
            assert exc.code == 421, exc
        else:
            sys.exit(6)
        """
    assert started(tmp_path, body).status == "empty"


@pytest.mark.parametrize(
    ("question", "word", "given"),
    [
        ("What?", "{question}", "What?"),
        ("--yolo", "{question}", " --yolo"),
        ("--yolo", "--prompt={question}", "--prompt=--yolo"),
        ("a {mcp_config} b", "{question} {x}", "a {mcp_config} b {x}"),
        ("a\0b", "{question}", "a\N{REPLACEMENT CHARACTER}b"),
        ("What?", "{mcp_url}|{mcp_config}", "http://u|c.json"),
    ],
)
def test_a_question_is_data_in_the_words_of_the_client(question, word, given):
    assert _filled(("x", word), question, Path("c.json"), "http://u") == ["x", given]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"mcp_client": ["x", "{mcp_config}"]}, "no word holds {question}"),
        ({"mcp_client": ["x", "{question}"]}, "no word holds {mcp_config} or {mcp_url}"),
        ({"mcp_client": [], "command": ["x"]}, "command and mcp_client: give one of them"),
        ({"mcp_client": [], "max_turns": 3}, "max_turns: an agent given by mcp_client"),
    ],
)
def test_a_client_that_could_not_work_is_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        AgentSettings(**settings)


def test_a_setting_keeps_its_meaning_in_a_record():
    for given in ((), ("x", "{question}", "{mcp_url}")):
        settings = AgentSettings(mcp_client=given)
        again = AgentSettings.model_validate_json(settings.model_dump_json())
        assert again == settings
        assert again.is_custom
    assert "mcp_client" not in AgentSettings().model_dump()


def test_a_port_that_is_taken_and_a_client_that_is_not_there_are_named(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        agent, _ = agent_of(AgentSettings(mcp_client=()), place=taken.getsockname()[1])
        with pytest.raises(ConfigError, match=r"port \d+ of 127.0.0.1: Address already in use"):
            asyncio.run(agent.run(QUESTION))
    command = ("no-such-client", "{question}", "{mcp_url}")
    agent, _ = agent_of(AgentSettings(mcp_client=command), tmp_path)
    with pytest.raises(ConfigError, match="there is no such program"):
        asyncio.run(agent.run(QUESTION))
