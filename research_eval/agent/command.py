"""An agent that is a program: JSON Lines on its standard input and output, one process a trial."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from research_eval.agent.custom import Ask, Said
from research_eval.agent.dialogue import Dialogue, opening_message
from research_eval.agent.message import EndMessage
from research_eval.agent.process import LEAVE_S, AgentProcess
from research_eval.agent.tool_desk import ToolDesk
from research_eval.schema import Record

__all__ = ["CommandDriver"]


class CommandDriver:
    """Starts a program for a trial, speaks with it, and ends it with all that it started."""

    def __init__(self, command: tuple[str, ...], base: Path, scrub: Callable[[str], str]) -> None:
        """Start nothing yet.

        Args:
            command: The program and its arguments.
            base: The folder in which it runs.
            scrub: Takes secrets out of what it says on its standard error.
        """
        self._command = command
        self._process = AgentProcess("agent.command", base, scrub, speaks=True)
        self._dialogue = Dialogue(Path(command[0]).name, scrub)
        self._trial_id = ""
        self._has_answered = False

    async def answer(self, ask: Ask, desk: ToolDesk) -> Said:
        """Ask the program and serve its tool calls until it answers.

        Raises:
            AgentError: If it leaves, or says what is no message.
            ConfigError: If it cannot be started.
        """
        self._has_answered = False
        self._trial_id = ask.trial_id
        if not self._process.is_started:
            await self._process.start(self._command)
        await self._send(opening_message(ask))
        while True:
            message = self._dialogue.read(await self._process.receive())
            reply = await self._dialogue.hear(message, ask, desk)
            if isinstance(reply, Said):
                self._has_answered = True
                return reply
            if reply is not None:
                await self._send(reply)

    async def _send(self, message: Record) -> None:
        await self._process.send(message.model_dump_json().encode())

    async def aclose(self) -> None:
        """Tell the program that its trial is over; kill what does not leave, and all it started."""
        if not self._process.is_started:
            return
        try:
            if self._has_answered:
                await self._let_leave()
        finally:
            self._process.kill()

    async def _let_leave(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVE_S):
                await self._send(EndMessage(id=self._trial_id))
                self._process.close_input()
                await self._process.wait()
