"""A trial that leaves its recording names a command; that command, as it is printed, repairs it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENT = """name = "mine"
dataset = "cases.jsonl"
cassettes = "cassettes"
record_from = "world"
[defaults]
search.chain = ["serper"]
[[configuration]]
name = "honest-one"
model = "reference:honest"
"""
CHANGE = "--set 'defaults.search.chain=[\"brave\"]'"


@pytest.mark.sockets
def test_the_command_that_a_miss_names_repairs_it(tmp_path: Path) -> None:
    shutil.copy(ROOT / "datasets/world/cases.jsonl", tmp_path)
    (tmp_path / "my file.toml").write_text(EXPERIMENT, encoding="utf-8")
    program = f'research-eval() {{ {sys.executable} -m research_eval "$@"; }}; '

    def run(command: str) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", program + command],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8", "COLUMNS": "100"},
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    assert run("research-eval record 'my file.toml' --limit 2 --no-report")[0] == 0
    again = f"research-eval run 'my file.toml' --limit 1 --no-report --overwrite {CHANGE}"
    code, said = run(again)
    assert code == 4, said
    suggested = re.search(r"record it with: (research-eval record .*)", said)
    assert suggested is not None, said
    code, said = run(f"{suggested[1]} --no-report")
    assert code == 0, said
    folders = sorted(path.name for path in (tmp_path / "reports").iterdir())
    assert folders == ["mine", "mine-recording"]
    code, said = run(again)
    assert code == 0, said
