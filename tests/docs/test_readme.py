"""What the README says is run: its Python, its commands, its links."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
LINKS = re.findall(r"\]\(([^)#:]+)\)", README)


@pytest.mark.sockets
@pytest.mark.parametrize("code", PYTHON, ids=["check one answer", "run one question"])
def test_an_example_runs(code):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


def test_the_examples_are_as_short_as_they_say():
    check, run = ([line for line in code.splitlines() if line.strip()] for code in PYTHON)

    assert len([line for line in check if not line.startswith(("from", "import"))]) <= 5
    assert len(run) <= 14


@pytest.mark.parametrize("link", sorted(set(LINKS)))
def test_a_link_leads_to_a_file(link):
    assert (ROOT / link).exists()


def test_every_command_that_the_readme_names_exists():
    from research_eval.cli.main import COMMANDS

    named = set(re.findall(r"research-eval ([a-z][a-z-]*)", README))

    assert named <= set(COMMANDS)


def test_every_kind_of_violation_is_in_its_table():
    from research_eval.gate.kind import KINDS

    rows = re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE)
    assert sorted(rows) == sorted(KINDS)
