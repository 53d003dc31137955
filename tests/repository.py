"""A git repository in a folder, for tests of what a project's own CI does."""

import os
import subprocess
import sys
from pathlib import Path


class Repository:
    """A git repository whose packages stand in `src`."""

    def __init__(self, root: Path) -> None:
        root.mkdir()
        self.root = root
        self.git("init", "-q", "-b", "main")
        for name, value in (("user.name", "A"), ("user.email", "a@a.example"), ("commit.gpgsign", "false")):  # fmt: skip
            self.git("config", name, value)

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.root, capture_output=True, text=True, check=True)  # fmt: skip
        return done.stdout.strip()

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def commit(self, subject: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject)

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "PYTHONPATH": str(self.root / "src"), **environment}
        env.pop("GITHUB_ACTIONS", None)
        return subprocess.run(
            [sys.executable, "-m", "research_eval", *words],
            cwd=self.root, env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip
