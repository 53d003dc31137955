"""Agents of the user's own: what they may do, and that whatever they do ends their own trial at most."""

import asyncio
import json
import os
import sys
import textwrap
import time
from pathlib import Path

import httpx
import pytest

from research_eval.agent import AgentSettings, CustomAgent, EventLog, Surroundings, open_driver
from research_eval.agent.message import message_schema
from research_eval.agent.process import MARK, MAX_LINE_BYTES
from research_eval.clock import VirtualClock
from research_eval.errors import CassetteMissError, ConfigError, ToolError
from research_eval.gate import load_gate
from research_eval.ledger import SourceRegistry
from research_eval.schema import Fetched
from research_eval.testing import ScriptedTool
from research_eval.tool.kit import ToolKit
from research_eval.tool.protocol import ToolOutcome
from research_eval.waiting import Waits

PAGE = "https://example.org/page"


class OpeningTool(ScriptedTool):
    """A `fetch` that opens whatever it is asked for, or raises."""

    def __init__(self, ledger, error=None):
        super().__init__("fetch", [], ["url"])
        self._ledger, self._error = ledger, error

    async def __call__(self, arguments):
        self.calls.append(dict(arguments))
        if self._error is not None:
            raise self._error
        url = str(arguments.get("url"))
        self._ledger.add_page(Fetched(url=url, final_url=url, ok=True, title="Page"), "words")
        return ToolOutcome(text="words of the page")


def answer_of(settings, tmp_path=Path(), *, error=None, transport=None):
    """Run one trial and return its outcome."""

    async def run():
        clock, ledger = VirtualClock(), SourceRegistry()
        around = Surroundings(tmp_path, transport or httpx.MockTransport(lambda _: None), str)
        agent = CustomAgent(
            settings,
            open_driver(settings, around),
            trial_id="case/own/1",
            kit=ToolKit(fetch=OpeningTool(ledger, error)),
            ledger=ledger,
            gate=load_gate("default"),
            log=EventLog(clock),
            waits=Waits(clock),
        )
        return await agent.run("What is it?")

    return asyncio.run(run())


def command(tmp_path, body, **settings):
    """Return the outcome of a trial of a program of these lines."""
    script = tmp_path / "agent.py"
    head = """\
        import json, os, sys, time
        def say(**message):
            sys.stdout.write(json.dumps(message) + "\\n"); sys.stdout.flush()
        def hear():
            return json.loads(sys.stdin.readline())
        asked = hear()
        """
    script.write_text(textwrap.dedent(head) + textwrap.dedent(body))
    chosen = AgentSettings(command=(sys.executable, str(script)), **settings)
    return answer_of(chosen, tmp_path)


def function(tmp_path, monkeypatch, body, *, error=None, transport=None, **settings):
    """Return the outcome of a trial of `ask` in a module of these lines."""
    name = f"custom_agent_{abs(hash((body, str(tmp_path))))}"
    (tmp_path / f"{name}.py").write_text(textwrap.dedent(body))
    monkeypatch.syspath_prepend(str(tmp_path))
    chosen = AgentSettings(callable=f"{name}:ask", **settings)
    return answer_of(chosen, tmp_path, error=error, transport=transport)


def conversation(outcome):
    return [event.kind for event in outcome.transcript]


REPAIRS = f"""
say(type="model_call", text="thinking", usage={{"input_tokens": 7, "output_tokens": 1}})
say(type="answer", id=asked["id"], text="See {PAGE}", usage={{"input_tokens": 10, "output_tokens": 2}})
again = hear()
assert again["type"] == "corrective" and again["attempt"] == 2, again
say(type="tool_call", call="a", name="fetch", arguments={{"url": "{PAGE}"}})
assert hear() == {{"type": "tool_result", "id": asked["id"], "call": "a", "ok": True, "text": "words of the page", "error": None}}
say(type="answer", id=asked["id"], text="See {PAGE}", usage={{"input_tokens": 20, "output_tokens": 3}})
assert hear()["type"] == "end"
"""


def test_a_command_is_asked_served_corrected_and_judged(tmp_path):
    outcome = command(tmp_path, REPAIRS)
    assert outcome.status == "completed"
    assert conversation(outcome) == ["model", "model", "gate", "tool", "model", "gate"]
    assert [event.verdict.passed for event in outcome.transcript if event.kind == "gate"] == [
        False,
        True,
    ]
    assert outcome.usage.input_tokens == 37
    assert outcome.usage.requests == 3
    assert [source.url for source in outcome.references] == [PAGE]


def test_the_same_by_a_function_and_by_a_class_and_by_a_coroutine(tmp_path, monkeypatch):
    plain = f"""
        def ask(question, tools, corrective):
            if corrective:
                assert tools.fetch("{PAGE}").ok
            return {{"answer": "See {PAGE}", "usage": {{"input_tokens": 10, "output_tokens": 2}}}}
        """
    awaited = plain.replace("def ask", "async def ask").replace(
        f'tools.fetch("{PAGE}").ok', f'(await tools.fetch("{PAGE}")).ok'
    )
    stateful = f"""
        class ask:
            def __init__(self):
                self.asked = 0
            def __call__(self, tools, corrective, attempt):
                self.asked += 1
                assert attempt == self.asked
                if corrective:
                    tools.call("fetch", url="{PAGE}")
                return {{"answer": "See {PAGE}", "usage": {{"input_tokens": 10, "output_tokens": 2}}}}
        """
    found = [function(tmp_path, monkeypatch, body) for body in (plain, awaited, stateful)]
    assert found[0].status == "completed", found[0].failure
    assert conversation(found[0]) == ["model", "gate", "tool", "model", "gate"]
    assert found[1] == found[0]
    assert found[2] == found[0]


def test_an_agent_that_takes_no_corrective_has_one_attempt(tmp_path, monkeypatch):
    outcome = function(tmp_path, monkeypatch, f"def ask(question): return 'See {PAGE}'")
    assert (outcome.status, conversation(outcome)) == ("rejected", ["model", "gate"])
    assert outcome.usage.unmeasured_requests == 1
    final = 'say(type="answer", id=asked["id"], text="none", final=True)'
    assert conversation(command(tmp_path, final)) == ["model", "gate"]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ("sys.exit(3)", "error", "left with status 3 before it answered"),
        ("sys.stderr.write('boom: no key\\n'); sys.exit(1)", "error", "boom: no key"),
        ("os.kill(os.getpid(), 9)", "error", "left with status -9"),
        ("os.close(1); time.sleep(60)", "error", "closed its output"),
        ("print('hello')", "error", "no JSON line: 'hello' (send logs to standard error)"),
        ("sys.stdout.write('{\"type\"')", "error", "left with status 0"),
        ("say(type='dance')", "error", "no message"),
        ("say(type='answer', id=asked['id'])", "error", "answer.text: Field required"),
        ("say(type='answer', id='other', text='x')", "error", "answered the trial 'other'"),
        ("say(type='error', id=asked['id'], message='no luck')", "error", "no luck"),
        ("say(type='refusal', id=asked['id'], text='I will not')", "refused", "I will not"),
        ("sys.stdout.write('[' * 200000 + '\\n')", "error", "no JSON line"),
        ("sys.stdout.buffer.write(b'\\xff\\xfe\\n')", "error", "no JSON line"),
        ("sys.stdout.write('x' * (5 * 1024 * 1024))", "error", "longer than 4 MiB"),
        ("while True: sys.stdout.write('x' * 65536)", "error", "longer than 4 MiB"),
        ("while True: sys.stderr.write('x' * 65536)", "limit", "no answer within"),
        ("while True: say(type='model_call')", "limit", "no answer after 1000 calls"),
        ("while True: time.sleep(60)", "limit", "no answer within"),
        (
            "for _ in 'ab': say(type='tool_call', call='1', name='fetch', arguments={}); hear()",
            "error",
            "two tool calls are called '1'",
        ),
    ],
)
def test_whatever_a_command_does_ends_its_own_trial_with_a_reason(tmp_path, body, status, words):
    outcome = command(tmp_path, body, trial_timeout_s=0.3 if words == "no answer within" else 120)
    assert outcome.status == status
    assert words in outcome.failure.message
    assert len(outcome.failure.message) < 700


def test_surrogates_and_unknown_tools_are_borne(tmp_path):
    body = r"""
        sys.stdout.write('{"type": "tool_call", "call": "\\ud800", "name": "no", "arguments": {"a": "\\udfff"}}\n')
        sys.stdout.flush()
        back = hear()
        assert not back["ok"] and "no tool named" in back["text"], back
        sys.stdout.write('{"type": "answer", "id": "case/own/1", "text": "\\ud800", "final": true}\n')
        """
    outcome = command(tmp_path, body)
    assert outcome.answer == "\N{REPLACEMENT CHARACTER}"
    outcome.model_dump_json().encode()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
@pytest.mark.parametrize("ends", ["answers", "hangs"])
def test_no_process_of_a_trial_outlives_it(tmp_path, ends):
    body = f"""
        for leaves_group in (False, True):
            if os.fork() == 0:
                if leaves_group:
                    os.setsid()
                while True:
                    time.sleep(60)
        if "{ends}" == "answers":
            say(type="answer", id=asked["id"], text="none", final=True)
        else:
            while True:
                time.sleep(60)
        """
    outcome = command(tmp_path, body, trial_timeout_s=0.3 if ends == "hangs" else 120)
    assert outcome.status == ("limit" if ends == "hangs" else "rejected")
    script = str(tmp_path / "agent.py").encode()
    for _ in range(1000):
        left = [p for p in Path("/proc").glob("[0-9]*/cmdline") if script in _content(p)]
        if not left:
            return
        time.sleep(0.01)
    pytest.fail(f"still there: {left}")


def _content(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ("def ask(question): raise ValueError('odd')", "error", "ValueError: odd, at"),
        ("def ask(question): raise SystemExit(3)", "error", "SystemExit: 3"),
        ("async def ask(question): raise KeyboardInterrupt", "error", "KeyboardInterrupt"),
        ("def ask(question): return 3", "error", "expected a text, or a mapping with answer"),
        ("def ask(question): return {'answer': 'x', 'cost': 1}", "error", "returned 'cost'"),
        (
            "def ask(question): return {'answer': 'x', 'usage': {'input_tokens': -1}}",
            "error",
            "usage.input_tokens",
        ),
        ("def ask(question): return {'answer': 'no', 'refused': True}", "refused", "no"),
        ("import time\ndef ask(question): time.sleep(60)", "limit", "no answer within"),
        ("import time\nasync def ask(question): time.sleep(1)", "limit", "no answer within"),
        (
            "import asyncio\nasync def ask(question): await asyncio.sleep(60)",
            "limit",
            "no answer within",
        ),
        (
            "def ask(question, tools):\n    while True: tools.fetch('https://example.org')",
            "limit",
            "no answer after 1000 calls",
        ),
    ],
)
def test_whatever_a_function_does_ends_its_own_trial(tmp_path, monkeypatch, body, status, words):
    seconds = 0.3 if words == "no answer within" else 120
    outcome = function(tmp_path, monkeypatch, body, trial_timeout_s=seconds)
    assert outcome.status == status
    assert words in outcome.failure.message


@pytest.mark.parametrize("error", [ToolError("web down"), CassetteMissError("never recorded")])
def test_what_ends_a_trial_in_a_tool_cannot_be_swallowed(tmp_path, monkeypatch, error):
    body = """
        def ask(question, tools):
            while True:
                try:
                    tools.fetch("https://example.org")
                except BaseException:
                    return "I know it anyway"
        """
    if isinstance(error, ToolError):
        outcome = function(tmp_path, monkeypatch, body, error=error)
        assert (outcome.status, outcome.failure.message) == ("error", "web down")
    else:
        with pytest.raises(CassetteMissError):
            function(tmp_path, monkeypatch, body, error=error)


@pytest.mark.parametrize("prefix", ["", "async "])
def test_a_function_can_ask_its_model_over_our_transport(tmp_path, monkeypatch, prefix):
    seen = []

    def serve(request):
        seen.append((request.method, str(request.url), request.content))
        return httpx.Response(200, json={"text": "from the model"})

    client = "AsyncClient" if prefix else "Client"
    wait = "await " if prefix else ""
    body = f"""
        import httpx
        {prefix}def ask(question, transport):
            client = httpx.{client}(transport=transport)
            reply = {wait}client.post("https://api.example/v1", json={{"q": question}})
            return reply.json()["text"]
        """
    outcome = function(tmp_path, monkeypatch, body, transport=httpx.MockTransport(serve))
    assert outcome.answer == "from the model"
    assert seen == [("POST", "https://api.example/v1", b'{"q":"What is it?"}')]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"callable": "m:f", "command": ["x"]}, "callable and command: give one of them"),
        ({"files": ["x.py"]}, "give one of callable, command, mcp_client, url"),
        ({"url": "ftp://host/"}, "url: expected http://HOST"),
        ({"url": "http:///ask"}, "url: expected http://HOST"),
        ({"url": "http://me:word@host/"}, "user name or password"),
        ({"url": "http://host/", "command": ["x"]}, "command and url: give one of them"),
        ({"url": "http://host/", "max_turns": 3}, "max_turns: an agent given by url"),
        ({"callable": "m:f", "max_turns": 3}, "max_turns: an agent given by callable"),
        ({"command": ["x"], "turn_timeout_s": 3}, "turn_timeout_s: an agent given by command"),
        ({"command": ["x"], "prompt": {"form": "short"}}, "prompt: an agent given by command"),
    ],
)
def test_a_setting_that_such_an_agent_cannot_honour_is_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        AgentSettings(**settings)


def test_a_program_that_is_not_there_and_a_parameter_nobody_gives_are_named(tmp_path, monkeypatch):
    with pytest.raises(ConfigError, match="there is no such program"):
        answer_of(AgentSettings(command=("no-such-program",)), tmp_path)
    with pytest.raises(ConfigError, match="parameter 'browser' is unknown; known: question"):
        function(tmp_path, monkeypatch, "def ask(question, browser): return ''")


def test_the_schema_names_every_message():
    schema = message_schema()
    names = {one["$ref"].rpartition("/")[2] for one in schema["$defs"]["from_agent"]["oneOf"]}
    assert names == {
        "ToolCallMessage",
        "ModelCallMessage",
        "AnswerMessage",
        "RefusalMessage",
        "ErrorMessage",
    }
    json.dumps(schema)
    assert MARK not in os.environ
    assert MAX_LINE_BYTES == 4 * 1024 * 1024
