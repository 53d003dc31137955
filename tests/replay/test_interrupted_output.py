"""A report or a merge that is killed at a random moment leaves whole files or none."""

import random
import signal

import pytest

from tests.replay.conftest import research_eval
from tests.stepwise import Stepwise

PART = ("run", "calibration", "--limit", "2", "--configuration", "mixed-30", "--no-report")
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


def killed(words, cwd, at_step):
    """Kill a command where it stands still for that time, before it has done all."""
    command = Stepwise(words, cwd)
    assert command.go_on(at_step)
    command.end(signal.SIGKILL)


def test_a_merge_that_is_killed_leaves_the_whole_run_or_none(tmp_path, place):
    whole, rng = files(place / "whole/run"), random.Random(3)
    merged = {name: data for name, data in whole.items() if not name.startswith(("report", "scores", "junit"))}  # fmt: skip
    merge = ("merge", place / "part1", place / "part2", "--out")
    steps = Stepwise([*merge, "counted"], tmp_path).go_to_end()
    for step in rng.sample(range(1, steps), 3):
        out = tmp_path / f"run{step}"
        killed([*merge, out.name], tmp_path, step)
        assert not out.exists() or files(out) == merged

        if not out.exists():
            research_eval(*merge, out.name, cwd=tmp_path)
        assert files(out) == merged


def test_a_report_that_is_killed_leaves_whole_files_or_none(tmp_path, place):
    whole, rng = files(place / "whole/run"), random.Random(5)
    research_eval("merge", place / "part1", place / "part2", "--out", "run", cwd=tmp_path)
    steps = Stepwise(["report", "run", *FORMATS], tmp_path).go_to_end()
    assert files(tmp_path / "run") == whole
    for step in rng.sample(range(1, steps), 2):
        for name in ("report.html", "report.md", "scores.csv", "junit.xml"):
            (tmp_path / "run" / name).unlink(missing_ok=True)
        killed(["report", "run", *FORMATS], tmp_path, step)

        left = files(tmp_path / "run")
        assert {name: whole[name] for name in left} == left
