"""A process with limits on CPU and memory in which documents are read that may be hostile.

One worker serves one process of ours; it is replaced when a document makes it end.
"""

import json
import os
import selectors
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from typing import IO

__all__ = ["Worker", "WorkerError"]

_START = (
    "import sys; limits = sys.argv[1]; sys.path[:] = sys.argv[2:]; "
    "from research_eval.tool.fetch.workshop import main; main(limits)"
)
_SILENCE_S = 120.0
"""A worker that neither answers nor uses up its CPU time for so long is stuck."""


class WorkerError(Exception):
    """The worker ended, or had to be ended, before it answered."""


@dataclass
class Worker:
    """The parent's side of the process."""

    cpu_s: int = 10
    """Processor time for one document."""
    memory_bytes: int = 1_000_000_000
    _process: "subprocess.Popen[bytes] | None" = None
    _owner: int = 0
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, question: dict[str, object], body: bytes) -> bytes:
        """Return the worker's answer.

        Raises:
            WorkerError: If there is none within the limits.
        """
        with self._turn:
            process = self._running()
            try:
                return _exchange(process, json.dumps(question).encode(), body)
            except (OSError, EOFError, ValueError) as exc:
                self._end()
                raise WorkerError("the document could not be read within the limits") from exc

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._owner != os.getpid():  # after a fork the process belongs to the parent
            self._process = None
        if self._process is None or self._process.poll() is not None:
            limits = f"{self.cpu_s},{self.memory_bytes}"
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
                [sys.executable, "-c", _START, limits, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"PYTHONHASHSEED": "0"},  # secrets stay with the parent
                start_new_session=True,
            )
            self._owner = os.getpid()
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()

    def close(self) -> None:
        """End the process, if there is one."""
        with self._turn:
            if self._owner == os.getpid():
                self._end()


def _exchange(process: "subprocess.Popen[bytes]", question: bytes, body: bytes) -> bytes:
    if process.stdin is None or process.stdout is None:
        raise EOFError
    head = len(question).to_bytes(8, "big") + len(body).to_bytes(8, "big")
    process.stdin.write(head + question + body)
    process.stdin.flush()
    size = int.from_bytes(_read(process.stdout, 8), "big")
    return _read(process.stdout, size)


def _read(pipe: IO[bytes], size: int) -> bytes:
    """Read exactly `size` bytes, but do not wait for ever."""
    parts: list[bytes] = []
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while size > 0:
            if not selector.select(_SILENCE_S):
                raise EOFError
            part = os.read(pipe.fileno(), min(size, 1 << 20))
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
    return b"".join(parts)
