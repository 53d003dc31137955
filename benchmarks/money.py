"""Spend under limits, against a server that honours the token limit it is sent: is more spent than allowed?

    python benchmarks/money.py                     # concurrency 1, 16 and 64
    python benchmarks/money.py --cases 200 --seed 3

A model server on 127.0.0.1 uses any number of tokens up to what a request allows, answers some
requests with errors, leaves out some usage and breaks some replies off after it has charged them.
It keeps the true bill. Real runs are held to `--max-cost` and to `--max-tokens`, and resumed under
the same limit; a call without price or bound must be refused, replayed calls must cost nothing, and
`--max-time` must end calls in flight. Exits 1 where one of these fails.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PRICE = {"input": 3.0, "output": 15.0}
"""US dollars for a million tokens."""
EXPERIMENT = """
name = "money"
dataset = "cases.jsonl"
cassettes = "cassettes/money"

[[configuration]]
name = "one"
{price}
[configuration.model]
name = "openai:m"
base_url = "http://127.0.0.1:{port}/v1"
timeout_s = 120
max_tokens = 400
request_retries = 2
[configuration.agent]
{agent}
tools = ["fetch"]
[configuration.fetch]
allow_private = ["127.0.0.1"]
ports = [{port}]
host_interval_s = 0
"""


class Bank(ThreadingHTTPServer):
    """Answers, and keeps the bill."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, seed: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.rng = random.Random(seed)
        self.lock = threading.Lock()
        self.hangs = False
        self.forget()

    def forget(self) -> None:
        """Begin another bill."""
        self.calls, self.tokens, self.usd = 0, 0, 0.0

    def charge(self, prompt: int, completion: int) -> None:
        """Put a call on the bill."""
        with self.lock:
            self.calls += 1
            self.tokens += prompt + completion
            self.usd += (prompt * PRICE["input"] + completion * PRICE["output"]) / 1e6

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that gave up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Bank

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        asked = json.loads(body)
        if self.server.hangs:
            time.sleep(300)
        most = asked.get("max_completion_tokens") or asked.get("max_tokens")
        with self.server.lock:
            luck, share, step = (self.server.rng.random() for _ in range(3))
        if luck < 0.05:
            self.put(503, {"error": {"message": "busy"}})
            return
        prompt = len(body) // 4 + int(share * 200)
        completion = int(share * most)
        self.server.charge(prompt, completion)
        reply = self.reply(step)
        if luck > 0.05 + 0.02:
            reply["usage"] = {"prompt_tokens": prompt, "completion_tokens": completion}
        self.put(200, reply, is_cut=luck > 0.96)

    def reply(self, step: float) -> dict[str, object]:
        page = f"http://{self.headers['host']}/page/{int(step * 1e6)}"
        call = {"name": "fetch", "arguments": json.dumps({"url": page})}
        message: dict[str, object] = {"role": "assistant", "content": f"In 1907 [x]({page})."}
        if step < 0.6:
            calls = [{"id": "call_1", "type": "function", "function": call}]
            message |= {"content": None, "tool_calls": calls}
        finish = "tool_calls" if step < 0.6 else "stop"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        head = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
        return {**head, "choices": [choice]}

    def do_GET(self) -> None:
        self.put(200, {"port": "It opened in 1907. " * 30})

    def put(self, status: int, body: object, *, is_cut: bool = False) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content) + is_cut))
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = self.close_connection or is_cut

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def research_eval(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a command as a process of its own."""
    command = [sys.executable, "-m", "research_eval", *map(str, words), "--no-report"]
    return subprocess.run(
        command, cwd=folder, env=dict(os.environ), capture_output=True, text=True, check=False
    )


def told_usd(done: subprocess.CompletedProcess[str]) -> float:
    """Return what a run says that was spent, with what calls that broke off may have cost."""
    found = re.findall(
        r"^cost of \S+ \$([\d.,]+)|may have cost \$([\d.,]+) more", done.stdout, re.MULTILINE
    )
    return sum(float((first or second).replace(",", "")) for first, second in found)


class Proofs:
    """What has to hold, each with a line."""

    def __init__(self) -> None:
        self.is_good = True

    def line(self, words: str, *, holds: bool) -> None:
        """Print one proof."""
        self.is_good &= holds
        print(f"{'holds ' if holds else 'FAILED'}  {words}", flush=True)


def limits(bank: Bank, folder: Path, proofs: Proofs) -> None:
    """Run under a limit, and go on under the same limit."""
    for option, most in (("--max-cost", 0.15), ("--max-tokens", 40_000)):
        for concurrency in (1, 16, 64):
            bank.forget()
            out = f"{option[2:]}-{concurrency}"
            words = ("run", "money.toml", "--model", "live", "--web", "live", option, most,
                     "--concurrency", concurrency, "--out", out)  # fmt: skip
            first = research_eval(folder, *words)
            spent, told = bank.usd, told_usd(first)
            second = research_eval(folder, *words)
            used = bank.usd if option == "--max-cost" else bank.tokens
            unit = (
                f"${used:.4f} of ${most}"
                if option == "--max-cost"
                else f"{used:,} of {most:,} tokens"
            )
            codes = {first.returncode, second.returncode}
            proofs.line(f"{option} at concurrency {concurrency:2}: {unit} in {bank.calls} calls, exit {sorted(codes)}",
                        holds=0 < used <= most and codes == {3})  # fmt: skip
            proofs.line(f"    the last lines say at most ${told:.4f}, the bill was ${spent:.4f}",
                        holds=spent <= told + 1e-3)  # fmt: skip


def refused(bank: Bank, folder: Path, proofs: Proofs) -> None:
    """Ask for a limit that could not hold."""
    live = ("--model", "live", "--web", "live", "--limit", "1")
    for what, price, bound in (("price", False, True), ("bound", True, False)):
        write(folder, bank.server_port, price=price, bound=bound)
        bank.forget()
        done = research_eval(folder, "run", "money.toml", *live, "--max-cost", 1, "--out", what)
        proofs.line(f"without a {what} --max-cost is refused: {done.stderr.strip()[-150:]}",
                    holds=done.returncode == 2 and bank.calls == 0)  # fmt: skip
        allowed = ("--allow-unbounded", "one", "--out", f"{what}-allowed")
        done = research_eval(folder, "run", "money.toml", *live, "--max-cost", 1, *allowed)
        proofs.line(f"    with --allow-unbounded it runs, exit {done.returncode}",
                    holds=done.returncode == 0 and (bank.calls > 0) == bound)  # fmt: skip


def replayed(bank: Bank, folder: Path, proofs: Proofs) -> None:
    """Record, then ask for nothing new under a limit that nothing fits into."""
    write(folder, bank.server_port)
    research_eval(folder, "record", "money.toml", "--limit", 10, "--out", "recorded")
    bank.forget()
    done = research_eval(folder, "record", "money.toml", "--limit", 10, "--missing",
                         "--max-cost", 0.000001, "--out", "again")  # fmt: skip
    proofs.line(f"replayed calls cost nothing: exit {done.returncode}, {bank.calls} calls, ${bank.usd:.4f}",
                holds=done.returncode == 0 and bank.calls == 0)  # fmt: skip


def hanging(bank: Bank, folder: Path, proofs: Proofs) -> None:
    """Let the server hang."""
    bank.hangs = True
    began = time.monotonic()
    done = research_eval(folder, "run", "money.toml", "--model", "live", "--web", "live",
                         "--max-time", 5, "--out", "hanging")  # fmt: skip
    took = time.monotonic() - began
    bank.hangs = False
    proofs.line(f"--max-time 5 ends calls in flight: {took:.1f} s, exit {done.returncode}",
                holds=done.returncode == 3 and took < 60)  # fmt: skip


def write(folder: Path, port: int, *, price: bool = True, bound: bool = True) -> None:
    """Write the experiment."""
    text = EXPERIMENT.format(
        port=port,
        price=f"price = {{ input = {PRICE['input']}, output = {PRICE['output']} }}"
        if price
        else "",
        agent="max_retries = 1" if bound else 'callable = "mine:ask"',
    )
    (folder / "money.toml").write_text(text, encoding="utf-8")


def rows(number: int) -> Iterator[str]:
    """Yield the dataset."""
    for case in range(number):
        yield (
            json.dumps({"id": f"case-{case}", "question": f"When did the port {case} open?"}) + "\n"
        )


def main() -> int:
    """Print the proofs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    bank, proofs = Bank(options.seed), Proofs()
    threading.Thread(target=bank.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cases.jsonl").write_text("".join(rows(options.cases)), encoding="utf-8")
        (folder / "mine.py").write_text('def ask(question):\n    return "In 1907."\n', "utf-8")
        write(folder, bank.server_port)
        limits(bank, folder, proofs)
        replayed(bank, folder, proofs)
        hanging(bank, folder, proofs)
        refused(bank, folder, proofs)
    bank.shutdown()
    return int(not proofs.is_good)


if __name__ == "__main__":
    sys.exit(main())
