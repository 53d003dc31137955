"""Recordings that cannot be written: told before the first call, or end the run in one line."""

import json

import pytest

from tests.replay import test_live_runs
from tests.replay.local_services import _Handler, local_services, write_experiment

pytestmark = pytest.mark.sockets

call = test_live_runs.call


class Breaking(_Handler):
    """Has a file stand where the cassettes belong once so many model calls were answered."""

    def post(self, body):
        server = self.server
        if self.path != "/search" and server.asked.count("model") == server.breaks_after:
            server.asked.append("broken")
            server.cassettes.rename(server.cassettes.with_name("moved"))
            server.cassettes.write_text("in the way")
        super().post(body)


@pytest.fixture
def services(tmp_path):
    with local_services() as found:
        found.RequestHandlerClass = Breaking
        found.breaks_after, found.cassettes = -1, tmp_path / "cassettes"
        yield found


@pytest.mark.parametrize("place", ["/proc/cassettes", "in-the-way/cassettes"])
@pytest.mark.parametrize(
    "words", [("record",), ("run", "--model", "record"), ("run", "--web", "record")], ids=" ".join
)
def test_a_folder_that_cannot_be_written_is_told_before_the_first_call(
    tmp_path, services, call, place, words
):
    mine = write_experiment(tmp_path, services)
    (tmp_path / "in-the-way").write_text("")
    other = ("--web", "live") if "--model" in words else ()
    other = ("--model", "live") if "--web" in words else other
    where = ("--set", f'cassettes="{place}"', "--out", "run")
    done = call(words[0], mine, *words[1:], *other, *where, code=2)

    assert f"{place}/" in done.stderr.splitlines()[-1]
    assert "cannot be written" in done.stderr.splitlines()[-1]
    assert services.asked == []
    assert not (tmp_path / "run").exists()


def test_a_packed_file_that_cannot_be_written_is_told_as_well(tmp_path, services, call):
    mine = write_experiment(tmp_path, services)
    (tmp_path / "cassettes/mine").mkdir(parents=True)
    (tmp_path / "cassettes/mine/web.pack").write_bytes(b"no pack")
    done = call("record", mine, "--out", "run", code=2)

    assert "web.pack" in done.stderr
    assert services.asked == []


def test_nothing_is_left_behind_by_the_question(tmp_path, services, call):
    mine = write_experiment(tmp_path, services)
    call("record", mine, "--out", "run", "--set", "defaults.gate=nope", code=2)

    assert not (tmp_path / "cassettes").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cases.jsonl", "mine.toml"]


def test_a_folder_that_breaks_later_ends_the_run_and_keeps_what_is_done(tmp_path, services, call):
    mine = write_experiment(tmp_path, services)
    services.breaks_after = 6
    done = call("record", mine, "--out", "run", "--concurrency", "1", code=2)

    lines = done.stderr.splitlines()
    assert lines[-1].startswith("research-eval: error: ")
    assert "cannot be written" in lines[-1]
    assert services.asked.count("model") == 7, "no call followed the one that was not kept"
    trials = (tmp_path / "run/trials.jsonl").read_text().splitlines()
    assert [json.loads(line)["status"] for line in trials] == ["completed"] * 2


def test_blocked_fetches_are_counted_in_the_last_line(tmp_path, services, call):
    mine = write_experiment(tmp_path, services)
    done = call("record", mine, "--out", "run", "--set", "defaults.fetch.allow_private=[]", code=3)

    assert done.stderr.splitlines()[-1].endswith("; 8 fetches were blocked")
