"""The study of published reports: its page says what its values say, and a stranger's file is refused."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def study(*words):
    return subprocess.run(
        [sys.executable, "benchmarks/study.py", *map(str, words)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_page_says_what_the_values_say():
    assert study("--check").returncode == 0


def test_another_file_is_refused(tmp_path):
    (tmp_path / "other.jsonl").write_text('{"id": 1, "prompt": "p", "article": "a"}')

    done = study(tmp_path / "other.jsonl")

    assert done.returncode == 1
    assert "is none of the study's files" in done.stderr
