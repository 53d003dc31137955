"""A program that is an agent, held in a process group: it is started for a trial and leaves with it."""

import asyncio
import os
import signal
import uuid
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from research_eval.errors import AgentError, ConfigError
from research_eval.schema.display import one_line

__all__ = ["LEAVE_S", "MARK", "MAX_LINE_BYTES", "AgentProcess"]

MAX_LINE_BYTES = 4 * 1024 * 1024
"""The longest message that is read."""

LEAVE_S = 2.0
"""Seconds that a program has to leave after the end of its trial before it is killed."""

KEPT_BYTES = 2000
"""Bytes of the end of what it says for people that are kept to explain a failure."""

ROUNDS = 20
"""Times that the processes of a trial are looked for and killed."""

MARK = "RESEARCH_EVAL_TRIAL"
"""The environment variable by which every process of a trial is found."""

P = TypeVar("P")


class AgentProcess:
    """One program of one trial; `kill` ends it with every process that it started."""

    def __init__(
        self,
        setting: str,
        base: Path,
        scrub: Callable[[str], str],
        *,
        speaks: bool,
    ) -> None:
        """Start nothing yet.

        Args:
            setting: The setting that names the program, for messages.
            base: The folder in which it runs.
            scrub: Takes secrets out of what it says for people.
            speaks: Whether its standard input and output carry messages; else what it prints is for people.
        """
        self._setting = setting
        self._base = base
        self._scrub = scrub
        self._speaks = speaks
        self._mark = uuid.uuid4().hex
        self._process: Process | None = None
        self._last_words = b""
        self._listening: list[asyncio.Task[None]] = []
        self.name = ""
        """The program's name, for messages."""

    @property
    def is_started(self) -> bool:
        """Whether there is anything to end."""
        return self._process is not None

    async def start(self, command: Sequence[str]) -> None:
        """Start a program with its arguments.

        Raises:
            ConfigError: If it cannot be started.
        """
        self.name = Path(command[0]).name
        place = f"{self._setting}: {command[0]}"
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=PIPE if self._speaks else DEVNULL,
                stdout=PIPE,
                stderr=PIPE,
                cwd=self._base,
                env={**os.environ, MARK: self._mark},
                start_new_session=True,
                limit=MAX_LINE_BYTES,
            )
        except FileNotFoundError as exc:
            raise ConfigError(f"{place}: there is no such program") from exc
        except (OSError, ValueError) as exc:
            raise ConfigError(f"{place}: cannot be started: {exc}") from exc
        self._process = process
        for pipe in (process.stderr,) if self._speaks else (process.stderr, process.stdout):
            self._listening.append(asyncio.create_task(self._listen(_pipe(pipe))))

    async def _listen(self, pipe: asyncio.StreamReader) -> None:
        """Read what is for people to the end, and keep the end."""
        while chunk := await pipe.read(65536):
            self._last_words = (self._last_words + chunk)[-KEPT_BYTES:]

    async def send(self, line: bytes) -> None:
        """Write a line to its standard input; whether it has left, reading tells.

        Raises:
            AgentError: If it was never started.
        """
        stdin = _pipe(self._running().stdin)
        with suppress(ConnectionError):
            stdin.write(line + b"\n")
            await stdin.drain()

    async def receive(self) -> bytes:
        """Return the next line of its standard output.

        Raises:
            AgentError: If there is none, or it is too long.
        """
        try:
            line = await _pipe(self._running().stdout).readline()
        except ValueError as exc:
            raise AgentError(
                f"{self.name}: a line of its standard output is longer than"
                f" {MAX_LINE_BYTES // 1024**2} MiB"
            ) from exc
        if not line.endswith(b"\n"):
            status = await self._status()
            how = "closed its output" if status is None else f"left with status {status}"
            raise AgentError(f"{self.name}: {how} before it answered{self.last_words()}")
        return line

    async def left(self) -> int:
        """Wait until it has left, and return its status."""
        await self._running().wait()
        return await self._status() or 0

    async def _status(self) -> int | None:
        """Return how it left, once all it said is read; `None` if it is still there."""
        process = self._running()
        try:
            async with asyncio.timeout(LEAVE_S):
                status: int | None = await process.wait()
                await asyncio.shield(asyncio.gather(*self._listening))
        except TimeoutError:
            status = process.returncode
        return status

    def last_words(self) -> str:
        """Return the last line of what it said for people, after a colon; nothing if it said nothing."""
        lines = self._scrub(self._last_words.decode("utf-8", "replace")).strip().splitlines()
        return f": {one_line(lines[-1], 240)}" if lines else ""

    def close_input(self) -> None:
        """Let it read the end of its standard input."""
        stdin = self._running().stdin
        if stdin is not None:
            stdin.close()

    async def wait(self) -> None:
        """Wait until it has left."""
        await self._running().wait()

    def kill(self) -> None:
        """End it, and all it started."""
        process = self._process
        if process is None:
            return
        _kill(process, self._mark)
        for task in self._listening:
            task.cancel()
        # pipes that a process outside the group holds open would be waited for
        process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001
        self._process = None

    def _running(self) -> Process:
        if self._process is None:
            raise AgentError(f"{self.name}: is not running")
        return self._process


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
