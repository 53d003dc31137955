"""What GitHub and GitLab do with a job: variables filled in, every line of every step run by bash."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")


def action_steps(path: Path, **given: str) -> list[tuple[str, str, dict[str, str]]]:
    """Return name, script and environment of each step with a script, as GitHub would run it."""
    action = yaml.safe_load(path.read_text("utf-8"))
    values = {f"inputs.{name}": one.get("default", "") for name, one in action["inputs"].items()}
    values |= {f"inputs.{name.replace('_', '-')}": value for name, value in given.items()}

    def filled(text: object) -> str:
        return EXPRESSION.sub(lambda found: values[found[1]], str(text))

    return [
        (step["name"], step["run"], {key: filled(one) for key, one in step.get("env", {}).items()})
        for step in action["runs"]["steps"]
        if "run" in step and not (step.get("if") == "inputs.base != ''" and not values["inputs.base"])
    ]  # fmt: skip


def gitlab_job(name: str, **given: str) -> tuple[str, dict[str, str]]:
    """Return script and environment of a job of the template."""
    job = yaml.safe_load((ROOT / ".ci/gitlab.yml").read_text("utf-8"))[name]
    return "\n".join(job["script"]), {**job["variables"], **given}


class Runner:
    """Runs scripts in a folder, in a shell that stops at the first failure."""

    def __init__(self, folder: Path, site: Path) -> None:
        self.folder = folder
        self.site = site
        """Where pip installs; it asks no index."""

    def run(self, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
        env = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(self.folder.parent),
            "LANG": "C.UTF-8",
            "PYTHONPATH": f"{self.folder / 'src'}:{self.site}",
            "PIP_TARGET": str(self.site), "PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_UPGRADE": "1",
            **environment,
        }  # fmt: skip
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.folder, env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip


def tiny_wheel(folder: Path, name: str) -> Path:
    """Write a wheel with one empty module, for pip to install without asking anybody."""
    path = folder / f"{name}-1-py3-none-any.whl"
    info = f"{name}-1.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{name}.py", "")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    return path
