"""An agent at a URL: what is posted there, and that whatever comes back ends its own trial at most."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from research_eval.agent import AgentSettings
from tests.unit.test_agent_custom import PAGE, answer_of, conversation

pytestmark = pytest.mark.sockets

ANSWER = {"type": "answer", "id": "case/own/1", "text": f"See {PAGE}"}
FETCH = {"type": "tool_call", "call": "a", "name": "fetch", "arguments": {"url": PAGE}}


@contextmanager
def serving(*replies):
    """Serve replies in order, the last one for ever: bytes, or messages; yield URL and what was posted."""
    posted = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            posted.append(json.loads(body)["messages"])
            reply = replies[min(len(posted), len(replies)) - 1]
            content = (
                reply if isinstance(reply, bytes) else json.dumps({"messages": reply}).encode()
            )
            status = 503 if content == b"busy" else 302 if content == b"elsewhere" else 200
            self.send_response(status)
            self.send_header("location", "http://127.0.0.1:9/")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/ask", posted
    finally:
        server.shutdown()
        server.server_close()


def outcome_of(*replies, **settings):
    with serving(*replies) as (url, posted):
        chosen = AgentSettings(url=url, **settings)
        return answer_of(chosen, transport=httpx.AsyncHTTPTransport()), posted


def test_an_agent_at_a_url_is_asked_served_corrected_and_judged():
    told = {"type": "model_call", "usage": {"input_tokens": 7, "output_tokens": 1}}
    used = {**ANSWER, "usage": {"input_tokens": 10, "output_tokens": 2}}
    outcome, posted = outcome_of([told, used], [FETCH], [used])
    assert outcome.status == "completed", outcome.failure
    assert conversation(outcome) == ["model", "model", "gate", "tool", "model", "gate"]
    assert (outcome.usage.input_tokens, outcome.usage.requests) == (27, 3)
    kinds = [[message["type"] for message in messages] for messages in posted]
    assert kinds == [["question"], ["corrective"], ["tool_result"]]
    assert all(one["id"] == "case/own/1" for messages in posted for one in messages)
    assert posted[2][0]["text"] == "words of the page"


def test_several_calls_of_one_reply_are_answered_together():
    outcome, posted = outcome_of([FETCH, {**FETCH, "call": "b"}], [{**ANSWER, "final": True}])
    assert [one["call"] for one in posted[1]] == ["a", "b"]
    assert outcome.status == "completed"


@pytest.mark.parametrize(
    ("reply", "status", "words"),
    [
        (b"busy", "error", "replied with status 503: 'busy'"),
        (b"elsewhere", "error", "replied with status 302"),
        (b"hello", "error", "replied with no {\"messages\": [...]}: 'hello'"),
        (b"[" * 200_000, "error", "replied with no"),
        (b"\xff", "error", "replied with no"),
        (b'{"messages": 3}', "error", "replied with no"),
        (b'"' + b"x" * (5 * 1024 * 1024), "error", "longer than 4 MiB"),
        ([], "error", "sent neither an answer nor a tool call"),
        ([{"type": "dance"}], "error", "no message"),
        ([3], "error", "no message"),
        ([ANSWER, FETCH], "error", "sent a message after its answer"),
        ([FETCH, ANSWER], "error", "answered before it had the results of its tools"),
        ([{**ANSWER, "id": "other"}], "error", "answered the trial 'other'"),
        ([FETCH], "error", "two tool calls are called 'a'"),
        ([{"type": "model_call"}] * 1001, "limit", "no answer after 1000 calls"),
        ([{"type": "refusal", "id": "case/own/1", "text": "I will not"}], "refused", "I will not"),
        ([{"type": "error", "id": "case/own/1", "message": "no luck"}], "error", "no luck"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_whatever_comes_back_ends_its_own_trial_with_a_reason(reply, status, words):
    outcome, _ = outcome_of(reply)
    assert outcome.status == status
    assert words in outcome.failure.message
    assert len(outcome.failure.message) < 700


def test_a_url_where_nobody_is_and_one_that_never_replies_end_their_trial():
    with serving([ANSWER]) as (url, _):
        pass
    outcome = answer_of(AgentSettings(url=url), transport=httpx.AsyncHTTPTransport())
    assert (outcome.status, outcome.failure.kind) == ("error", "agent")
    assert "ConnectError" in outcome.failure.message

    class Silent(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request):
            import asyncio

            await asyncio.Event().wait()

    limited = AgentSettings(url=url, trial_timeout_s=0.05)
    assert answer_of(limited, transport=Silent()).status == "limit"
