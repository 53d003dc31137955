"""Trials on a Dask cluster whose workers are real processes: one that is killed loses and doubles nothing."""

import os
import signal
import subprocess
import sys
import time

import pytest
from distributed import LocalCluster

from research_eval.gate.compare import judge_chunk
from research_eval.gate.stored import chunks_of
from research_eval.journal import RunFolder
from research_eval.runner.cluster import connect, spread
from tests.replay.conftest import research_eval

pytestmark = pytest.mark.sockets

PART = ("run", "bundled", "--limit", "8", "--configuration", "honest", "--configuration", "mixed-30",
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


def pids(cluster):
    return [worker.pid for worker in cluster.workers.values() if worker.pid]


def test_a_worker_that_is_killed_in_the_middle_loses_and_doubles_nothing(place, whole, cluster):
    words = [*PART, "--out", "run", "--scheduler", cluster.scheduler_address, "--concurrency", "4"]
    process = subprocess.Popen(
        [sys.executable, "-m", "research_eval", *words],
        cwd=place,
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    journal = place / "run/trials.jsonl"
    while process.poll() is None and not (
        journal.exists() and journal.read_bytes().count(b"\n") > 5
    ):
        time.sleep(0.005)
    was_running = process.poll() is None
    os.kill(pids(cluster)[0], signal.SIGKILL)
    _, errors = process.communicate(timeout=120)

    assert was_running
    assert process.returncode == 0, errors
    assert journal.read_bytes() == whole


def test_pieces_of_a_journal_are_judged_on_workers_as_here(place, whole, cluster):
    folder = RunFolder(place / "whole")
    chunks = list(chunks_of(folder, size=20_000))

    with connect(cluster.scheduler_address) as client:
        there = list(spread(client, seed_against_default, chunks, in_flight=3))

    assert len(chunks) > 3
    assert there == [seed_against_default(chunk) for chunk in chunks]
    assert sum(map(len, there)) >= len(whole.splitlines())


def seed_against_default(chunk):
    return judge_chunk(chunk, "seed", "default")
