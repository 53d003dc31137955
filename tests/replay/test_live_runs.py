"""Live runs by the real command line against servers on 127.0.0.1: modes, storms, hangs, budgets, signals."""

import json
import shutil
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import pytest

from research_eval.cli.main import main
from tests.replay.conftest import research_eval
from tests.replay.local_services import _Handler, local_services, write_experiment
from tests.stepwise import interrupt

pytestmark = pytest.mark.sockets

KEYS = {"OPENAI_API_KEY": "key-of-nobody-1234", "SERPER_API_KEY": "key-of-nobody-5678"}
RECORD = ("--model", "record", "--web", "record", "--no-report")
LIVE = ("--model", "live", "--web", "live", "--no-report")
PRICE = "price = { input = 1000, output = 1000, source = 'a contract' }"


class Moody(_Handler):
    """Refuses the first `server.refusals` model calls, hangs after `server.patience`, notes each key."""

    def post(self, body):
        if self.path == "/search":
            return super().post(body)
        self.server.keys.append(self.headers["authorization"])
        if len(self.server.keys) > self.server.patience:
            self.server.wait.wait(300)
        if self.server.refusals == 0:
            return super().post(body)
        self.server.refusals -= 1
        return self.send(429, {"error": {"message": "slow down"}}, ("retry-after", "0"))


@pytest.fixture
def services():
    with local_services() as found:
        found.RequestHandlerClass = Moody
        found.refusals = 0
        found.keys = []
        found.patience = 1000
        yield found


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Return what runs the command line in this process, where its libraries are loaded once."""
    monkeypatch.chdir(tmp_path)
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)

    def run(*words, code=0):
        monkeypatch.setattr(sys, "argv", ["research-eval", *map(str, words)])
        with pytest.raises(SystemExit) as caught:
            main()
        done = Done(int(caught.value.code or 0), *capsys.readouterr())
        assert done.returncode == code, done.stderr
        return done

    return run


def records(run, name="trials.jsonl"):
    return [json.loads(line) for line in (run / name).read_text(encoding="utf-8").splitlines()]


def asked(services):
    """Return which kinds of servers were asked since the last time."""
    kinds = {line.partition(" ")[0] for line in services.asked}
    services.asked.clear()
    return kinds


def test_every_combination_of_live_and_recorded_runs_and_says_what_was_unrecorded(
    tmp_path, services, call
):
    mine = write_experiment(tmp_path, services, trials=1)
    call("run", mine, *RECORD, "--out", "recorded")
    asked(services)
    seen = {}
    for model in ("replay", "live"):
        for web in ("replay", "live"):
            words = ("--model", model, "--web", web, "--out", f"{model}-{web}", "--no-report")
            done = call("run", mine, *words)
            seen[model, web] = (asked(services), done.stdout)

    assert [kinds for kinds, _ in seen.values()] == [
        set(),
        {"search", "page"},
        {"model"},
        {"model", "search", "page"},
    ]
    for place in ("recorded", "replay-live", "live-replay", "live-live"):
        trials = records(tmp_path / place)
        assert [t["answer"] for t in trials] == [
            t["answer"] for t in records(tmp_path / "replay-replay")
        ]
        assert all(t["replay"]["unrecorded"] == 0 for t in trials)
    assert "recordings: hit" in seen["replay", "replay"][1]
    assert "cost of searches" in seen["live", "live"][1]

    question = '{"id": "case-9", "question": "A question about Lindow that nobody recorded?"}\n'
    (tmp_path / "more.jsonl").write_text(question)
    other = ("--model", "live", "--no-report", "--set", 'dataset="more.jsonl"', "--out", "more")
    done = call("run", mine, *other)
    assert all(trial["replay"]["unrecorded"] for trial in records(tmp_path / "more"))
    assert "unrecorded" in done.stdout


def test_a_live_model_does_not_go_on_over_another_recorded_web(tmp_path, services, call):
    mine = write_experiment(tmp_path, services, trials=1)
    call("run", mine, *RECORD, "--out", "recorded")
    words = ("run", mine, "--model", "live", "--no-report", "--out", "run")
    call(*words, "--shard", "1/2")
    shutil.copytree(tmp_path / "cassettes/mine", tmp_path / "cassettes/moved")
    call(*words, "--shard", "1/2", "--set", "cassettes=cassettes/moved")
    page = next(path for path in (tmp_path / "cassettes/moved/web").rglob("*.json"))
    page.write_bytes(page.read_bytes().replace(b"1907", b"1931") + b" ")

    other = call(*words, "--set", "cassettes=cassettes/moved", code=2)
    call(*words)

    assert "run: holds a run of something else: cassettes_sha256: " in other.stderr
    assert len(records(tmp_path / "run")) == 4


def test_a_storm_of_refusals_is_waited_out_and_loses_nothing(tmp_path, services, call):
    mine = write_experiment(tmp_path, services, cases=6, trials=1)
    services.refusals = 25

    done = call("run", mine, *LIVE, "--out", "run")

    trials = records(tmp_path / "run")
    retries = sum(e.get("request_retries", 0) for t in trials for e in t["transcript"])
    assert [t["status"] for t in trials] == ["completed"] * 12
    assert retries == 25
    assert "25 request retries" in done.stderr


def test_a_provider_that_hangs_ends_trials_and_not_the_run_and_they_can_run_again(
    tmp_path, services, call
):
    mine = write_experiment(tmp_path, services, trials=1)
    services.delay_s = 300
    quick = [
        word
        for name in ("searches", "opens")
        for setting in ("timeout_s=5", "request_retries=0")
        for word in ("--set", f"configuration.{name}.model.{setting}")
    ]
    began = time.monotonic()
    call("run", mine, *LIVE, *quick, "--out", "run", code=3)
    took = time.monotonic() - began
    first = [trial["failure"]["kind"] for trial in records(tmp_path / "run")]
    services.delay_s = 0

    again = (*LIVE, *quick, "--out", "run", "--retry-errors")
    call("run", mine, *again)

    assert first == ["timeout"] * 4
    assert took < 250
    assert [trial["status"] for trial in records(tmp_path / "run")] == ["completed"] * 4
    assert len(records(tmp_path / "run", "superseded.jsonl")) == 4


def test_a_second_interrupt_ends_what_hangs_in_one_line(tmp_path, services):
    mine = write_experiment(tmp_path, services, trials=1)
    services.patience = 4
    words = [sys.executable, "-m", "research_eval", "run", mine.name, *LIVE, "--out", "run"]
    process = subprocess.Popen(
        [*words, "--concurrency", "1"], cwd=tmp_path, text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **KEYS},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    journal = tmp_path / "run/trials.jsonl"
    while not (journal.exists() and journal.read_bytes() and len(services.keys) > 4):
        assert process.poll() is None
        time.sleep(0.01)
    interrupt(process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    kept = journal.read_bytes()
    services.patience = 1000
    services.wait.set()

    research_eval("run", mine, *LIVE, "--out", "run", cwd=tmp_path, **KEYS)

    assert process.returncode == 130
    assert "Traceback" not in errors
    assert kept.endswith(b"\n")
    assert journal.read_bytes().startswith(kept[: kept.index(b"\n")])
    assert len({(t["case_id"], t["configuration"]) for t in records(tmp_path / "run")}) == 4


def test_a_limit_in_dollars_needs_prices_and_sends_no_call_beyond_it(tmp_path, services, call):
    mine = write_experiment(tmp_path, services, trials=1)
    limit = (*LIVE, "--max-cost", "0.05", "--out", "run")
    unpriced = call("run", mine, *limit, code=2)
    for name in ("searches", "opens"):
        mine.write_text(
            mine.read_text().replace(f'name = "{name}"\n', f'name = "{name}"\n{PRICE}\n')
        )
    stopped = call("run", mine, *limit, code=3)
    asked = services.asked.count("model")
    done = call("run", mine, *LIVE, "--out", "run")

    assert "no price is known for openai:local of configuration searches" in unpriced.stderr
    assert asked == 0
    assert "and the next call may cost $" in stopped.stderr
    assert "0 of 4 trials are kept, 4 are missing" in stopped.stderr
    calls = sum(t["usage"]["requests"] for t in records(tmp_path / "run"))
    lines = [line for line in done.stdout.splitlines() if line.startswith("cost of ")]
    spent = sum(float(line.partition("$")[2].partition(":")[0]) for line in lines)
    assert spent == pytest.approx(calls * 0.015)
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    assert {item["price"]["source"] for item in manifest["configurations"]} == {"a contract"}


def test_a_dry_run_asks_nobody_and_takes_its_estimate_from_a_pilot(tmp_path, services, call):
    mine = write_experiment(tmp_path, services, trials=1)
    mine.write_text(mine.read_text().replace('name = "opens"\n', f'name = "opens"\n{PRICE}\n'))
    call("run", mine, *LIVE, "--limit", "1", "--out", "pilot")
    services.asked.clear()
    dry = ("--model", "live", "--dry-run")

    guessed = call("run", mine, *dry).stdout
    measured = call("run", mine, *dry, "--from", "pilot").stdout

    assert services.asked == []
    assert "an estimate that nothing measured: 6 calls a trial" in guessed
    assert "price: UNKNOWN: no price list has it" in guessed
    assert "price: $1000 in, $1000 out for a million tokens (a contract)" in measured
    assert "estimate for 2 trials: 4 calls, 40 tokens in, 20 out, $0.06" in measured
    assert "an estimate from the trials of pilot" in measured


def test_a_live_run_that_is_killed_asks_again_only_for_what_is_missing(tmp_path, services):
    mine = write_experiment(tmp_path, services, cases=4, trials=1)
    services.patience = 14
    words = [sys.executable, "-m", "research_eval", "run", mine.name, *LIVE, "--out", "run"]
    process = subprocess.Popen(
        [*words, "--concurrency", "2"], cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **KEYS},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    journal = tmp_path / "run/trials.jsonl"
    while not (journal.exists() and journal.read_bytes().count(b"\n") >= 3):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=300)
    services.patience = 1000
    services.wait.set()
    kept = {(t["case_id"], t["configuration"]) for t in records(tmp_path / "run")}

    # Calls of the killed process may still be under way in the server: a key of its own tells them apart.
    mine_now = {**KEYS, "OPENAI_API_KEY": "key-of-the-second-execution"}
    research_eval("run", mine, *LIVE, "--out", "run", cwd=tmp_path, **mine_now)

    trials = records(tmp_path / "run")
    new = [t for t in trials if (t["case_id"], t["configuration"]) not in kept]
    again = services.keys.count("Bearer key-of-the-second-execution")
    assert [t["status"] for t in trials] == ["completed"] * 8
    assert again == sum(t["usage"]["requests"] for t in new)


def test_a_folder_on_a_read_only_file_system_is_refused_before_anything_is_asked(
    tmp_path, services, call
):
    mine = write_experiment(tmp_path, services)

    done = call("run", mine, *LIVE, "--out", "/proc/run", code=2)  # fmt: skip

    assert done.stderr.splitlines()[-1].startswith(
        "research-eval: error: /proc/run: cannot be written"
    )
    assert services.asked == []


def test_a_model_that_asks_for_no_page_can_be_replayed(tmp_path, services, call):
    mine = write_experiment(tmp_path, services, trials=1)
    closed = (
        "--configuration",
        "opens",
        "--set",
        "configuration.opens.agent.max_retries=0",
        "--no-report",
    )
    services.RequestHandlerClass = ClosedBook

    call("record", mine, *closed, "--out", "recorded")
    call("run", mine, *closed, "--out", "run")

    assert [trial["answer"] for trial in records(tmp_path / "run")] == ["In 1907."] * 2
    assert not (tmp_path / "cassettes/mine/web").exists()


class ClosedBook(Moody):
    """Answers from memory."""

    def _reply(self, messages, tools):
        reply = super()._reply(messages, [])
        reply["choices"][0]["message"]["content"] = "In 1907."
        return reply
