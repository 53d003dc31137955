"""Processes that are caught in the middle on any machine: one moves on only when the test lets it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

__all__ = ["Stepwise", "interrupt"]

_PROGRAM = """
import os, signal, sys, threading
HERE = os.getcwd() + os.sep
KINDS = {"open", "os.rename", "os.remove", "os.mkdir", "os.truncate", "sqlite3.connect"}

def stand_still():
    signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)

def hook(event, args):
    if event in KINDS and isinstance(args[0], (str, bytes, os.PathLike)):
        if os.path.abspath(os.fsdecode(args[0])).startswith(HERE):
            stand_still()

from research_eval.cli.main import main
from research_eval.journal import JournalWriter

def add(self, *record):
    stand_still()
    real_add(self, *record)

real_add, JournalWriter.add = JournalWriter.add, add
sys.addaudithook(hook)
main()
"""


class Stepwise:
    """A command that stands still before each trial that it keeps and each file of its folder that it touches."""

    def __init__(self, words: Iterable[object], cwd: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *map(str, words)],
            cwd=cwd,
            env={"PATH": "/usr/bin:/bin", "HOME": str(cwd), "LANG": "C.UTF-8"},
            text=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def stands_still(self) -> bool:
        """Wait until it stands still, or return `False` once it has ended."""
        options = os.WEXITED | os.WSTOPPED | os.WNOWAIT
        seen = os.waitid(os.P_PID, self.process.pid, options)
        return seen is not None and seen.si_code == os.CLD_STOPPED

    def go_on(self, steps: int = 1) -> bool:
        """Let it take some steps and return whether it stands still again, rather than has ended."""
        for _ in range(steps):
            if not self.stands_still():
                return False
            os.kill(self.process.pid, signal.SIGCONT)
        return self.stands_still()

    def go_to_end(self) -> int:
        """Let it run to its end, which must be a good one, and return how often it stood still."""
        steps = 0
        while self.stands_still():
            os.kill(self.process.pid, signal.SIGCONT)
            steps += 1
        words = self.process.communicate()[1]
        assert self.process.returncode == 0, words
        return steps

    def end(self, number: signal.Signals) -> tuple[int, str]:
        """Send it a signal where it stands, let it end as it does upon that; return its status and its words."""
        os.kill(self.process.pid, number)  # `send_signal` would reap it
        while self.stands_still():
            os.kill(self.process.pid, signal.SIGCONT)
        words = self.process.communicate()[1]
        return self.process.returncode, words


def interrupt(process: "subprocess.Popen[str] | subprocess.Popen[bytes]") -> None:
    """Send SIGINT and wait until the process has taken it; a second one would else become one with it."""
    process.send_signal(signal.SIGINT)
    while process.poll() is None and _is_pending(process.pid, signal.SIGINT):
        time.sleep(0.01)


def _is_pending(pid: int, number: int) -> bool:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    sets = [int(line.split()[1], 16) for line in lines if line.startswith(("SigPnd", "ShdPnd"))]
    return any(pending >> (number - 1) & 1 for pending in sets)
