"""What the README says is run: its Python, its commands, its links."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from research_eval.cli.main import COMMANDS, cli

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
TOML = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
CASE = re.search(r"`(\{\"id\".*?\})`", README)[1]
LINKS = re.findall(r"\]\(([^)#:]+)\)", README)


@pytest.mark.sockets
@pytest.mark.parametrize("code", PYTHON, ids=range(len(PYTHON)))
def test_an_example_runs(code):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


def test_the_experiment_is_one_and_its_threshold_belongs_into_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text("\n".join(TOML), encoding="utf-8")
    Path("cases.jsonl").write_text(CASE, encoding="utf-8")
    done = CliRunner().invoke(cli, ["record", "mine.toml", "--dry-run"], standalone_mode=False)

    assert json.loads(CASE).keys() == {"id", "question"}
    assert (len(TOML), done.return_value) == (2, 0), done.output
    assert "1 cases x 2 configurations x 3 trials = 6 trials" in done.output


def test_it_is_short_and_its_jobs_are_too():
    jobs = re.split(r"^### \d\. ", README.partition("## Where to read on")[0], flags=re.MULTILINE)[
        1:
    ]
    prose = [
        [
            line
            for line in re.sub(r"```.*?```", "", job, flags=re.DOTALL).splitlines()
            if line.strip()
        ]
        for job in jobs
    ]

    assert len([line for line in README.splitlines() if not line.startswith("|")]) <= 130
    assert len(jobs) == 4
    assert all(len(job) <= 8 for job in prose)


@pytest.mark.parametrize("link", sorted(set(LINKS)))
def test_a_link_leads_to_a_file(link):
    assert (ROOT / link).exists()


def test_every_command_that_the_readme_names_exists():
    named = set(re.findall(r"research-eval ([a-z][a-z-]*)", README))

    assert named <= set(COMMANDS)
