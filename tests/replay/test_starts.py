"""How runs start and end: what cannot start leaves nothing behind, what fails ends its own trial."""

import json
import sys
from pathlib import Path

import pytest

from research_eval.cli.main import main

PART = ("calibration", "--limit", "2", "--set", "trials=1", "--configuration", "honest")
GATE = """\
class Broken:
    id = "broken@1"
    def check(self, answer, ledger):
        return 1 / 0
    def corrective(self, verdict):
        return "no"
"""


@pytest.fixture
def call(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["research-eval", "run", *map(str, words)])
        with pytest.raises(SystemExit) as caught:
            main()
        out, err = capfd.readouterr()
        return int(caught.value.code or 0), out, err

    return run


def test_a_gate_that_fails_ends_its_own_trials_alone(call, monkeypatch):
    monkeypatch.delitem(sys.modules, "broken_from_the_start", raising=False)
    Path("broken_from_the_start.py").write_text(GATE, "utf-8")
    own = ("--set", "configuration.honest.gate=broken_from_the_start:Broken", "--out", "run")

    code, _, err = call(*PART, "--no-report", *own)

    records = [
        json.loads(line) for line in Path("run/trials.jsonl").read_text("utf-8").splitlines()
    ]
    kinds = {record.get("failure", {}).get("kind") for record in records}
    assert code == 3
    assert kinds == {"plugin"}
    assert "gate 'broken_from_the_start:Broken': check: ZeroDivisionError" in err
    assert "at broken_from_the_start.py:4" in err
    assert "Traceback" not in err


def test_without_dask_nothing_is_made_and_an_earlier_run_stays(call, monkeypatch):
    assert call(*PART, "--no-report", "--out", "run")[0] == 0
    before = Path("run/trials.jsonl").read_bytes()
    monkeypatch.setitem(sys.modules, "distributed", None)

    for words in (("--out", "new"), ("--out", "run", "--overwrite")):
        code, _, err = call(*PART, "--scheduler", "local", *words)
        assert code == 2
        assert "pip install 'research-eval[dask]'" in err

    assert not Path("new").exists()
    assert Path("run/trials.jsonl").read_bytes() == before


def test_an_extractor_that_is_not_there_is_told_before_the_folder_is_made(call):
    wrong = ("--set", "configuration.honest.fetch.extractor=no_such_module:f")

    code, _, err = call(*PART, *wrong, "--out", "run")

    assert code == 2
    assert "cannot load extractor 'no_such_module:f'" in err
    assert not Path("run").exists()


def test_a_scheduler_that_is_not_there_leaves_no_folder(call):
    code, _, err = call(*PART, "--scheduler", "tcp://127.0.0.1", "--out", "run")

    assert code == 2
    assert "cannot be reached" in err
    assert not Path("run").exists()


def test_a_shard_that_is_done_exits_0_and_says_what_it_is(call):
    code, out, _ = call(*PART, "--shard", "1/2", "--out", "run")

    assert code == 0
    assert "shard 1/2: 1 of 2 trials of the plan; merge with: research-eval merge" in out

    code, out, _ = call(*PART, "--shard", "2/2", "--out", "run")
    assert code == 0
    assert "merge with" not in out


def test_a_shard_that_is_not_done_exits_3(call):
    code, out, err = call(
        *PART, "--shard", "1/2", "--max-tokens", "1", "--max-time", "1e-9", "--out", "run"
    )

    assert code == 3
    assert "merge with" not in out
    assert "go on with the same command" in err


def test_nothing_to_retry_is_refused(call):
    code, _, err = call(*PART, "--retry-errors", "--out", "run")

    assert code == 2
    assert err == "research-eval: error: --retry-errors: run holds no run\n"
    assert not Path("run").exists()


def test_limits_of_a_provider_that_nobody_asks_are_refused(call):
    models = ("--set", "configuration.honest.model=openai:gpt-5-mini")

    code, _, err = call(*PART, *models, "--set", "limits.opnai.requests_per_minute=5", "--dry-run")

    assert code == 2
    assert "limits.opnai: no configuration asks this provider; asked: " in err
    assert "openai" in err.partition("asked: ")[2]
