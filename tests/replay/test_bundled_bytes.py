"""A replay is the same bytes whatever the machine does, survives `kill -9`, and opens no socket."""

import random
import signal
import subprocess
import sys

import pytest

from research_eval.experiment import BUNDLED, bundled_experiment, load_experiment
from tests.replay.conftest import research_eval
from tests.stepwise import Stepwise

COLUMNS = ("honest", "honest-serper-flaky", "mixed-30", "snippet-citer")
PART = (
    *("run", "calibration", "--limit", "5", "--no-report"),
    *(word for name in COLUMNS for word in ("--configuration", name)),
)

PROBE = """
import sys
SEEN = []
def hook(event, args):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.bind", "socket.sendto"}:
        SEEN.append((event, args[1:]))
sys.addaudithook(hook)
from research_eval.cli.main import cli
code = cli(sys.argv[1:], standalone_mode=False)
print("sockets:", SEEN)
sys.exit(code)
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return the journal of an undisturbed run."""
    place = tmp_path_factory.mktemp("whole")
    research_eval(*PART, "--out", "run", cwd=place)
    return (place / "run/trials.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        (("--concurrency", "1"), {"PYTHONHASHSEED": "1"}),
        (("--concurrency", "32"), {"PYTHONHASHSEED": "2"}),
        ((), {"TZ": "Asia/Tokyo", "LC_ALL": "C"}),
        ((), {"PYTHONOPTIMIZE": "1", "PYTHONUTF8": "0", "LANG": "POSIX"}),
    ],
    ids=["one at a time", "32 at once", "another time zone", "another locale"],
)
def test_a_replay_is_the_same_bytes(tmp_path, whole, words, environment):
    research_eval(*PART, *words, "--out", "run", cwd=tmp_path, **environment)

    assert (tmp_path / "run/trials.jsonl").read_bytes() == whole


def test_a_replay_of_models_is_the_same_bytes(tmp_path):
    part = ("run", "bundled", "--limit", "3", "--no-report")
    research_eval(*part, "--out", "run", cwd=tmp_path)
    research_eval(*part, "--out", "again", "--concurrency", "1", cwd=tmp_path, PYTHONHASHSEED="1", TZ="Asia/Tokyo")  # fmt: skip

    again = (tmp_path / "again/trials.jsonl").read_bytes()
    assert again.count(b"\n") == 3 * len(
        load_experiment(bundled_experiment()).settings.configuration
    )
    assert (tmp_path / "run/trials.jsonl").read_bytes() == again


def test_killed_at_ten_random_moments_and_resumed_it_ends_in_the_same_bytes(tmp_path, whole):
    rng = random.Random(20261130)
    kept = []
    for _ in range(10):
        run = Stepwise([*PART, "--out", "run"], tmp_path)
        assert run.go_on(rng.randint(1, 50))
        assert run.end(signal.SIGKILL)[0] == -signal.SIGKILL
        journal = tmp_path / "run/trials.jsonl"
        kept.append(journal.read_bytes().count(b"\n") if journal.exists() else 0)
    research_eval(*PART, "--out", "run", cwd=tmp_path)

    assert kept == sorted(kept)
    assert len({*kept} - {0, 60}) > 3, "it was killed in the middle"
    assert journal.read_bytes() == whole


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_is_done_and_says_how_to_go_on(tmp_path, whole, number):
    journal = tmp_path / "run/trials.jsonl"
    run = Stepwise([*PART, "--out", "run"], tmp_path)
    while not (journal.exists() and journal.stat().st_size):
        assert run.go_on()
    code, errors = run.end(number)

    assert code == 130
    assert "go on with the same command" in errors
    assert "Traceback" not in errors
    assert journal.read_bytes().count(b"\n") < whole.count(b"\n")
    research_eval(*PART, "--out", "run", cwd=tmp_path)
    assert journal.read_bytes() == whole


@pytest.mark.parametrize("name", BUNDLED)
def test_a_replay_opens_no_socket(tmp_path, name):
    done = subprocess.run(
        [sys.executable, "-c", PROBE, "run", name, "--limit", "3", "--out", "run"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert "sockets: []" in done.stdout


def test_shards_merge_to_the_bytes_of_the_whole_run(tmp_path, whole):
    for shard in ("1/3", "2/3", "3/3"):
        research_eval(*PART, "--shard", shard, "--out", shard[0], cwd=tmp_path)

    research_eval("merge", "1", "2", "3", "--out", "all", cwd=tmp_path)

    assert (tmp_path / "all/trials.jsonl").read_bytes() == whole


def test_resuming_a_changed_experiment_is_refused_and_says_what_changed(tmp_path):
    small = ("run", "calibration", "--limit", "1", "--configuration", "honest", "--no-report")
    research_eval(*small, "--out", "run", cwd=tmp_path)

    done = research_eval(*small, "--out", "run", "--set", "seed=1", cwd=tmp_path, check=False)

    assert done.returncode == 2
    assert "seed: 20261130 -> 1" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
