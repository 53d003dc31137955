"""An agent that is an MCP client: it is given a server of our tools, and hands its answer in there."""

import asyncio
import json
import re
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from research_eval.agent.conversation import NoAnswer
from research_eval.agent.custom import Ask, Said
from research_eval.agent.mcp_server import NAME, HttpHost, StdioHost, TrialServer
from research_eval.agent.process import LEAVE_S, AgentProcess
from research_eval.agent.settings import McpPlace
from research_eval.agent.tool_desk import ToolDesk
from research_eval.errors import AgentError

__all__ = ["McpDriver"]


class McpDriver:
    """Serves one trial by MCP: to a client that it starts, or to one that connects by itself."""

    def __init__(
        self,
        command: tuple[str, ...],
        base: Path,
        scrub: Callable[[str], str],
        place: McpPlace | None,
    ) -> None:
        """Start nothing yet.

        Args:
            command: The client and its arguments; with none it connects by itself.
            base: The folder in which it runs.
            scrub: Takes secrets out of what it says.
            place: Where a client that connects by itself finds the server.
        """
        self._command = command
        self._place = place
        self._process = AgentProcess("agent.mcp_client", base, scrub, speaks=False)
        self._folder: Path | None = None
        self._server: TrialServer | None = None
        self._host: HttpHost | StdioHost | None = None
        self._has_answered = False

    async def answer(self, ask: Ask, desk: ToolDesk) -> Said:
        """Serve the client until it hands an answer in.

        Raises:
            AgentError: If it leaves before, with a failure.
            NoAnswer: If it leaves before, as if all were well.
            ConfigError: If it cannot be started.
        """
        self._has_answered = False
        if self._server is None or self._host is None:
            self._server = TrialServer(ask, desk)
            self._host = await self._begin(self._server, ask.question)
        else:
            self._server.reject(ask.attempt, ask.corrective or "")
        text = await self._next_answer(self._server, self._host)
        self._has_answered = True
        return Said(text)

    async def _begin(self, server: TrialServer, question: str) -> HttpHost | StdioHost:
        host = StdioHost(server) if self._place == "stdio" else HttpHost(server, self._place or 0)
        await host.start()
        if self._command and isinstance(host, HttpHost):
            self._host = host
            self._folder = Path(tempfile.mkdtemp(prefix="research-eval-mcp-"))
            config = self._folder / "mcp.json"
            entry = {"type": "http", "url": host.url}
            config.write_text(json.dumps({"mcpServers": {NAME: entry}}), encoding="utf-8")
            await self._process.start(_filled(self._command, question, config, host.url))
        return host

    async def _next_answer(self, server: TrialServer, host: HttpHost | StdioHost) -> str:
        answer = asyncio.create_task(server.submitted())
        gone = asyncio.create_task(self._gone(host))
        try:
            await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
            return answer.result() if answer.done() else gone.result()
        finally:
            answer.cancel()
            gone.cancel()

    async def _gone(self, host: HttpHost | StdioHost) -> str:
        """Wait until the client has left; return nothing.

        Raises:
            AgentError: When it did.
            NoAnswer: When it did, as if all were well.
        """
        if not self._command:
            await host.left()
            raise AgentError("the MCP client left before it handed an answer in")
        status = await self._process.left()
        words = f"{self._process.name}: left with status {status} before it handed an answer in"
        if status == 0:
            raise NoAnswer("empty", "empty", words + self._process.last_words())
        raise AgentError(words + self._process.last_words())

    async def aclose(self) -> None:
        """Take the last answer, let the client leave, and end whatever is left of it."""
        if self._server is None or self._host is None:
            return
        self._server.end()
        try:
            if self._has_answered:
                await self._let_leave(self._host)
        finally:
            self._process.kill()
            await self._server.aclose()
            await self._host.aclose()
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)

    async def _let_leave(self, host: HttpHost | StdioHost) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVE_S):
                if self._process.is_started:
                    await self._process.wait()
                else:
                    await host.left()


def _filled(command: tuple[str, ...], question: str, config: Path, url: str) -> list[str]:
    """Return the words of the client's command with what stands for each placeholder."""
    values = {"question": question.replace("\0", "\N{REPLACEMENT CHARACTER}")}
    values |= {"mcp_config": str(config), "mcp_url": url}
    words = [
        re.sub(r"\{(question|mcp_config|mcp_url)\}", lambda m: values[m[1]], word)
        for word in command
    ]
    return [  # a question is data: it must not become an option of the client
        f" {word}" if given.startswith("{question}") and word.startswith("-") else word
        for given, word in zip(command, words, strict=True)
    ]
