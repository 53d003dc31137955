"""What the documents show of the command line is true: output for output, option for option."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from research_eval.cli.main import cli

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```[a-z]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`(research-eval [^`]+)`")
STORIES = [
    pytest.param(document, block, id=f"{document.name}-{number}")
    for document in (ROOT / "README.md", ROOT / "docs/gate.md")
    for number, block in enumerate(BLOCK.findall(document.read_text(encoding="utf-8")))
    if block.startswith("$ ")
]
GIVEN = {
    "answers.jsonl": {
        "id": "a1",
        "text": "See https://river.example.org/silt.",
        "fetched": ["https://river.example.org/silt"],
    },
    "pairs.jsonl": {
        "id": "p1",
        "a": "https://river.example.org/silt",
        "b": "https://www.river.example.org/silt/",
    },
}


def _steps(block: str) -> list[tuple[str, str]]:
    """Return each command of `block` with the output that is shown below it."""
    steps = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(command, shown) for command, _, shown in (step.partition("\n") for step in steps)]


def _run(command: str, folder: Path) -> str:
    program = f'research-eval() {{ {shlex.quote(sys.executable)} -m research_eval "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-c", program + command],
        cwd=folder, capture_output=True, text=True, check=False, timeout=300,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"},
    )  # fmt: skip
    said = [line for line in done.stderr.splitlines() if not line.startswith("result: ")]
    assert (said, done.returncode in {0, 1}) == ([], True)
    return done.stdout


def _matches(shown: str, printed: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in shown.split("\u2026"))
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


@pytest.mark.parametrize(("document", "block"), STORIES)
def test_a_story_prints_what_the_document_shows(document: Path, block: str, tmp_path: Path) -> None:
    for name, line in GIVEN.items():
        (tmp_path / name).write_text(json.dumps(line) + "\n", encoding="utf-8")
    for command, shown in _steps(block):
        if command.startswith("cat "):
            (tmp_path / command.removeprefix("cat ")).write_text(shown, encoding="utf-8")
        elif "compare RUN" not in command:
            printed = _run(command, tmp_path)
            assert _matches(shown, printed), (document.name, command, printed)


def _named_commands(document: Path) -> list[str]:
    text = document.read_text(encoding="utf-8")
    lines = [line for block in BLOCK.findall(text) for line in block.splitlines()]
    fenced = [
        found[1] for line in lines if (found := re.search(r"(?:^|[\s=\"])(research-eval .*)", line))
    ]
    return [*fenced, *INLINE.findall(BLOCK.sub("", text))]


def _options_of(words: list[str]) -> tuple[click.Command, list[str]]:
    command: click.Command = cli
    context = click.Context(cli)
    while isinstance(command, click.Group) and words:
        inner = command.get_command(context, words[0])
        if inner is None:
            break
        command, words = inner, words[1:]
    return command, words


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_option_that_a_document_names_exists(document: Path) -> None:
    for line in _named_commands(document):
        words = line.split("#")[0].replace("[", " ").replace("]", " ").split()[1:]
        command, rest = _options_of(words)
        known = {flag for one in command.params for flag in [*one.opts, *one.secondary_opts]}
        named = {word.split("=")[0].rstrip(".,;:") for word in rest if word.startswith("--")}
        assert named <= known | {"--help", "--version"}, (line, named - known)
