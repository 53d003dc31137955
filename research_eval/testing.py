"""Doubles for tests of one's own: scripted models, in Python or behind HTTP, and tools that need no web."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from typing_extensions import override

from research_eval.errors import ConfigError, ModelError
from research_eval.schema import Message, ModelReply, ToolCall, ToolSpec, Usage
from research_eval.tool.protocol import ToolOutcome

__all__ = ["Script", "ScriptedModel", "ScriptedTool", "call_tool", "serve_models"]

Script = Callable[[Sequence[Message]], ModelReply | str]
"""What a served model does: the conversation in, an answer or a reply with tool calls out."""


class ScriptedModel:
    """A model that gives its replies in order and remembers what it was shown."""

    def __init__(
        self, replies: Iterable[ModelReply | ModelError | str], *, name: str = "scripted"
    ) -> None:
        """Take the replies: a text is an answer, an error is raised."""
        self.name = name
        self.seen: list[tuple[Message, ...]] = []
        """The messages of every call, in order."""
        self._replies = iter(list(replies))

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the next reply of the script.

        Raises:
            ModelError: If the script says so, or is at its end.
        """
        del tools
        self.seen.append(tuple(messages))
        reply = next(self._replies, None)
        if reply is None:
            raise ModelError("the script has no further reply")
        if isinstance(reply, ModelError):
            raise reply
        if isinstance(reply, str):
            return ModelReply(text=reply, usage=Usage(requests=1), model=self.name)
        return reply


class ScriptedTool:
    """A tool that gives its outcomes in order and remembers its arguments."""

    def __init__(
        self, name: str, outcomes: Iterable[ToolOutcome | str], parameters: Iterable[str] = ()
    ) -> None:
        """Take the outcomes, a text is a success, and the names of the tool's parameters."""
        properties = {parameter: {"type": "string"} for parameter in parameters}
        self.spec = ToolSpec(
            name=name,
            description=f"A scripted {name}.",
            parameters={"type": "object", "properties": properties},
        )
        self.calls: list[dict[str, Any]] = []
        self._outcomes = iter(list(outcomes))

    async def __call__(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Return the next outcome of the script."""
        self.calls.append(dict(arguments))
        outcome = next(self._outcomes, ToolOutcome(text="the script is at its end", ok=False))
        return ToolOutcome(text=outcome) if isinstance(outcome, str) else outcome


def call_tool(name: str, arguments: str = "{}", *, call_id: str = "call_1") -> ModelReply:
    """Return a reply that asks for one tool call."""
    call = ToolCall(id=call_id, name=name, arguments=arguments)
    return ModelReply(tool_calls=(call,), finish_reason="tool_calls", usage=Usage(requests=1))


@contextmanager
def serve_models(scripts: Mapping[str, Script], *, port: int = 0) -> Iterator[str]:
    """Serve `scripts` by their names on 127.0.0.1, as OpenAI's chat completions; give the base URL.

    Port 0 takes a free one. A token counts four characters; no reply is streamed.

    Raises:
        ConfigError: If the port cannot be had.
    """
    try:
        server = _ModelServer(("127.0.0.1", port), _ChatHandler)
    except (OSError, OverflowError) as exc:
        raise ConfigError(f"cannot listen on 127.0.0.1 port {port}: {exc}") from exc
    server.scripts = dict(scripts)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _ModelServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    scripts: dict[str, Script]


class _ChatHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _ModelServer

    def do_POST(self) -> None:  # the library's name
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        script = self.server.scripts.get(body["model"])
        if script is None:
            known = ", ".join(self.server.scripts)
            self._send(404, {"error": {"message": f"no model {body['model']!r}; known: {known}"}})
            return
        reply = script([_message(one) for one in body["messages"]])
        said = ModelReply(text=reply) if isinstance(reply, str) else reply
        self._send(200, _completion(body, said))

    def _send(self, status: int, body: object) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Keep no log."""


def _message(sent: Mapping[str, Any]) -> Message:
    content = sent.get("content") or ""
    text = content if isinstance(content, str) else "".join(part["text"] for part in content)
    calls = [ToolCall(id=call["id"], **call["function"]) for call in sent.get("tool_calls") or ()]
    return Message(
        role="system" if sent["role"] == "developer" else sent["role"],
        text=text,
        tool_calls=tuple(calls),
        tool_call_id=sent.get("tool_call_id"),
    )


def _completion(body: Mapping[str, Any], reply: ModelReply) -> dict[str, object]:
    message: dict[str, object] = {"role": "assistant", "content": reply.text or None}
    if reply.tool_calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in reply.tool_calls
        ]  # fmt: skip
    finish = "tool_calls" if reply.tool_calls else "stop"
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": _usage(len(json.dumps(body["messages"])), len(json.dumps(message))),
    }


def _usage(asked_chars: int, said_chars: int) -> dict[str, int]:
    asked, said = -(-asked_chars // 4), -(-said_chars // 4)
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
