"""Going on with a run: whatever part of it goes on, all that is done stays, and one line says what does not fit."""

import json
import shutil
import signal
import sys
from typing import NamedTuple

import pytest

from research_eval.cli.main import main
from tests.stepwise import Stepwise

SMALL = ("run", "calibration", "--limit", "3", "--set", "trials=1")
PART = (*SMALL, "--configuration", "honest", "--configuration", "mixed-30", "--no-report")
TRIALS = 6


class Done(NamedTuple):
    code: int
    errors: list[str]
    """What the command complained of."""


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Return what runs the command line in this process, where its libraries are loaded once."""
    monkeypatch.chdir(tmp_path)

    def run(*words, code=0):
        monkeypatch.setattr(sys, "argv", ["research-eval", *map(str, words)])
        with pytest.raises(SystemExit) as caught:
            main()
        lines = capsys.readouterr().err.splitlines()
        done = Done(
            int(caught.value.code or 0), [s for s in lines if s.startswith("research-eval:")]
        )
        assert done.code == code, lines
        return done

    return run


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return the folder of an undisturbed run."""
    place = tmp_path_factory.mktemp("whole")
    Stepwise([*PART, "--out", "run"], place).go_to_end()
    return place / "run"


@pytest.fixture
def run(whole, tmp_path):
    """Return a copy of it."""
    return shutil.copytree(whole, tmp_path / "run")


def journal(folder):
    return (folder / "trials.jsonl").read_bytes()


def break_trials(folder, *places):
    """Make trials look as if the provider had broken them; return their lines."""
    lines = journal(folder).splitlines(keepends=True)
    for place in places:
        failure = {"kind": "timeout", "message": "-"}
        data = json.loads(lines[place]) | {"status": "error", "failure": failure}
        lines[place] = json.dumps(data).encode() + b"\n"
    (folder / "trials.jsonl").write_bytes(b"".join(lines))
    return [lines[place] for place in places]


def superseded(folder):
    path = folder / "superseded.jsonl"
    return path.read_bytes().splitlines(keepends=True) if path.exists() else []


@pytest.mark.parametrize(
    "words",
    [
        ("--shard", "1/2"),
        ("--shard", "7/9"),
        ("--max-tokens", "1"),
        ("--retry-errors",),
        ("--retry-errors", "--shard", "2/2", "--max-time", "0.001"),
    ],
)
def test_a_finished_run_of_which_a_part_goes_on_stays_as_it_is(call, run, whole, words):
    call(*PART, *words, "--out", "run")

    assert journal(run) == journal(whole)


def test_parts_that_run_one_after_the_other_into_one_folder_are_the_whole_run(
    call, tmp_path, whole
):
    for part in ("2/3", "1/3"):
        call(*PART, "--shard", part, "--out", "run")
    stopped = call(*PART, "--max-time", "1e-9", "--out", "run", code=3)
    assert journal(tmp_path / "run").count(b"\n") == TRIALS * 2 // 3
    call(*PART, "--shard", "3/3", "--out", "run")

    assert "4 of 6 trials are kept, 2 are missing: go on with the same command" in stopped.errors[0]
    assert journal(tmp_path / "run") == journal(whole)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--set", "record_from=internet"), "record_from: 'world' -> 'internet'"),
        (("--set", "configuration.honest.agent.max_retries=0"), "max_retries: 2 -> 0"),
        (("--model", "live"), "model_mode: 'replay' -> 'live'"),
        (
            ("--overwrite",),
            "--overwrite replaces a run that --retry-errors goes on with",
        ),
    ],
)
def test_another_setting_is_refused_in_one_line(call, run, whole, words, says):
    done = call(*PART, "--retry-errors", *words, "--out", "run", code=2)

    assert len(done.errors) == 1
    assert says in done.errors[0]
    assert {path.name for path in run.iterdir()} == {path.name for path in whole.iterdir()}
    assert journal(run) == journal(whole)


def test_an_error_leaves_the_journal_only_for_its_second_try(call, run, whole):
    broken = break_trials(run, 0, 1, 5)
    stopped = call(*PART, "--retry-errors", "--max-time", "1e-9", "--out", "run", code=3)
    assert "6 of 6 trials are kept, 0 are missing, 3 errors did not run again" in stopped.errors[0]
    assert journal(run).count(b"\n") == TRIALS
    assert superseded(run) == []

    call(*PART, "--retry-errors", "--shard", "2/2", "--out", "run")
    assert superseded(run) == broken[1:]
    call(*PART, "--retry-errors", "--out", "run")

    assert sorted(superseded(run)) == sorted(broken)
    assert journal(run) == journal(whole)


@pytest.mark.parametrize("more", [("--no-report",), ()], ids=["no report", "report"])
def test_a_run_of_errors_alone_is_no_success(call, run, more):
    break_trials(run, *range(TRIALS))

    done = call(*PART[:-1], *more, "--out", "run", code=3)

    assert len(done.errors) == 1
    assert "no trial could be judged: all 6 ended in an error (timeout)" in done.errors[0]


def test_a_run_is_not_removed_for_one_that_cannot_start(call, run, whole):
    call(*PART, "--overwrite", "--set", "cassettes=elsewhere", "--out", "run", code=2)

    assert journal(run) == journal(whole)


QUICK = (*SMALL, "--configuration", "honest", "--configuration", "mixed-30", "--no-report")


def test_second_tries_that_are_killed_are_neither_lost_nor_doubled(tmp_path):
    Stepwise([*QUICK, "--out", "run"], tmp_path).go_to_end()
    is_there = {
        "once one of them ended": lambda run: any(p.stat().st_size for p in run.glob(".again-*")),
        "once the earlier records are kept": lambda run: (run / "superseded.jsonl").exists(),
    }
    for moment, has_come in is_there.items():
        run = shutil.copytree(tmp_path / "run", tmp_path / moment / "run")
        broken = break_trials(run, 1, 2, 4)
        words = [*QUICK, "--retry-errors", "--concurrency", "1", "--out", "run"]
        command = Stepwise(words, run.parent)
        while not has_come(run):
            assert command.go_on()
        command.end(signal.SIGKILL)
        assert journal(run).count(b"\n") == TRIALS

        Stepwise(words, run.parent).go_to_end()
        assert superseded(run) == broken, moment
        assert journal(run) == journal(tmp_path / "run")
        assert list(run.glob(".*")) == []
