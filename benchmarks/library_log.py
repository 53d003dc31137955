"""Let a third-party agent library answer a question over the bundled web, and keep its log.

The library's own loop, tool calls and messages are real; its model is a script on 127.0.0.1. In an
environment of its own, where research_eval need not be:

    pip install openai-agents
    research-eval world serve &
    python benchmarks/library_log.py http://127.0.0.1:8765 tests/data/logs/openai_agents.json
"""

import asyncio
import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

QUESTION = (
    "What does a visiting yacht pay per metre and night in harbour dues at Skerravoe in 2025?"
)
WORLD, OUT = sys.argv[1:]
GONE = "https://www.skerravoe.example/no-such-page"
OPEN = build_opener(ProxyHandler({})).open
asked: list[dict[str, object]] = []


@function_tool
def web_search(query: str) -> str:
    """Search the web."""
    body = json.dumps({"q": query, "num": 4}).encode()
    head = {"X-API-KEY": "none", "Content-Type": "application/json"}
    with OPEN(Request(f"{WORLD}/search", body, head)) as reply:
        hits = json.loads(reply.read())["organic"]
    found = [{"title": hit["title"], "url": hit["link"]} for hit in hits]
    return json.dumps(found, ensure_ascii=False)


@function_tool
def visit_webpage(url: str) -> str:
    """Open a page and return its text; what it raises, the library puts in words."""
    parts = urlsplit(url)
    head = {"Host": parts.netloc, "x-world-scheme": parts.scheme}
    with OPEN(Request(f"{WORLD}{parts.path}", headers=head)) as reply:
        text = reply.read().decode("utf-8", "replace")
    return re.sub(
        r"\s+", " ", re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", text, flags=re.DOTALL)
    )[:3000]


def said(messages: list[dict[str, object]]) -> dict[str, object]:
    """Be the model: search, open two pages at once, try one that is gone, answer."""

    def calls(*wanted: tuple[str, dict[str, str]]) -> dict[str, object]:
        made = [
            {"id": f"call_{len(messages)}_{n}", "type": "function",
             "function": {"name": name, "arguments": json.dumps(given)}}
            for n, (name, given) in enumerate(wanted)
        ]  # fmt: skip
        return {"role": "assistant", "content": None, "tool_calls": made}

    results = [str(message["content"]) for message in messages if message["role"] == "tool"]
    urls = [hit["url"] for hit in json.loads(results[0])] if results else []
    match len(results):
        case 0:
            return calls(("web_search", {"query": QUESTION}))
        case 1:
            return calls(*(("visit_webpage", {"url": url}) for url in urls[:2]))
        case 3:
            return calls(("visit_webpage", {"url": GONE}))
    cited = f"See {urls[0]}, {urls[3]} and {GONE}."
    return {"role": "assistant", "content": cited}


class Model(BaseHTTPRequestHandler):
    """The script, in the form of chat completions."""

    def do_POST(self) -> None:  # the library's name
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        asked.append(request)
        message = said(request["messages"])
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        choice = {"index": 0, "message": message, "finish_reason": reason}
        reply = {"id": "c", "object": "chat.completion", "created": 0, "model": "script"}
        body = json.dumps({**reply, "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


async def main() -> str:
    """Run the agent, and return what its library sent last with the answer."""
    set_tracing_disabled(True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = AsyncOpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none")
    agent = Agent(
        name="researcher",
        instructions="Answer from pages that you open.",
        model=OpenAIChatCompletionsModel(model="script", openai_client=client),
        tools=[web_search, visit_webpage],
    )
    result = await Runner.run(agent, QUESTION)
    answer = {"role": "assistant", "content": result.final_output}
    log = {"id": "openai-agents", "model": "script", "messages": [*asked[-1]["messages"], answer]}
    return json.dumps(log, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    Path(OUT).write_text(asyncio.run(main()), encoding="utf-8")
