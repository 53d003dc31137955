"""Trials on a Dask cluster whose workers are real processes: one that is killed loses and doubles nothing."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner
from distributed import LocalCluster

from research_eval.analysis.scoring import add_scores
from research_eval.cli.score import score
from research_eval.errors import ConfigError
from research_eval.gate.compare import judge_chunk
from research_eval.journal import RunFolder
from research_eval.journal.piece import pieces_of
from research_eval.runner.cluster import connect, spread
from research_eval.scorer import BUILT_IN
from tests.replay.conftest import research_eval

pytestmark = pytest.mark.sockets

PART = ("run", "calibration", "--limit", "8", "--configuration", "honest", "--configuration", "mixed-30",
        "--no-report", "--set", "trials=6")  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("cluster")


@pytest.fixture(scope="module")
def whole(place):
    """Return the journal of a run without a cluster."""
    research_eval(*PART, "--out", "whole", cwd=place)
    return (place / "whole/trials.jsonl").read_bytes()


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as found:
        yield found


def nanny_of_a_worker(cluster):
    """Return the keeper of a worker that is there; one that was killed in an earlier test is made again first."""
    while True:
        nanny = next(iter(cluster.workers.values()))
        if nanny.pid and nanny.worker_address in cluster.scheduler.workers:
            return nanny
        time.sleep(0.01)


def lines(journal):
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def is_caught(process, journal, cluster):
    """Stop a worker once some trials are kept, and kill it when the run has come to wait for it.

    Five seconds without a trial: every other second Dask drops second copies of what it sent about.
    """
    pid = nanny_of_a_worker(cluster).pid
    while process.poll() is None and lines(journal) <= 5:
        time.sleep(0.005)
    os.kill(pid, signal.SIGSTOP)
    kept, since = lines(journal), time.monotonic()
    while process.poll() is None and time.monotonic() - since < 5:
        time.sleep(0.05)
        if lines(journal) != kept:
            kept, since = lines(journal), time.monotonic()
    was_running = process.poll() is None
    os.kill(pid, signal.SIGKILL if was_running else signal.SIGCONT)
    return was_running


def test_a_worker_that_is_killed_in_the_middle_loses_and_doubles_nothing(place, whole, cluster):
    was_caught = False
    for attempt in range(5):
        words = [*PART, "--out", f"run{attempt}", "--scheduler", cluster.scheduler_address]
        process = subprocess.Popen(
            [sys.executable, "-m", "research_eval", *words, "--concurrency", "4"],
            cwd=place,
            text=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        journal = place / f"run{attempt}/trials.jsonl"
        was_caught = is_caught(process, journal, cluster)
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        assert journal.read_bytes() == whole
        if was_caught:
            break

    assert was_caught


def test_pieces_of_a_journal_are_judged_on_workers_as_here(place, whole, cluster):
    folder = RunFolder(place / "whole")
    chunks = list(pieces_of(folder, size=20_000))

    with connect(cluster.scheduler_address) as client:
        there = list(spread(client, seed_against_default, chunks, in_flight=3))

    assert len(chunks) > 3
    assert there == [seed_against_default(chunk) for chunk in chunks]
    assert sum(map(len, there)) >= len(whole.splitlines())


def seed_against_default(chunk):
    return judge_chunk(chunk, "seed", "default")


@pytest.fixture
def copies(place, whole, tmp_path):
    """Return the run twice: to be scored here and there."""
    return [RunFolder(shutil.copytree(place / "whole", tmp_path / name)) for name in ("a", "b")]


def scores(folder):
    return (folder.path / "scores.jsonl").read_bytes()


def test_a_worker_that_is_killed_while_a_run_is_scored_loses_and_doubles_nothing(copies, cluster):
    here, there = copies
    add_scores(here, BUILT_IN)
    pieces = []

    def seen(piece):
        pieces.append(piece)
        if len(pieces) == 3:
            os.kill(nanny_of_a_worker(cluster).pid, signal.SIGKILL)

    with connect(cluster.scheduler_address) as client:

        def in_small_pieces(work, _):
            return spread(client, work, pieces_of(there, size=20_000), in_flight=8)

        add_scores(there, BUILT_IN, seen=seen, spread=in_small_pieces)

    assert len(pieces) > 12
    assert scores(there) == scores(here)


def score_command(*words):
    return CliRunner().invoke(score, words, standalone_mode=False, catch_exceptions=False)


def test_the_command_prints_and_writes_on_a_cluster_what_it_does_without(
    copies, cluster, monkeypatch
):
    """Workers stand in another folder and find the run all the same."""
    here, there = copies
    monkeypatch.chdir(there.path.parent)
    words = ("--scorer", "gate", "--scorer", "efficiency", "--json")
    without = score_command(str(here.path), *words)
    on_it = score_command(there.path.name, *words, "--scheduler", cluster.scheduler_address)

    assert without.stdout == on_it.stdout
    assert on_it.stderr == without.stderr
    assert scores(there) == scores(here)


OWN = """
from research_eval.schema import Scored
from research_eval.scorer import Measure, declares

@declares(Measure("brief", "yes_no", "higher", "brief", "Answers below 800 characters."))
def brief(case, trial, pages):
    yield Scored(name="brief", value=float(len(trial.answer or "") < 800))
"""


def test_a_scorer_that_a_worker_lacks_is_named_and_nothing_is_written(copies, cluster, monkeypatch):
    folder = copies[0].path
    (folder / "of_my_own.py").write_text(OWN)
    monkeypatch.syspath_prepend(folder)

    with pytest.raises(ConfigError, match=r"a worker lacks a scorer .*of_my_own"):
        score_command(
            str(folder), "--scorer", "of_my_own:brief", "--scheduler", cluster.scheduler_address
        )
    assert not (folder / "scores.jsonl").exists()
