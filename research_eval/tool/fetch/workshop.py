"""The worker's own side: sets its limits, then reads documents that come in through its pipe."""

import json
import sys
from typing import BinaryIO

from research_eval.tool.fetch.reader import read_here

if sys.platform != "win32":
    import resource

__all__ = ["main", "serve"]


def main(limits: str) -> None:
    """Serve until the pipe is closed; `limits` are seconds and bytes, with a comma between."""
    cpu_s, memory_bytes = map(int, limits.split(","))
    _limit_memory(memory_bytes)
    serve(sys.stdin.buffer, sys.stdout.buffer, cpu_s=cpu_s)


def serve(source: BinaryIO, sink: BinaryIO, *, cpu_s: int | None) -> None:
    """Answer each document from `source` with a page on `sink`."""
    while len(head := source.read(16)) == 16:
        question = json.loads(source.read(int.from_bytes(head[:8], "big")))
        body = source.read(int.from_bytes(head[8:], "big"))
        if cpu_s is not None:
            _limit_time(cpu_s)
        answer = read_here(body, **question).model_dump_json().encode()
        sink.write(len(answer).to_bytes(8, "big") + answer)
        sink.flush()


def _limit_memory(size: int) -> None:
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_time(seconds: int) -> None:
    """Allow `seconds` more of processor time; beyond it the system ends this process."""
    if sys.platform != "win32":
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + seconds + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
