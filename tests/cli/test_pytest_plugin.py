"""The pytest plugin, as a user's project has it: fixtures, an assertion that reads well, trials as items."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXPERIMENT = """
name = "mine"
dataset = "cases.jsonl"
cassettes = "cassettes"
record_from = "world"
[defaults]
search.chain = ["serper"]
agent.max_retries = 0
[[configuration]]
name = "honest"
model = "reference:honest"
[[configuration]]
name = "silent"
model = "reference:no-citer"
"""
TESTS = """
import pytest
from research_eval import SourceRegistry, assert_cites_only_opened

LEDGER = SourceRegistry.from_urls(fetched=["https://a.example/toll"], searched=["https://a.example/map"])

def test_good():
    assert_cites_only_opened("It is 4 (https://a.example/toll).", LEDGER)

def test_bad():
    assert_cites_only_opened("It is 4.\\n\\nSee https://a.example/map.", LEDGER)

def test_fixtures(citation_gate, make_ledger):
    assert citation_gate.id == "seed@1"
    assert_cites_only_opened("(https://a.example/x)", make_ledger(["https://a.example/x"]), citation_gate)

@pytest.mark.research_experiment("mine.toml")
def test_trials(trial):
    assert trial.status == "completed"
    assert "SERPER" not in str(trial)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    (folder / "mine.toml").write_text(EXPERIMENT, "utf-8")
    cases = [{"id": f"toll-{n}", "question": f"What is the toll of bridge {n}?"} for n in (1, 2)]
    (folder / "cases.jsonl").write_text("".join(json.dumps(c) + "\n" for c in cases), "utf-8")
    words = [sys.executable, "-m", "research_eval", "record", "mine.toml", "--no-report", "--case", "toll-1"]  # fmt: skip
    assert subprocess.run(words, cwd=folder, check=False, capture_output=True).returncode == 0
    return folder


def run(folder, text, *words):
    (folder / "test_mine.py").write_text(text, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "test_mine.py", *words]  # fmt: skip
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=env)
    found = re.findall(r"^(PASSED|FAILED|ERROR) test_mine.py::(\S+)", done.stdout, re.MULTILINE)
    return {name: word for word, name in found}, done.stdout + done.stderr


def test_a_project_uses_the_gate_and_has_an_item_a_trial_and_one_run(project, tmp_path):
    base = tmp_path / "base"
    words = ("--citation-gate", "seed", "-n", "2", f"--basetemp={base}")

    ends, said = run(project, TESTS, *words)

    assert ends == {
        "test_good": "PASSED",
        "test_bad": "FAILED",
        "test_fixtures": "PASSED",
        "test_trials[toll-1/honest/1]": "PASSED",
        "test_trials[toll-1/silent/1]": "FAILED",  # the gate rejected it, and the function says so
        "test_trials[toll-2/honest/1]": "ERROR",  # it has no recording
        "test_trials[toll-2/silent/1]": "ERROR",
    }, said
    assert "AssertionError: answer:3:5: search_only: https://a.example/map: you saw this page in search results only" in said  # fmt: skip
    assert "cassette_" in said
    (executions,) = base.glob("research-eval-*/executions.jsonl")
    assert executions.read_text("utf-8").count("\n") == 1


@pytest.mark.parametrize(
    ("mark", "says"),
    [
        ('"mine.toml", case="toll-1"', "unknown 'case'; it takes a path and cases, tags"),
        ('"gone.toml"', "gone.toml"),
        ('"mine.toml", cases="tol-1"', "did you mean 'toll-1'?"),
        ('"mine.toml", model="liv"', "Invalid value for '--model'"),
    ],
)
def test_a_mark_that_asks_for_what_there_is_not_says_so(project, mark, says):
    text = (
        f"import pytest\n@pytest.mark.research_experiment({mark})\ndef test_trials(trial): pass\n"
    )

    ends, said = run(project, text)

    assert says in said
    assert "PASSED" not in ends.values()
    assert "INTERNALERROR" not in said


def test_the_document_is_true(project):
    page = Path(__file__).resolve().parents[2] / "docs/pytest.md"
    first, second = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    second = second.replace('tags=["table"]', 'cases="toll-1", configurations="honest"')

    ends, said = run(project, f"{first}\n{second}")

    assert set(ends.values()) == {"PASSED"}, said
    assert list(ends)[-1].endswith("[toll-1/honest/1]")
