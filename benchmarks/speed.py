"""CPU and memory of `score`, `compare` and `report`, as a ratio to an earlier commit in the same run.

    python benchmarks/speed.py --against REV          10,000 synthetic trials, interleaved
    python benchmarks/speed.py --against REV --trials 100000 --times 1 --commands report

Checks the commit out beside this tree and runs the commands of both by turns with this interpreter.
Prints the median CPU and the peak memory of both; exits 1 if a command got slower by more than 10 %,
which is what two runs of the same code differ by on a busy machine.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from spent import Spent, spent

from report import write_run

ROOT = Path(__file__).resolve().parents[1]
NOISE = 1.1


def words_of(command: str, run: Path, out: Path) -> list[object]:
    """Return the words of a command over a run."""
    if command == "report":
        return ["report", run, "--format", "html", "--out", out, "--quiet"]
    if command == "compare":
        return ["compare", run]
    return [command, run]


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", default="HEAD~1")
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--commands", default="score,report")
    parser.add_argument("--run", type=Path, help="a run to use instead of a synthetic one")
    options = parser.parse_args()
    slower = False
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        tree = place / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "-q", "--detach", str(tree), options.against], check=True)
        try:
            run = options.run or place / "run"
            if options.run is None:
                write_run(run, options.trials, unique=False)
            for command in options.commands.split(","):
                ratio = side_by_side(words_of(command, run, place / "out"), tree, options.times)
                slower = slower or ratio > NOISE
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)
    return int(slower)


def side_by_side(words: list[object], tree: Path, times: int) -> float:
    """Run a command in both trees by turns, print what it took, and return the ratio of CPU."""
    found = [[spent_in(one, words) for one in (tree, ROOT)] for _ in range(times)]
    before, now = zip(*found, strict=True)
    cpu = [statistics.median(one.cpu_s for one in side) for side in (before, now)]
    ratio = statistics.median(b.cpu_s / a.cpu_s for a, b in found)
    print(
        f"{words[0]}: {cpu[0]:.1f} s CPU before, {cpu[1]:.1f} s now, ratio {ratio:.2f};"
        f" peak {max(one.mb for one in before):.0f} MB before, {max(one.mb for one in now):.0f} MB now",
        flush=True,
    )
    return ratio


def spent_in(tree: Path, words: list[object]) -> Spent:
    """Run a command of the code in a tree; installed packages are the same."""
    os.environ["PYTHONPATH"] = str(tree)
    return spent(*words)


if __name__ == "__main__":
    sys.exit(main())
