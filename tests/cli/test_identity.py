"""What was measured is identified: code of one's own, commit, command; and a run is never of two versions."""

import json
import sys

import pytest

from research_eval.identity import code_of_module
from tests.repository import Repository

GATE = """
from acme.rules import BLOCKED
from research_eval.gate import CitationGate

class Strict(CitationGate):
    id = "strict@1"
"""
EXPERIMENT = """
name = "mine"
dataset = "cases.jsonl"
cassettes = "cassettes"
synthetic = true
record_from = "world"

[[configuration]]
name = "honest"
model = "reference:no-citer"
gate = "acme.gates:Strict"
search.chain = ["serper"]
"""
CASES = [{"id": f"c{n}", "question": "What is the toll?"} for n in range(4)]


@pytest.fixture
def repository(tmp_path):
    made = Repository(tmp_path / "repository")
    made.write("src/acme/__init__.py", "")
    made.write("src/acme/rules.py", "BLOCKED = 1\n")
    made.write("src/acme/unused.py", "")
    made.write("src/acme/gates.py", GATE)
    made.write("mine.toml", EXPERIMENT)
    made.write("cases.jsonl", "".join(json.dumps(case) + "\n" for case in CASES))
    made.write(".gitignore", "reports\ncassettes\n__pycache__\n")
    made.commit("base")
    done = made.run("record", "mine.toml")
    assert done.returncode == 0, done.stderr
    return made


def cut(repository):
    """Make the run look as if it had been killed after two trials."""
    journal = repository.root / "reports/mine/trials.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:2]))


def test_a_gate_that_was_edited_between_two_halves_of_a_run_is_refused(repository):
    repository.run("run", "mine.toml")
    cut(repository)
    repository.write("src/acme/rules.py", "BLOCKED = 2\n")

    done = repository.run("run", "mine.toml")

    assert done.returncode == 2
    assert "code of gate acme.gates:Strict: acme.rules changed" in done.stderr


def test_code_that_the_gate_does_not_import_may_change(repository):
    repository.run("run", "mine.toml")
    cut(repository)
    repository.write("src/acme/unused.py", "X = 1\n")

    assert repository.run("run", "mine.toml").returncode == 0


def test_compare_names_the_code_and_the_commit(repository):
    repository.run("run", "mine.toml", "--out", "reports/base")
    repository.write("src/acme/rules.py", "BLOCKED = 2\n")
    repository.commit("other rules")
    repository.run("run", "mine.toml", "--out", "reports/head")

    done = repository.run("compare", "reports/base", "reports/head", "--all")

    assert done.returncode == 0, done.stderr
    assert "run.plugins.gate acme.gates:Strict.modules.acme.rules" in done.stdout
    assert "run.git" in done.stdout


def test_reproduce_prints_commands_that_make_the_same_run(repository):
    repository.run("run", "mine.toml", "--case", "c1", "--case", "c2")
    head = repository.git("rev-parse", "HEAD")

    printed = repository.run("reproduce", "reports/mine")

    commands = [line for line in printed.stdout.splitlines() if not line.startswith("#")]
    assert commands[0] == f"git checkout {head}"
    assert commands[1].startswith("pip install research-eval==")
    words = commands[2].split()
    assert words[0] == "research-eval"
    assert repository.run(*words[1:]).returncode == 0
    again = (repository.root / "reports/mine-again/trials.jsonl").read_bytes()
    assert again == (repository.root / "reports/mine/trials.jsonl").read_bytes()
    assert repository.run(*commands[3].split()[1:]).returncode == 0


def test_files_that_differ_from_the_commit_are_told(repository):
    repository.write("src/acme/unused.py", "X = 1\n")
    repository.run("run", "mine.toml", "--limit", "1")

    assert "files differed from that commit" in repository.run("reproduce", "reports/mine").stdout


@pytest.mark.parametrize(
    ("source", "changed", "is_other"),
    [
        ("import {0}.b", "b", True),
        ("from {0} import b", "b", True),
        ("from . import b", "b", True),
        ("from .b import x", "b", True),
        ("from .sub import c", "sub/c", True),
        ("from .sub.c import x", "sub/__init__", True),
        ("def f():\n    from {0} import b", "b", True),
        ("import {0}.sub.c", "b", False),
        ("import json", "b", False),
    ],
)
def test_a_digest_follows_imports_of_the_same_project(tmp_path, monkeypatch, request, source, changed, is_other):  # fmt: skip
    top = f"own_{abs(hash(request.node.name))}"
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("__init__", "b", "sub/__init__", "sub/c"):
        path = tmp_path / top / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n", encoding="utf-8")
    (tmp_path / top / "a.py").write_text(source.format(top), encoding="utf-8")
    __import__(f"{top}.a")
    try:
        before = code_of_module(f"{top}.a")
        (tmp_path / top / f"{changed}.py").write_text("x = 2\n", encoding="utf-8")
        after = code_of_module(f"{top}.a")
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == top]:
            del sys.modules[name]

    assert before is not None
    assert (before != after) is is_other


def test_built_in_code_and_libraries_have_no_digest():
    assert code_of_module("research_eval.gate") is None
    assert code_of_module("json") is None
