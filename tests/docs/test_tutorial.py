"""The tutorial, followed to the letter in an empty folder: each of its blocks is a file or is run."""

import contextlib
import io
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from research_eval.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/tutorial.md").read_text("utf-8")
BLOCKS = [
    (TEXT[: match.start()].rstrip().rpartition("\n")[2], match[1], match[2])
    for match in re.finditer(r"^```([a-z]+)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
]
SETTING_UP = {
    "python3 -m venv .venv",
    ". .venv/bin/activate",
    "python3 -m pip install ../research_eval",
}
"""What this environment has done."""
EXIT = re.compile(r"\[exit status (\d)\]\n")


def steps(block):
    """Return each command of a block, the output below it, and its exit status."""
    for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = step.partition("\n")
        status = EXIT.search(shown)
        yield command, EXIT.sub("", shown), int(status[1]) if status else 0


COMMANDS = [step for _, kind, block in BLOCKS if kind == "console" for step in steps(block)]


def call(command):
    """Run one command of the program in this process; return what it printed and its status."""
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setattr(sys, "argv", command.split())
        patch.setattr("research_eval.cli.finish._report", report)
        with contextlib.redirect_stderr(io.StringIO()) as said, pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code in {0, 1}, said.getvalue()
    return printed.getvalue(), ended.value.code


def report(out):
    """Write the report that the job shows; the whole set of them takes a process of its own, and seconds."""
    printed, status = call(f"research-eval report {out} --format md --no-result")
    sys.stdout.write(printed)
    return status


def matches(shown, printed):
    pattern = r".*".join(re.escape(part) for part in shown.strip().split("…"))
    return re.fullmatch(rf"\s*{pattern}\s*", printed, re.DOTALL) is not None


class Reader:
    """Somebody who does what the page says, in one folder."""

    def __init__(self, port):
        self.port = port
        self.models = None

    def save(self, before, text):
        """Do what the line before a block says."""
        path = Path(re.search(r"ave (?:this|it) as `([^`]+)`", before)[1])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.here(text), encoding="utf-8")

    def here(self, text):
        """Take a free port for the one of the page."""
        return text.replace("8400", str(self.port))

    def run(self, command, shown, status):
        if command in SETTING_UP:
            return
        if command == "python3 models.py":
            self.models = subprocess.Popen(
                [sys.executable, "models.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            assert (
                self.models.stdout.read(len(self.here(shown)) - 1) == self.here(shown)[:-1].encode()
            )
        elif command.startswith("research-eval "):
            printed, ended = call(command)
            assert ended == status, (command, printed)
            assert not shown or matches(self.here(shown), printed), (command, printed)
        else:
            subprocess.run(["bash", "-ec", command], check=True)


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """The folder in which everything was done."""
    place = tmp_path_factory.mktemp("tutorial")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        reader = Reader(free.getsockname()[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        try:
            for before, kind, block in BLOCKS:
                if kind == "console":
                    for command, shown, status in steps(block):
                        reader.run(command, shown, status)
                else:
                    reader.save(before, block)
        finally:
            if reader.models:
                reader.models.communicate(b"\n")
    return place


@pytest.mark.sockets
def test_every_step_does_what_the_page_shows(followed):
    assert (followed / "reports/two-models/report.md").is_file()


@pytest.mark.sockets
def test_the_job_in_ci_runs_what_the_reader_ran(followed):
    workflow = yaml.safe_load((followed / ".github/workflows/citations.yml").read_text())
    ran = [step["run"] for step in workflow["jobs"]["citations"]["steps"] if "run" in step]
    committed = subprocess.run(
        ["git", "ls-files"], cwd=followed, capture_output=True, text=True, check=True
    ).stdout.split("\n")

    assert [run for run in ran if run.startswith("research-eval")] == [
        "research-eval run two-models.toml"
    ]
    assert {"cases.jsonl", "two-models.toml"} <= set(committed)
    assert any(name.startswith("cassettes/") for name in committed)
    assert not any(name.startswith("reports/") for name in committed)


def test_no_step_of_the_page_is_left_out():
    assert {kind for _, kind, _ in BLOCKS} <= {"console", "json", "python", "toml", "yaml"}
    assert TEXT.count("\n```") == 2 * len(BLOCKS)
    assert set(SETTING_UP) <= {command for command, *_ in COMMANDS}
    assert shutil.which("git")
