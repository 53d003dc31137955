"""The bundled experiments go by their names, on the command line and in what it prints."""

from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from research_eval.cli import run as command
from research_eval.cli.reproduce import _command
from research_eval.experiment import BUNDLED, bundled_experiment, load_experiment


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_experiment_is_called_by_its_name(name):
    experiment = load_experiment(bundled_experiment(name))

    assert experiment.words_on_command_line == name
    agents = {item.model.is_reference_agent for item in experiment.settings.configuration}
    assert agents == {name == "calibration"}


@pytest.mark.parametrize(
    ("words", "again"),
    [
        ("demo", "run bundled --out x"),
        ("demo calibration", "run calibration --out x"),
        ("demo --out calibration", "run bundled --out x"),
        ("demo calibration --out=y", "run calibration --out x"),
    ],
)
def test_a_demo_is_reproduced_by_a_run_of_the_same_experiment(words, again):
    assert _command(SimpleNamespace(command=tuple(words.split())), "x") == again.split()


def test_the_two_demos_go_to_folders_of_their_own(monkeypatch):
    asked = []
    monkeypatch.setattr(command, "_run", lambda path, options: asked.append((path, options)))
    for words in ([], ["calibration"], ["calibration", "--out", "mine"]):
        CliRunner().invoke(command.demo, words, catch_exceptions=False)

    assert [(str(path), str(options["out"])) for path, options in asked] == [
        ("bundled", "reports/demo"),
        ("calibration", "reports/demo-calibration"),
        ("calibration", "mine"),
    ]


def test_no_other_experiment_has_such_a_name():
    assert CliRunner().invoke(command.demo, ["other"]).exit_code == 2
