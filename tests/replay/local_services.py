"""A model API, a search API and pages on 127.0.0.1, whose traffic the real command line records."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.json_server import JsonHandler, serving

__all__ = ["Services", "local_services", "write_experiment"]

_CALLS = ("web_search", "fetch")


class Services(ThreadingHTTPServer):
    """All three behind one port: notes what was asked, and says `known` keys back in all it sends."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []
        self.known: tuple[str, ...] = ()
        self.delay_s = 0.0
        self.patience = 1_000_000
        """After so many model calls it answers none before `wait` is set."""
        self.wait = threading.Event()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(JsonHandler):
    server: Services

    def post(self, body: dict[str, Any]) -> None:
        self.server.wait.wait(self.server.delay_s)
        if self.path == "/search":
            self.server.asked.append(f"search {body['q']}")
            self._send(self._results(body["q"]))
        else:
            self.server.asked.append("model")
            if self.server.asked.count("model") > self.server.patience:
                self.server.wait.wait(300)
            offered = {tool["function"]["name"] for tool in body.get("tools", ())}
            self._send(self._reply(body["messages"], [name for name in _CALLS if name in offered]))

    def get(self) -> None:
        self.server.asked.append(f"page {self.path}")
        words = "The harbour of Lindow opened in 1907 and was enlarged in 1931. " * 60
        page = f"<html><title>Harbour</title><body><main><p>{words}</p>{self._echo()}</main></body></html>"
        self._send(page.encode(), "text/html; charset=utf-8")

    def _reply(self, messages: list[dict[str, object]], tools: list[str]) -> object:
        seen = sum(1 for message in messages if message["role"] == "tool")
        message: dict[str, object] = {"role": "assistant", "content": None}
        question = str(messages[1]["content"])
        page = f"{self.server.url}/page/{len(question)}"
        if seen < len(tools):
            name = tools[seen]
            arguments = {"query": question[:60]} if name == "web_search" else {"url": page}
            call = {"name": name, "arguments": json.dumps(arguments)}
            message["tool_calls"] = [{"id": f"call_{seen}", "type": "function", "function": call}]
        else:
            message["content"] = f"In 1907 [source]({page}). {self._echo()}"
        reason = "tool_calls" if seen < len(tools) else "stop"
        choice = {"index": 0, "message": message, "finish_reason": reason}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        return {"id": "x", "object": "chat.completion", "created": 1, "model": "local",
                "choices": [choice], "usage": usage, "system_fingerprint": self._echo()}  # fmt: skip

    def _results(self, query: str) -> object:
        link = f"{self.server.url}/page/{len(query)}"
        hit = {"title": "Harbour", "link": link, "snippet": f"Opened. {self._echo()}"}
        return {"searchParameters": {"q": query, "apiKey": self._echo()}, "organic": [hit]}

    def _echo(self) -> str:
        """Return every key in the forms in which keys leak."""
        return " ".join(
            f"{key} {quote(key, safe='')} {base64.b64encode(key.encode()).decode()} "
            f"Bearer {key} {base64.b64encode(f'user:{key}'.encode()).decode()} https://u:{key}@h.example/?k={quote(key)}"
            for key in self.server.known
        )

    def _send(self, body: object, kind: str = "application/json") -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        if kind.startswith("text/html"):
            self.send_header("transfer-encoding", "chunked")
            pieces = [content[start : start + 500] for start in range(0, len(content), 500)]
            content = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in [*pieces, b""])
        else:
            self.send_header("content-length", str(len(content)))
        if self.server.known:
            for name in ("set-cookie", "x-request-id", "etag", "link"):
                self.send_header(name, self._echo())
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def local_services() -> "Iterator[Services]":
    """Serve while the block runs."""
    services = Services()
    with serving(services):
        try:
            yield services
        finally:
            services.wait.set()


def write_experiment(folder: Path, services: Services, *, cases: int = 2, trials: int = 2) -> Path:
    """Write an experiment of two configurations, one without search, that asks `services` for everything."""
    rows = [
        {"id": f"case-{n}", "question": f"When did the harbour of Lindow open?{' Really?' * n}"}
        for n in range(cases)
    ]
    (folder / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = folder / "mine.toml"
    model = f'{{ name = "openai:local", base_url = "{services.url}/v1", api_key_env = "OPENAI_API_KEY" }}'
    path.write_text(f"""
name = "mine"
dataset = "cases.jsonl"
cassettes = "cassettes/mine"
trials = {trials}

[defaults]
fetch.allow_private = ["127.0.0.1"]
fetch.ports = [{services.server_port}]

[[configuration]]
name = "searches"
model = {model}

[configuration.search]
chain = [{{ provider = "serper", endpoint = "{services.url}/search" }}]
resilience.rate_per_s = "none"

[[configuration]]
name = "opens"
model = {model}
""")
    return path
