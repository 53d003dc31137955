"""What `init` writes runs at once, offline, and it writes over nothing."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from research_eval.cli.init import init
from research_eval.cli.run import run
from research_eval.dataset import load_cases
from research_eval.errors import ConfigError, UsageError
from research_eval.experiment import load_experiment
from research_eval.journal import RunFolder


def call(command, *words):
    return CliRunner().invoke(
        command, [*map(str, words)], standalone_mode=False, catch_exceptions=False
    )


def statuses(folder):
    return {(one.configuration, one.status) for one in RunFolder(Path(folder)).trials()}


def test_what_it_writes_runs_at_once_and_offline(tmp_path):
    made = call(init, tmp_path / "first")
    assert f"research-eval run {tmp_path / 'first' / 'experiment.toml'}" in made.output

    done = call(run, tmp_path / "first/experiment.toml", "--out", tmp_path / "r", "--no-report")
    assert done.return_value == 0
    assert statuses(tmp_path / "r") == {("honest", "completed"), ("snippets", "rejected")}


def test_with_a_model_of_ones_own_the_reference_agent_runs_at_once(tmp_path):
    assert "record" in call(init, tmp_path, "--model", "openai:gpt-5-mini").output

    names = [
        one.name for one in load_experiment(tmp_path / "experiment.toml").settings.configuration
    ]
    words = ("--configuration", "honest", "--out", tmp_path / "r", "--no-report")
    done = call(run, tmp_path / "experiment.toml", *words)
    assert (names, done.return_value) == (["honest", "model"], 0)


def test_over_the_internet_nothing_is_called_synthetic(tmp_path):
    call(init, tmp_path, "--from", "internet")

    settings = load_experiment(tmp_path / "experiment.toml").settings
    assert (settings.record_from, settings.synthetic) == ("internet", False)
    assert len(load_cases(tmp_path / "cases.jsonl")) == 1
    assert not (tmp_path / "cassettes").exists()


@pytest.mark.parametrize(
    "name", ["experiment.toml", "experiment.schema.json", "cases.jsonl", "cassettes"]
)
def test_nothing_is_written_over_and_nothing_half_written(tmp_path, name):
    (tmp_path / name).write_text("mine")

    with pytest.raises(UsageError, match="is there already"):
        call(init, tmp_path)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [(name, "mine")]


@pytest.mark.parametrize("model", ["gpt", "opnai:gpt", "reference:honst", "openai:"])
def test_a_model_that_nobody_serves_is_refused_before_anything_is_written(tmp_path, model):
    with pytest.raises((ConfigError, UsageError)):
        call(init, tmp_path / "new", "--model", model)
    assert not (tmp_path / "new").exists()
