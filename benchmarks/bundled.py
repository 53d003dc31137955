"""Measure the bundled run: CPU a trial beside Inspect AI, start-up, peak memory, size, growth.

    python benchmarks/bundled.py [--configuration NAME ...] [--skip-inspect]

Inspect AI is measured in the same run with as many mock model calls and tool calls a sample, where
the package inspect-ai is installed.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXPERIMENT = ROOT / "datasets" / "world" / "calibration.toml"

INSPECT = """
import sys
from inspect_ai import Task, eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import tool

@tool
def look():
    async def execute(word: str) -> str:
        '''Look something up.

        Args:
            word: What to look up.
        '''
        return 'text ' * 1000
    return execute

samples, calls, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
def outputs():
    while True:
        for number in range(calls - 1):
            yield counted(ModelOutput.for_tool_call('mockllm/model', 'look', {'word': 'x'}))
        yield counted(ModelOutput.from_content('mockllm/model', 'answer'))
def counted(output):
    # else Inspect counts the tokens itself, with a table from the network
    output.usage = ModelUsage(input_tokens=900, output_tokens=40, total_tokens=940)
    return output
(log,) = evaluate(
    Task(dataset=[Sample(input='q', target='answer') for _ in range(samples)],
         solver=[use_tools(look()), generate()], scorer=includes()),
    model=get_model('mockllm/model', custom_outputs=outputs()),
    log_dir=folder, display='none', max_samples=1,
)
assert log.status == 'success', log.error
"""


AGENTS = ("honest", "mixed-30", "snippet-citer", "no-citer")


def cpu_and_peak(*words: str) -> tuple[float, float]:
    """Run a command; return its CPU seconds and its peak memory in MB."""
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, *words],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)],
    )
    _, status, used = os.wait4(pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(words)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def run(folder: Path, *words: str) -> tuple[float, float, list[dict[str, object]]]:
    """Run the calibration; return CPU seconds, peak MB and the trials."""
    cpu, peak = cpu_and_peak(
        "-m", "research_eval", "run", "calibration", "--out", str(folder), *words
    )
    with (folder / "trials.jsonl").open(encoding="utf-8") as lines:
        return cpu, peak, [json.loads(line) for line in lines]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--configuration", action="append", default=[])
    parser.add_argument("--skip-inspect", action="store_true")
    options = parser.parse_args()
    chosen = [word for name in options.configuration for word in ("--configuration", name)]
    with tempfile.TemporaryDirectory() as place:
        trial_cost(Path(place), chosen, with_inspect=not options.skip_inspect)
        growth(Path(place), chosen)
        whole(Path(place), chosen)
    start_up()
    size = sum(p.stat().st_size for p in (ROOT / "cassettes" / "world").rglob("*") if p.is_file())
    print(f"cassettes of the bundled experiment: {size / 1e6:.1f} MB")


def trial_cost(place: Path, chosen: list[str], *, with_inspect: bool) -> None:
    """Print the CPU of a replayed trial, all included but start-up, and Inspect AI's beside it."""
    few, _, _ = run(place / "few", "--no-report", "--limit", "1", "--set", "trials=1", *chosen)
    many, _, trials = run(place / "many", "--no-report", *chosen)
    calls = sum(e["kind"] == "model" for t in trials for e in t["transcript"]) / len(trials)  # type: ignore[attr-defined]
    ours = 1000 * (many - few) / len(trials)
    print(f"a replayed trial: {ours:.2f} ms CPU, {calls:.1f} model calls, {len(trials)} trials")
    if not with_inspect:
        return
    whole_calls = max(1, round(calls))
    small, _ = cpu_and_peak("-c", INSPECT, "50", str(whole_calls), str(place / "i1"))
    large, _ = cpu_and_peak("-c", INSPECT, "350", str(whole_calls), str(place / "i2"))
    theirs = 1000 * (large - small) / 300
    print(f"an Inspect AI sample with {whole_calls} mock model calls: {theirs:.2f} ms CPU")
    print(f"ratio: {ours / theirs:.2f}")


def growth(place: Path, chosen: list[str]) -> None:
    """Print the CPU of a trial at ten times the trials, as a ratio.

    Reference agents unless others are chosen: of a recorded model there are no more trials to replay.
    """
    chosen = chosen or [word for name in AGENTS for word in ("--configuration", name)]
    base, _, _ = run(place / "g0", "--no-report", "--limit", "6", "--set", "trials=1", *chosen)
    once, _, one = run(place / "g1", "--no-report", "--limit", "6", "--set", "trials=11", *chosen)
    ten, _, ten_trials = run(
        place / "g10", "--no-report", "--limit", "6", "--set", "trials=101", *chosen
    )
    step = (once - base) / (len(one) * 10 / 11)
    step10 = (ten - base) / (len(ten_trials) * 100 / 101)
    print(f"CPU a trial at ten times the trials: {step10 / step:.2f} of the same")


def whole(place: Path, chosen: list[str]) -> None:
    """Print CPU and peak memory of a run with its report."""
    cpu, peak, trials = run(place / "whole", *chosen)
    print(f"run and report of {len(trials)} trials: {cpu:.1f} s CPU, peak {peak:.0f} MB")


def start_up() -> None:
    """Print the CPU of `--help` beside a Python that does nothing."""
    plain = min(cpu_and_peak("-c", "pass")[0] for _ in range(7))
    helped = min(cpu_and_peak("-m", "research_eval", "--help")[0] for _ in range(7))
    bound = 2.5 * plain + 0.15
    print(f"--help: {helped:.3f} s CPU; python -c pass: {plain:.3f} s; bound {bound:.3f} s")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    subprocess.run([sys.executable, "-c", "import research_eval"], check=True)
    main()
