"""An agent that is a program: JSON Lines on its standard input and output, one process a trial."""

import asyncio
import os
import signal
import uuid
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from research_eval.agent.custom import Ask, Said
from research_eval.agent.message import (
    AnswerMessage,
    CorrectiveMessage,
    EndMessage,
    ErrorMessage,
    FromAgent,
    ModelCallMessage,
    QuestionMessage,
    RefusalMessage,
    ToolCallMessage,
    ToolResultMessage,
)
from research_eval.agent.tool_desk import ToolDesk
from research_eval.errors import AgentError, ConfigError
from research_eval.schema import Record, ToolCall
from research_eval.schema.display import one_line
from research_eval.schema.outside import read_json, safe_value

__all__ = ["CommandDriver"]

MAX_LINE_BYTES = 4 * 1024 * 1024
"""The longest message that is read."""

LEAVE_S = 2.0
"""Seconds that a program has to leave after the end of its trial before it is killed."""

KEPT_STDERR = 2000
"""Bytes of the end of its standard error that are kept to explain a failure."""

ROUNDS = 20
"""Times that the processes of a trial are looked for and killed."""

MARK = "RESEARCH_EVAL_TRIAL"
"""The environment variable by which every process of a trial is found."""

_FROM_AGENT: TypeAdapter[FromAgent] = TypeAdapter(FromAgent)

P = TypeVar("P")


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
        self._base = base
        self._scrub = scrub
        self._mark = uuid.uuid4().hex
        self._process: Process | None = None
        self._errors = b""
        self._listening: asyncio.Task[None] | None = None
        self._calls: set[str] = set()
        self._trial_id = ""
        self._has_answered = False

    async def answer(self, ask: Ask, desk: ToolDesk) -> Said:
        """Ask the program and serve its tool calls until it answers.

        Raises:
            AgentError: If it cannot be started, leaves, or says what is no message.
        """
        self._has_answered = False
        if ask.corrective is None:
            self._trial_id = ask.trial_id
            await self._start()
            await self._send(
                QuestionMessage(
                    id=ask.trial_id,
                    question=ask.question,
                    tools=ask.tools,
                    timeout_s=ask.timeout_s,
                )
            )
        else:
            await self._send(
                CorrectiveMessage(id=ask.trial_id, attempt=ask.attempt, text=ask.corrective)
            )
        while True:
            message = await self._receive()
            if isinstance(message, ToolCallMessage):
                await self._serve(message, desk)
            elif isinstance(message, ModelCallMessage):
                desk.told_model_call(message.text, message.usage.usage, message.model, ask.attempt)
            else:
                said = self._said(message)
                self._has_answered = True
                return said

    async def _serve(self, message: ToolCallMessage, desk: ToolDesk) -> None:
        if message.call in self._calls:
            raise AgentError(f"{self._name}: two tool calls are called {message.call!r}")
        self._calls.add(message.call)
        arguments = TypeAdapter(dict[str, Any]).dump_json(message.arguments).decode()
        call = ToolCall(id=message.call, name=message.name, arguments=arguments)
        outcome = await desk.call(call)
        await self._send(
            ToolResultMessage(
                call=message.call, ok=outcome.ok, text=outcome.text, error=outcome.error
            )
        )

    def _said(self, message: AnswerMessage | RefusalMessage | ErrorMessage) -> Said:
        if message.id != self._trial_id:
            raise AgentError(
                f"{self._name}: answered the trial {one_line(message.id, 80)!r},"
                f" but was asked by {self._trial_id!r}"
            )
        match message:
            case AnswerMessage():
                return Said(
                    message.text, message.usage.usage, message.model, is_final=message.final
                )
            case RefusalMessage():
                return Said(message.text, message.usage.usage, is_refusal=True)
            case ErrorMessage():
                raise AgentError(f"{self._name}: {one_line(self._scrub(message.message), 500)}")

    @property
    def _name(self) -> str:
        return Path(self._command[0]).name

    async def _start(self) -> None:
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                cwd=self._base,
                env={**os.environ, MARK: self._mark},
                start_new_session=True,
                limit=MAX_LINE_BYTES,
            )
        except FileNotFoundError as exc:
            raise ConfigError(
                f"agent.command: {self._command[0]}: there is no such program"
            ) from exc
        except (OSError, ValueError) as exc:
            raise ConfigError(
                f"agent.command: {self._command[0]}: cannot be started: {exc}"
            ) from exc
        self._listening = asyncio.create_task(self._listen(self._process))

    async def _listen(self, process: Process) -> None:
        """Read its standard error to the end, and keep the end."""
        errors = _pipe(process.stderr)
        while chunk := await errors.read(65536):
            self._errors = (self._errors + chunk)[-KEPT_STDERR:]

    async def _send(self, message: Record) -> None:
        stdin = _pipe(self._running().stdin)
        with suppress(ConnectionError):  # whether it has left, reading tells
            stdin.write(message.model_dump_json().encode() + b"\n")
            await stdin.drain()

    def _running(self) -> Process:
        if self._process is None:
            raise AgentError(f"{self._name}: is not running")
        return self._process

    async def _receive(self) -> FromAgent:
        process = self._running()
        try:
            line = await _pipe(process.stdout).readline()
        except ValueError as exc:
            raise AgentError(
                f"{self._name}: a line of its standard output is longer than"
                f" {MAX_LINE_BYTES // 1024**2} MiB"
            ) from exc
        if not line.endswith(b"\n"):
            raise AgentError(await self._why_it_left(process))
        try:
            return _FROM_AGENT.validate_python(safe_value(read_json(line)))
        except ValidationError as exc:
            first = exc.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            where = f"{place}: " if place else ""
            raise AgentError(f"{self._name}: no message: {where}{first['msg']}") from exc
        except (ValueError, UnicodeDecodeError) as exc:
            shown = one_line(self._scrub(line.decode("utf-8", "replace")), 80)
            raise AgentError(
                f"{self._name}: its standard output holds what is no JSON line: {shown!r}"
                " (send logs to standard error)"
            ) from exc

    async def _why_it_left(self, process: Process) -> str:
        """Say that the program closed its output without an answer, and its last words."""
        try:
            async with asyncio.timeout(LEAVE_S):
                status: int | None = await process.wait()
                if self._listening is not None:
                    await asyncio.shield(self._listening)
        except TimeoutError:
            status = process.returncode
        how = "closed its output" if status is None else f"left with status {status}"
        lines = self._scrub(self._errors.decode("utf-8", "replace")).strip().splitlines()
        last = f": {one_line(lines[-1], 240)}" if lines else ""
        return f"{self._name}: {how} before it answered{last}"

    async def aclose(self) -> None:
        """Tell the program that its trial is over; kill what does not leave, and all it started."""
        process = self._process
        if process is None:
            return
        try:
            if self._has_answered:
                await self._let_leave(process)
        finally:
            _kill(process, self._mark)
            if self._listening is not None:
                self._listening.cancel()
            # pipes that a process outside the group holds open would be waited for
            process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001
            self._process = None

    async def _let_leave(self, process: Process) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVE_S):
                await self._send(EndMessage(id=self._trial_id))
                if process.stdin is not None:
                    process.stdin.close()
                await process.wait()


def _pipe(pipe: P | None) -> P:
    """Return a pipe that a program was started with."""
    if pipe is None:
        raise AgentError("the program was started without a pipe")
    return pipe


def _kill(process: Process, mark: str) -> None:
    """Kill the program's process group, and what left the group but bears the trial's mark."""
    environments = Path("/proc")
    has_environments = (environments / "self" / "environ").exists()
    if process.returncode is None or not has_environments:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    wanted = f"{MARK}={mark}".encode()
    for _ in range(ROUNDS):  # what forks while it is looked for is found in the next round
        found = [
            int(p.parent.name) for p in environments.glob("[0-9]*/environ") if _holds(p, wanted)
        ]
        for number in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        if not found:
            return


def _holds(path: Path, wanted: bytes) -> bool:
    try:
        return wanted in path.read_bytes()
    except OSError:
        return False
