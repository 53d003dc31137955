"""What a command takes as a process of its own: processor time, time and peak memory."""

import subprocess
import sys
from typing import NamedTuple


class Spent(NamedTuple):
    cpu_s: float
    wall_s: float
    mb: float
    """Peak memory of the largest process of those that the command started, itself included."""


LAUNCHER = """
import os, subprocess, sys, time
began = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
wall = time.perf_counter() - began
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024)
"""
"""Starts a command from a small process: a child's peak counts its parent's size at the start."""


def spent(*words: object) -> Spent:
    """Run `research-eval` with these words to its end and return what it took."""
    command = [sys.executable, "-S", "-c", LAUNCHER, sys.executable, "-m", "research_eval"]
    done = subprocess.run([*command, *map(str, words)], capture_output=True, text=True, check=True)
    code, *figures = done.stdout.split()
    if code not in {"0", "1", "3"}:
        raise SystemExit(f"{words}: {done.stderr}")
    return Spent(*map(float, figures))
