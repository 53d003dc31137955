"""Replay streamed trials with a short time limit beside busy processes: all must be hits.

    python benchmarks/streamed.py                  # 20 cases, recorded at 4, replayed at 1, 16 and 64
    python benchmarks/streamed.py --cases 60 --busy 4

A server on 127.0.0.1 streams its replies; `timeout_s` is 0.3. What a call that is too late comes to
while it is recorded is part of the recording. Exits 1 if a replay is no hit throughout, or if two
replays differ in a byte.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

EXPERIMENT = """
name = "streamed"
dataset = "cases.jsonl"
cassettes = "cassettes/streamed"
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
stream = true
timeout_s = 0.3
request_retries = 1
[configuration.agent]
max_retries = 1
max_turns = 4
"""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the library's name
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        page = f"http://{self.headers['host']}/page"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        if any(message["role"] == "tool" for message in asked["messages"]):
            for word in ("In ", "19", "07", ", it ", "is ", "said: ", page):
                self.event(json.dumps(piece({"content": word})))
                time.sleep(0.01)
            self.event(json.dumps(piece({}, "stop")))
        else:
            function = {"name": "fetch", "arguments": json.dumps({"url": page})}
            call = {"index": 0, "id": "call_1", "type": "function", "function": function}
            self.event(json.dumps(piece({"tool_calls": [call]})))
            self.event(json.dumps(piece({}, "tool_calls")))
        self.event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def do_GET(self) -> None:  # the library's name
        page = b"<html><title>Port</title><body><p>The port opened in 1907.</p></body></html>"
        is_page = self.path == "/page"
        self.send_response(200 if is_page else 404)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(page) if is_page else 0))
        self.end_headers()
        self.wfile.write(page if is_page else b"")

    def event(self, data: str) -> None:
        content = f"data: {data}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def piece(delta: dict[str, object], finish: str | None = None) -> dict[str, object]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }


def spin() -> None:
    while True:
        pass


def research_eval(folder: Path, *words: str) -> str:
    command = [sys.executable, "-m", "research_eval", *words]
    environment = {**os.environ, "OPENAI_API_KEY": "sk-of-nobody-at-all"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return next((line for line in lines if line.startswith("recordings:")), "\n".join(lines[-5:]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--busy", type=int, default=2 * (os.cpu_count() or 1))
    options = parser.parse_args()
    ThreadingHTTPServer.handle_error = lambda *_: None  # callers that gave up
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "one.toml").write_text(EXPERIMENT.format(port=server.server_port))
        cases = ({"id": f"case-{n}", "question": f"When was {n}?"} for n in range(options.cases))
        (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
        print(
            "recorded at 4:",
            research_eval(
                folder,
                "record",
                "one.toml",
                "--concurrency",
                "4",
                "--out",
                "recorded",
                "--no-report",
            ),
        )
        server.shutdown()
        spinners = [multiprocessing.Process(target=spin, daemon=True) for _ in range(options.busy)]
        for spinner in spinners:
            spinner.start()
        is_good, journals = True, set()
        for concurrency in ("1", "16", "64"):
            said = research_eval(
                folder,
                "run",
                "one.toml",
                "--concurrency",
                concurrency,
                "--out",
                concurrency,
                "--no-report",
            )
            print(f"replayed at {concurrency}:", said)
            is_good &= said.startswith("recordings: hit")
            journals.add((folder / concurrency / "trials.jsonl").read_bytes())
        for spinner in spinners:
            spinner.terminate()
    print(f"{len(journals)} different journals")
    return 0 if is_good and len(journals) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
