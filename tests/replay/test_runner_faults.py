"""Whatever fails around a run, no trial is lost or doubled, and one line says what to do."""

import json
import random
import resource
import signal
import subprocess
import sys

import pytest

from tests.replay.conftest import research_eval
from tests.stepwise import Stepwise

PART = ("run", "calibration", "--limit", "3", "--configuration", "honest", "--configuration", "mixed-30",
        "--configuration", "stubborn", "--no-report")  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return the journal of an undisturbed run."""
    place = tmp_path_factory.mktemp("whole")
    research_eval(*PART, "--out", "run", cwd=place)
    return (place / "run/trials.jsonl").read_bytes()


def one_line(done):
    lines = done.stderr.strip().splitlines()
    return [line for line in lines if line.startswith("research-eval:")]


def test_a_full_disk_ends_the_run_in_one_line_and_resuming_completes_it(tmp_path, whole):
    limit = len(whole) // 2
    done = subprocess.run(
        [sys.executable, "-m", "research_eval", *PART, "--out", "run"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )

    assert done.returncode == 2
    assert len(one_line(done)) == 1
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    journal = (tmp_path / "run/trials.jsonl").read_bytes()
    assert journal.endswith(b"\n")
    assert 0 < len(journal) <= limit
    research_eval(*PART, "--out", "run", cwd=tmp_path)
    assert (tmp_path / "run/trials.jsonl").read_bytes() == whole


def test_a_folder_that_cannot_be_written_is_refused_before_anything_runs(tmp_path):
    (tmp_path / "file").write_text("in the way")

    done = research_eval(*PART, "--out", "file/run", cwd=tmp_path, check=False)

    assert done.returncode == 2
    assert done.stderr.strip().startswith("research-eval: error: file/run: cannot be written")
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("keep")

    for words in ((), ("--overwrite",)):
        done = research_eval(*PART, *words, "--out", "mine", cwd=tmp_path, check=False)
        assert done.returncode == 2

    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def test_a_start_that_was_killed_before_its_manifest_can_be_made_again(tmp_path, whole):
    (tmp_path / "run").mkdir()
    (tmp_path / "run/cases.jsonl").write_text("{}")
    (tmp_path / "run/.manifest.json.77.tmp").write_text("{")

    research_eval(*PART, "--out", "run", cwd=tmp_path)

    assert (tmp_path / "run/trials.jsonl").read_bytes() == whole


def test_a_run_is_not_overwritten_unasked(tmp_path, whole):
    research_eval(*PART, "--out", "run", cwd=tmp_path)

    other = ("--set", "seed=7", "--out", "run")
    done = research_eval(*PART, *other, cwd=tmp_path, check=False)

    assert done.returncode == 2
    assert "give another --out, or --overwrite to replace it" in done.stderr
    assert (tmp_path / "run/trials.jsonl").read_bytes() == whole


def test_replayed_calls_are_held_against_no_limit(tmp_path):
    part = ("run", "bundled", "--limit", "3", "--configuration", "smollm2-135m", "--no-report")
    limits = ("--max-tokens", "1", "--max-cost", "0.000001")

    research_eval(*part, *limits, "--out", "run", cwd=tmp_path)

    lines = (tmp_path / "run/trials.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3


def test_a_run_out_of_time_says_what_is_missing(tmp_path):
    part = ("run", "bundled", "--limit", "3", "--configuration", "smollm2-135m", "--no-report")
    done = research_eval(*part, "--max-time", "1e-9", "--out", "run", cwd=tmp_path, check=False)

    assert done.returncode == 3
    assert "are missing: go on with the same command" in done.stderr


def test_retrying_errors_runs_only_those_and_keeps_the_earlier_record(tmp_path, whole):
    research_eval(*PART, "--out", "run", cwd=tmp_path)
    path = tmp_path / "run/trials.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    broken = json.loads(lines[4]) | {
        "status": "error",
        "failure": {"kind": "timeout", "message": "-"},
    }
    lines[4] = json.dumps(broken)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    done = research_eval(*PART, "--out", "run", "--retry-errors", cwd=tmp_path)

    assert "27/27" in done.stderr
    assert path.read_bytes() == whole
    kept = (tmp_path / "run/superseded.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["failure"]["kind"] for line in kept] == ["timeout"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--case", "no-such-case"), "no-such-case"),
        (("--tag", "no-such-tag"), "no-such-tag"),
        (("--configuration", "no-such-column"), "unknown configuration 'no-such-column'"),
        (("--set", "agent=1"), "agent"),
        (("--set", "configuration.honest.gate=none"), "unknown gate 'none'"),
        (("--set", "configuration.honest.model=openia:x"), "openia"),
        (("--set", "cassettes=elsewhere"), "elsewhere"),
        (("--shard", "9/2"), "--shard"),
    ],
)
def test_a_wrong_word_is_one_line_and_leaves_nothing_behind(tmp_path, words, says):
    done = research_eval("run", "calibration", *words, "--limit", "1", "--out", "run", cwd=tmp_path, check=False)  # fmt: skip

    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_live_models_and_webs_need_their_keys_first(tmp_path):
    asked = (
        (("--web", "live", "--set", "record_from=internet"), "SERPER_API_KEY"),
        (
            ("--model", "live", "--set", "configuration.honest.model=anthropic:x"),
            "ANTHROPIC_API_KEY",
        ),
    )
    for words, variable in asked:
        done = research_eval("run", "calibration", "--configuration", "honest", *words, "--limit", "1",
                             "--out", "run", cwd=tmp_path, check=False)  # fmt: skip
        assert done.returncode == 2
        assert variable in done.stderr
        assert not (tmp_path / "run").exists()


def test_killed_at_random_moments_no_trial_is_lost_or_doubled(tmp_path, whole):
    rng = random.Random(7)
    for number in (signal.SIGKILL, signal.SIGTERM) * 3:
        run = Stepwise([*PART, "--out", "run"], tmp_path)
        assert run.go_on(rng.randint(1, 20))
        run.end(number)
    research_eval(*PART, "--out", "run", cwd=tmp_path)

    assert (tmp_path / "run/trials.jsonl").read_bytes() == whole
