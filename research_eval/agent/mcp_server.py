"""The MCP server of one trial: our tools and `submit_answer`, over streamable HTTP or stdio.

Protocol: https://modelcontextprotocol.io/specification. A result with `isError` is what a model reads
and can act on; so a rejected answer comes back, with the corrective.
"""

import asyncio
import json
import logging
import os
import socket
import threading
import uuid
from collections.abc import AsyncIterator, Mapping
from queue import SimpleQueue
from typing import Any, cast

import anyio
import mcp_types as types
import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from research_eval.agent.custom import Ask
from research_eval.agent.process import MAX_LINE_BYTES
from research_eval.agent.tool_desk import ToolDesk
from research_eval.errors import AgentError, ConfigError
from research_eval.schema import ToolCall, ToolSpec
from research_eval.schema.outside import safe_text, safe_value

__all__ = ["NAME", "SUBMIT", "HttpHost", "StdioHost", "TrialServer"]

NAME = "research_eval"
"""What the server is called in a client's configuration."""

SUBMIT = ToolSpec(
    name="submit_answer",
    description=(
        "Hand in the answer to the question, with the URLs of the pages that it rests on. An answer"
        " that is not accepted comes back with what is wrong: put it right and hand it in again."
    ),
    parameters={
        "type": "object",
        "properties": {"answer": {"type": "string", "description": "The answer, in Markdown."}},
        "required": ["answer"],
        "additionalProperties": False,
    },
)
"""The tool that ends an attempt."""

_OVER = "The trial is over; no tool is served any more."
_TAKEN = "The answer was taken. The trial is over: there is nothing more to do."
_INSTRUCTIONS = (
    "Answer the question below from pages that you open with the tools of this server alone, and hand"
    " the answer in with submit_answer. An answer in plain text alone counts for nothing.\n\n"
)
_GRACE_S = 1
"""Seconds that open connections have when a trial is over."""

for _name in ("mcp", "uvicorn", "sse_starlette"):  # what they say is for who configures logging
    logging.getLogger(_name).addHandler(logging.NullHandler())


class TrialServer:
    """Serves the calls of a client one after another, in the order in which they came."""

    def __init__(self, ask: Ask, desk: ToolDesk) -> None:
        """Serve the tools of `ask` through `desk`."""
        self._ask = ask
        self._desk = desk
        self._turn = asyncio.Lock()
        self._calls = 0
        self._attempt = 1
        self._work: set[asyncio.Task[types.CallToolResult]] = set()
        self._answers: asyncio.Queue[str] = asyncio.Queue()
        self._ruling: asyncio.Future[str | None] | None = None
        self._is_over = False
        self.mcp: Server[dict[str, Any]] = Server(
            NAME,
            instructions=_INSTRUCTIONS + ask.question,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        """The server of the MCP library."""

    async def submitted(self) -> str:
        """Return the next answer that is handed in."""
        return await self._answers.get()

    def reject(self, attempt: int, corrective: str) -> None:
        """Let the answer come back as an error, and ask for the one of `attempt`."""
        self._attempt = attempt
        self._rule(corrective)

    def end(self) -> None:
        """Take the answer that was handed in last, and serve nothing more."""
        self._is_over = True
        self._rule(None)

    def _rule(self, corrective: str | None) -> None:
        if self._ruling is not None and not self._ruling.done():
            self._ruling.set_result(corrective)

    async def aclose(self) -> None:
        """Drop what is still being done."""
        for task in self._work:
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)

    async def _list(
        self, _: ServerRequestContext[dict[str, Any]], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=spec.name, description=spec.description, input_schema=spec.parameters
                )
                for spec in (*self._ask.tools, SUBMIT)
            ]
        )

    async def _call(
        self, _: ServerRequestContext[dict[str, Any]], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        task = asyncio.create_task(self._served(params.name, params.arguments or {}))
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return await asyncio.shield(task)  # a client that gives a call up leaves no half of it

    async def _served(self, name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
        async with self._turn:
            if self._is_over:
                return _result(_OVER, ok=False)
            if name == SUBMIT.name:
                return await self._submit(arguments)
            return await self._use(name, arguments)

    async def _use(self, name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
        self._calls += 1
        call = ToolCall(
            id=f"call_{self._attempt}_{self._calls}",
            name=safe_text(name),
            arguments=json.dumps(safe_value(dict(arguments)), ensure_ascii=False),
        )
        try:
            outcome = await self._desk.call(call)
        except AgentError:
            return _result(_OVER, ok=False)
        return _result(outcome.text, ok=outcome.ok)

    async def _submit(self, arguments: Mapping[str, Any]) -> types.CallToolResult:
        answer = arguments.get("answer")
        if not isinstance(answer, str):
            return _result("submit_answer: answer: expected a text", ok=False)
        self._ruling = asyncio.get_running_loop().create_future()
        self._answers.put_nowait(answer)
        corrective = await self._ruling
        return _result(_TAKEN, ok=True) if corrective is None else _result(corrective, ok=False)


def _result(text: str, *, ok: bool) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(text=safe_text(text))]
    return types.CallToolResult(content=content, is_error=not ok)


class HttpHost:
    """Offers a trial's server over streamable HTTP on 127.0.0.1, to whoever knows its URL."""

    def __init__(self, server: TrialServer, port: int) -> None:
        """Serve on `port`; 0 is any free one, under a path that nobody can guess.

        Raises:
            ConfigError: If the port is taken.
        """
        try:
            self._socket = socket.create_server(("127.0.0.1", port))
        except OSError as exc:
            raise ConfigError(f"port {port} of 127.0.0.1: {exc.strerror}") from exc
        path = "/mcp" if port else f"/{uuid.uuid4().hex}/mcp"
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}{path}"
        """Where a client finds the server."""
        app = server.mcp.streamable_http_app(streamable_http_path=path)
        self._config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="on",
            ws="none",
            timeout_graceful_shutdown=_GRACE_S,
        )
        self._uvicorn = uvicorn.Server(self._config)

    async def start(self) -> None:
        """Begin to serve; signals stay the program's."""
        self._config.load()
        self._uvicorn.lifespan = self._config.lifespan_class(self._config)
        await self._uvicorn.startup(sockets=[self._socket])

    async def left(self) -> None:
        """Wait for ever: a client may always come back."""
        await asyncio.Event().wait()

    async def aclose(self) -> None:
        """Serve no more."""
        if self._uvicorn.started:
            await self._uvicorn.shutdown(sockets=[self._socket])
        self._socket.close()


class StdioHost:
    """Offers a trial's server to the process that started this one."""

    def __init__(self, server: TrialServer) -> None:
        """Speak on the standard input and output; whatever else is printed goes to standard error."""
        self._server = server
        self._serving: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to serve."""
        wire = os.dup(0), os.dup(1)
        os.dup2(2, 1)
        self._serving = asyncio.create_task(self._serve(*wire))

    async def _serve(self, inward: int, outward: int) -> None:
        loop = asyncio.get_running_loop()
        lines, words = _Lines(loop, inward), _Words(outward)
        async with stdio_server(
            cast("anyio.AsyncFile[str]", lines), cast("anyio.AsyncFile[str]", words)
        ) as (read, write):
            mcp = self._server.mcp
            await mcp.run(read, write, mcp.create_initialization_options())

    async def left(self) -> None:
        """Wait until the client has closed our standard input."""
        if self._serving is not None:
            await asyncio.wait([self._serving])

    async def aclose(self) -> None:
        """Serve no more."""
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.wait([self._serving])


class _Lines:
    """Lines of a file that are read in a thread which nothing has to wait for."""

    def __init__(self, loop: asyncio.AbstractEventLoop, number: int) -> None:
        self._loop = loop
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._file = open(number, "rb", buffering=0)  # noqa: SIM115  # lives as long as the process
        threading.Thread(target=self._read, daemon=True, name="stdin").start()

    def _read(self) -> None:
        rest = b""
        while chunk := self._file.read(65536):
            *whole, rest = (rest + chunk).split(b"\n")
            for line in filter(None, whole):
                self._tell(line.decode("utf-8", "replace"))
            if len(rest) > MAX_LINE_BYTES:
                break
        self._tell(None)

    def _tell(self, line: str | None) -> None:
        self._loop.call_soon_threadsafe(self._queue.put_nowait, line)

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._queue.get()) is not None:
            yield line


class _Words:
    """What is written to a file by a thread which nothing has to wait for."""

    def __init__(self, number: int) -> None:
        self._queue: SimpleQueue[str] = SimpleQueue()
        self._file = open(number, "wb")  # noqa: SIM115
        threading.Thread(target=self._write, daemon=True, name="stdout").start()

    def _write(self) -> None:
        while True:
            text = self._queue.get()
            try:
                self._file.write(text.encode())
                self._file.flush()
            except OSError:
                return

    async def write(self, text: str) -> None:
        """Take a line."""
        self._queue.put(text)

    async def flush(self) -> None:
        """Leave that to the thread."""
