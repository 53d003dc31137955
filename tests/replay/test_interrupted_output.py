"""A report or a merge that is killed at a random moment leaves whole files or none."""

import random
import signal
import subprocess
import sys
import time

import pytest

from tests.replay.conftest import research_eval

PART = ("run", "bundled", "--limit", "2", "--configuration", "mixed-30", "--no-report")
FORMATS = ("--format", "md,csv,junit")  # without plots, which take the longest


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Return a folder with two shards, their merged run and its reports."""
    place = tmp_path_factory.mktemp("whole")
    for part in (1, 2):
        research_eval(*PART, "--shard", f"{part}/2", "--out", f"part{part}", cwd=place, check=False)
    research_eval("merge", "part1", "part2", "--out", "whole/run", cwd=place)
    research_eval("report", "run", *FORMATS, cwd=place / "whole")
    return place


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "timing.jsonl" and not path.name.startswith(".")
    }


def killed(words, cwd, after_s):
    process = subprocess.Popen(
        [sys.executable, "-m", "research_eval", *map(str, words)],
        cwd=cwd,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        process.wait(timeout=after_s)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_a_merge_that_is_killed_leaves_the_whole_run_or_none(tmp_path, place):
    whole, rng = files(place / "whole/run"), random.Random(3)
    merged = {name: data for name, data in whole.items() if not name.startswith(("report", "scores", "junit"))}  # fmt: skip
    for number in range(3):
        out = tmp_path / f"run{number}"
        killed(("merge", place / "part1", place / "part2", "--out", out), tmp_path, rng.uniform(0.2, 0.9))  # fmt: skip
        assert not out.exists() or files(out) == merged

        if not out.exists():
            research_eval("merge", place / "part1", place / "part2", "--out", out, cwd=tmp_path)
        assert files(out) == merged


def test_a_report_that_is_killed_leaves_whole_files_or_none(tmp_path, place):
    whole, rng = files(place / "whole/run"), random.Random(5)
    research_eval("merge", place / "part1", place / "part2", "--out", "run", cwd=tmp_path)
    began = time.monotonic()
    research_eval("report", "run", *FORMATS, cwd=tmp_path)
    longest = time.monotonic() - began
    assert files(tmp_path / "run") == whole
    for _ in range(2):
        for name in ("report.html", "report.md", "scores.csv", "junit.xml"):
            (tmp_path / "run" / name).unlink(missing_ok=True)
        killed(("report", "run", *FORMATS), tmp_path, rng.uniform(0.5, 1.0) * longest)

        left = files(tmp_path / "run")
        assert {name: whole[name] for name in left} == left
