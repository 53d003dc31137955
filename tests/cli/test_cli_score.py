"""`score` over a stored run: progress, signals, clusters that cannot be used; the scores whole or not there."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from research_eval.cli import pieces
from research_eval.cli.score import score
from research_eval.dataset import Case
from research_eval.errors import ConfigError, UsageError
from research_eval.schema import ConfigurationSummary, RunRecord, Scored
from research_eval.scorer import Measure, declares

PAGE = "https://morvane.example/toll"


@pytest.fixture
def run(story, tmp_path):
    trials = [story().fetch(PAGE, "Text.").answer(f"4 ({PAGE})").record(trial=n) for n in (1, 2)]
    lines = [trial.model_dump_json(exclude_none=True) for trial in trials]
    (tmp_path / "trials.jsonl").write_text("\n".join(lines) + "\n")
    configuration = ConfigurationSummary(
        name=trials[0].configuration, model="openai:x", is_reference_agent=False, gate="default@1",
        max_retries=0, max_turns=16, search="serper", tools=("fetch",), settings={},
    )  # fmt: skip
    manifest = RunRecord(
        experiment="toll", experiment_sha256="0" * 64, dataset="toll", dataset_sha256="1" * 64,
        dataset_is_synthetic=True, cassettes_sha256=None, code_version="1", packages={},
        model_mode="live", web_mode="live", seed=1, trials=2, case_ids=(trials[0].case_id,),
        configurations=(configuration,),
    )  # fmt: skip
    (tmp_path / "manifest.json").write_text(manifest.model_dump_json())
    return tmp_path


def scored(run, *words):
    return CliRunner().invoke(
        score, [str(run), *words], standalone_mode=False, catch_exceptions=False
    )


def test_trials_that_did_not_run_count_for_the_measures_of_their_case_alone(run):
    manifest = json.loads((run / "manifest.json").read_text())
    (known,) = manifest["case_ids"]
    cases = [Case(id=known, question="q", expected=("4",)), Case(id="none", question="q")]
    manifest["case_ids"] = [case.id for case in cases]
    (run / "manifest.json").write_text(json.dumps(manifest))
    lines = [case.model_dump_json() + "\n" for case in cases]
    (run / "cases.jsonl").write_text("".join(lines))

    result = scored(run, "--scorer", "correctness", "--scorer", "gate", "--json")
    (found,) = json.loads(result.stdout)["configurations"]
    rows = {row["measure"]: row for row in found["measures"]}

    correct, passed = rows["correct"], rows["final_passed"]
    assert (correct["planned"], correct["run"], correct["scored"]) == (4, 2, 2)
    assert (correct["not_applicable"], correct["coverage"], correct["strict"]) == (2, 1.0, 1.0)
    assert (passed["not_applicable"], passed["coverage"], passed["strict"]) == (0, 0.5, 0.5)
    assert rows["final_unknown_url"]["strict"] == 0.5


MINE = Measure("mine", "yes_no", "higher", "mine", "For tests.")


@declares(MINE)
def interrupting(case, trial, pages):
    yield Scored(name="mine", value=1.0)
    if trial.trial == 2:
        raise KeyboardInterrupt


@declares(MINE)
def terminating(case, trial, pages):
    os.kill(os.getpid(), signal.SIGTERM)
    yield Scored(name="mine", value=1.0)


@pytest.mark.parametrize("how", ["interrupting", "terminating"])
def test_a_signal_leaves_the_scores_as_they_were_and_is_told_in_one_line(run, how):
    scored(run, "--scorer", "gate", "--quiet")
    before, usual = (run / "scores.jsonl").read_bytes(), signal.getsignal(signal.SIGTERM)

    result = scored(run, "--scorer", f"{__name__}:{how}")

    assert result.return_value == 130
    said = f"research-eval: interrupted: nothing was added to {run / 'scores.jsonl'}\n"
    assert (result.stdout, result.stderr) == ("", said)
    assert (run / "scores.jsonl").read_bytes() == before
    assert not list(run.glob(".*"))
    assert signal.getsignal(signal.SIGTERM) == usual


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_signal_after_the_scores_were_written_says_so(run, monkeypatch, words):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("research_eval.analysis.output.score_output", interrupted)

    result = scored(run, "--scorer", "gate", *words)

    assert result.return_value == 130
    said = f"research-eval: interrupted: the scores are in {run / 'scores.jsonl'}\n"
    assert result.stderr == said
    assert (run / "scores.jsonl").read_bytes().count(b"\n") == 2


SLOW = """
import time
from pathlib import Path
from research_eval.schema import Scored
from research_eval.scorer import Measure, declares

@declares(Measure("slow", "yes_no", "higher", "slow", "For tests."))
def slow(case, trial, pages):
    Path("begun").touch()
    time.sleep(60)
    yield Scored(name="slow", value=1.0)
"""


def test_a_command_stopped_by_ctrl_c_leaves_nothing_half(run):
    (run / "slow_scorer.py").write_text(SLOW)
    process = subprocess.Popen(
        [sys.executable, "-m", "research_eval", "score", ".", "--scorer", "slow_scorer:slow"],
        cwd=run,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    while process.poll() is None and not (run / "begun").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)

    assert process.returncode == 130
    assert said == "research-eval: interrupted: nothing was added to scores.jsonl\n"
    assert not list(run.glob("*scores.jsonl*")) + list(run.glob(".*"))


def test_progress_is_told_on_standard_error_unless_quiet(run, monkeypatch):
    monkeypatch.setattr(pieces, "PLAIN_INTERVAL_S", 0.0)

    assert scored(run).stderr.startswith("100% of the journal: 2 trials scored, ")
    assert scored(run, "--quiet").output == ""


def test_a_short_command_tells_no_progress(run):
    assert scored(run, "--json").stderr == "result: done (exit 0): 2 trials are scored\n"


@pytest.mark.parametrize("address", ["nonsense", "foo://127.0.0.1:1", "tcp://127.0.0.1"])
def test_an_address_that_is_none_is_a_usage_error(run, address):
    with pytest.raises(ConfigError, match=f"--scheduler {address}: cannot be reached: ."):
        scored(run, "--scheduler", address)

    assert not (run / "scores.jsonl").exists()


def test_without_dask_the_extra_is_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)

    with pytest.raises(ConfigError, match=r"research-eval\[dask\]"):
        scored(run, "--scheduler", "local")


def test_a_judge_is_not_asked_from_a_cluster(run):
    with pytest.raises(UsageError, match="a judge is asked by one process"):
        scored(run, "--judge-model", "openai:x", "--scheduler", "local")
