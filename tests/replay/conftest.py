"""The calibration, run once for all tests that look at its result."""

import subprocess
import sys
from pathlib import Path

import pytest


def research_eval(*words: object, cwd: Path, check: bool = True, **environment: str):
    """Run the command line in a process of its own, with nothing of this one's environment."""
    done = subprocess.run(
        [sys.executable, "-m", "research_eval", *map(str, words)],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "HOME": str(cwd), "LANG": "C.UTF-8", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if check and done.returncode != 0:
        raise AssertionError(f"exit {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


@pytest.fixture(scope="session")
def calibration_run(tmp_path_factory) -> Path:
    """Run the whole calibration and return its folder."""
    place = tmp_path_factory.mktemp("calibration")
    research_eval("demo", "calibration", "--out", "run", cwd=place)
    return place / "run"
