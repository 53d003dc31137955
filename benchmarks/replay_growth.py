"""CPU that a replayed trial costs in a small run and in a large one: it must not grow with the run.

    python benchmarks/replay_growth.py                          # 100 and 3,000 trials, seven runs of each
    python benchmarks/replay_growth.py --sizes 50,500 --runs 3  # quicker

Trials with three model calls, a page and a corrective are recorded from a server on 127.0.0.1. Then
runs of one trial, of the few and of the many take turns, each in a process of its own. The cost of
a trial is what a run costs more than the run of one trial, a trial. Exits 1 if the median of the
ratios is above `--limit`.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from spent import spent

EXPERIMENT = """
name = "growth"
dataset = "cases.jsonl"
cassettes = "cassettes"
trials = 1

[defaults]
fetch.allow_private = ["127.0.0.1"]
fetch.ports = [{port}]

[[configuration]]
name = "one"
[configuration.model]
name = "openai:m"
base_url = "http://127.0.0.1:{port}/v1"
api_key_env = "OPENAI_API_KEY"
[configuration.agent]
max_retries = 1
max_turns = 4
"""
PAGE = f"<title>Port</title><p>The port opened in 1907.</p>{'<p>It grew year by year.</p>' * 200}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the library's name
        messages = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"]
        page = f"http://{self.headers['host']}/page"
        function = {"name": "fetch", "arguments": json.dumps({"url": page})}
        if not any(message["role"] == "tool" for message in messages):
            call = {"id": "call_1", "type": "function", "function": function}
            message = {"role": "assistant", "tool_calls": [call]}
        elif sum(message["role"] == "user" for message in messages) == 1:
            message = {"role": "assistant", "content": "In 1907, as http://never.example/ says."}
        else:
            message = {"role": "assistant", "content": f"In 1907, it is said: {page}"}
        finish = "tool_calls" if "tool_calls" in message else "stop"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        usage = {"prompt_tokens": 900, "completion_tokens": 40, "total_tokens": 940}
        reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
        self.answer("application/json", json.dumps(reply | {"choices": [choice], "usage": usage}))

    def do_GET(self) -> None:  # the library's name
        is_page = self.path == "/page"
        self.answer("text/html", PAGE if is_page else "", 200 if is_page else 404)

    def answer(self, kind: str, text: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def record(folder: Path, cases: int, port: int) -> None:
    """Record an experiment of so many cases in `folder`."""
    folder.mkdir()
    (folder / "one.toml").write_text(EXPERIMENT.format(port=port))
    lines = (json.dumps({"id": f"c{n}", "question": f"When was {n}?"}) for n in range(cases))
    (folder / "cases.jsonl").write_text("".join(f"{line}\n" for line in lines))
    words = ["record", "one.toml", "--concurrency", "8", "--out", "recorded", "--no-report"]
    subprocess.run(
        [sys.executable, "-m", "research_eval", *words],
        cwd=folder,
        env={**os.environ, "OPENAI_API_KEY": "sk-of-nobody-at-all"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )


def replay_s(folder: Path, name: str) -> float:
    """Return the CPU seconds of a replay."""
    out = folder / name
    cost = spent("run", folder / "one.toml", "--concurrency", "4", "--out", out, "--no-report")
    trials = (json.loads(line) for line in (out / "trials.jsonl").read_bytes().splitlines())
    if any(trial["status"] != "completed" for trial in trials):
        sys.exit(f"{out}: a trial is not completed")
    return cost.cpu_s


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="100,3000")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--limit", type=float, default=1.15)
    options = parser.parse_args()
    few, many = map(int, options.sizes.split(","))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        folders = {size: Path(name) / str(size) for size in (1, few, many)}
        for size, folder in folders.items():
            record(folder, size, server.server_port)
        server.shutdown()
        ratios = []
        for number in range(options.runs):
            cost = {size: replay_s(folder, f"run-{number}") for size, folder in folders.items()}
            small, large = ((cost[size] - cost[1]) / (size - 1) for size in (few, many))
            ratios.append(large / small)
            print(
                f"start {cost[1]:.2f} s CPU; a trial of {few}: {small * 1e3:.2f} ms; "
                f"of {many}: {large * 1e3:.2f} ms; ratio {ratios[-1]:.2f}"
            )
    ratio = statistics.median(ratios)
    print(f"median of {options.runs}: {ratio:.2f} (limit: {options.limit:g})")
    return int(ratio > options.limit)


if __name__ == "__main__":
    sys.exit(main())
