"""The experiment that docs/experiments.md goes through from end to end is run as it stands there."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
SETTINGS = re.search(r"```toml\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = re.search(r"```console\n(.*?)```", TEXT, re.DOTALL)
EXPECTED = {"record": 0, "run": 0, "compare": 0, "gate": 1}
"""The exit status of each command: the gates differ."""
ENOUGH = ["--limit", "20"]


@pytest.mark.sockets
def test_the_walkthrough_replays_what_it_recorded_at_the_usual_concurrency(tmp_path: Path) -> None:
    assert SETTINGS is not None
    assert COMMANDS is not None
    shutil.copy(ROOT / "datasets/world/cases.jsonl", tmp_path)
    (tmp_path / "mine.toml").write_text(SETTINGS[1], encoding="utf-8")
    for line in COMMANDS[1].splitlines():
        words = shlex.split(line.removeprefix("$ research-eval"))
        words += ENOUGH if words[0] in {"record", "run"} else []
        done = subprocess.run(
            [sys.executable, "-m", "research_eval", *words],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"},
        )  # fmt: skip
        assert done.returncode == EXPECTED[words[0]], (line, done.stdout, done.stderr)
        if words[0] == "run":
            assert "recordings: hit" in done.stdout + done.stderr
