"""A gate of another revision of a git repository: its own code, its own process, none of our keys."""

import json

import pytest

from tests.repository import Repository

GATE = """
from acme.rules import allowed
from research_eval.gate import CitationGate
from research_eval.schema import Verdict, Violation

class Strict(CitationGate):
    id = "strict@1"

    def check(self, answer, ledger):
        found = super().check(answer, ledger)
        return Verdict(gate=self.id, citations=found.citations,
                       violations=tuple(v for v in found.violations if not allowed(v)))
"""
RULES = "def allowed(violation):\n    return {what}\n"
PAGE = "https://a.example/page"
ANSWERS = [
    {"id": "good", "text": f"It is 4 ({PAGE}).", "fetched": [PAGE]},
    {"id": "hit", "text": "It is 4 (https://a.example/hit).", "searched": ["https://a.example/hit"]},
]  # fmt: skip


@pytest.fixture
def repository(tmp_path):
    made = Repository(tmp_path / "repository")
    made.write("src/acme/__init__.py", "")
    made.write("src/acme/gates.py", GATE)
    made.write("answers.jsonl", "".join(json.dumps(line) + "\n" for line in ANSWERS))
    rules(made, "False")
    made.commit("base")
    return made


def rules(repository, what):
    repository.write("src/acme/rules.py", RULES.format(what=what))


TEST = ("gate", "test", "answers.jsonl", "--gate", "acme.gates:Strict", "--base")


def test_a_module_that_the_gate_imports_flips_a_verdict(repository):
    rules(repository, 'violation.kind == "search_only"')

    done = repository.run(*TEST, "git:HEAD:acme.gates:Strict")

    assert done.returncode == 1, done.stderr
    assert "flip  hit: blocked_to_passed: search_only https://a.example/hit" in done.stdout
    assert "same code" not in done.stderr
    assert repository.git("worktree", "list").count("\n") == 0


def test_the_same_code_on_both_sides_is_said(repository):
    done = repository.run(*TEST, "git:main:acme.gates:Strict")

    assert done.returncode == 0
    assert "base git:main:acme.gates:Strict and head acme.gates:Strict are the same code" in done.stderr  # fmt: skip


def test_code_of_the_base_sees_no_key_and_its_prints_harm_nothing(repository):
    repository.write(
        "src/acme/rules.py",
        "import os\nprint('hello')\n"
        "def allowed(violation):\n"
        "    assert 'SERPER_API_KEY' not in os.environ and 'GITHUB_TOKEN' not in os.environ\n"
        "    assert not os.path.exists(os.path.expanduser('~/.netrc'))\n"
        "    return False\n",
    )
    repository.commit("asks")
    rules(repository, "False")

    done = repository.run(
        *TEST, "git:HEAD:acme.gates:Strict", SERPER_API_KEY="s3cret-key-value", GITHUB_TOKEN="t0ken-value"
    )  # fmt: skip

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("git:nowhere:acme.gates:Strict", "git knows no such revision"),
        ("git:--help:acme.gates:Strict", "git knows no such revision"),
        ("git:HEAD:acme.gates", "expected git:REV:package.module:Name"),
        ("git:HEAD:acme.gates:Lax", "has no attribute 'Lax'"),
        ("git:HEAD:research_eval.gate:CitationGate", "is not that revision's"),
        ("recorded", "cannot load gate"),
    ],
)
def test_a_base_that_cannot_be_had_is_refused(repository, base, words):
    done = repository.run(*TEST, base)

    assert done.returncode == 2
    assert words in done.stderr or (base == "recorded" and "unknown gate" in done.stderr)
    assert repository.git("worktree", "list").count("\n") == 0


def test_a_gate_that_fails_at_the_base_is_one_line(repository):
    rules(repository, "1 / 0")
    repository.commit("broken")
    rules(repository, "False")

    done = repository.run(*TEST, "git:HEAD:acme.gates:Strict")

    assert done.returncode == 2
    assert "ZeroDivisionError: division by zero, at src/acme/rules.py:2" in done.stderr
    assert "Traceback" not in done.stderr
