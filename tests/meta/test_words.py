"""No retired word is used: in names of the code, in settings, options, columns, headings, messages or documents."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import get_args

import click
import pytest

from research_eval.cli.main import cli
from research_eval.errors import ConfigError
from research_eval.experiment.requirement import check_measure
from research_eval.gate.kind import KINDS
from research_eval.plugin import RENAMED, load_plugin
from research_eval.schema import LedgerFidelity, TrialStatus
from research_eval.schema.requirement import Requirement
from research_eval.scorer import BUILT_IN, registry

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "docs" / "words.toml"
WORDS = tomllib.loads(LIST.read_text("utf-8"))
RETIRED, CONCEPTS = WORDS["retired"], WORDS["concept"]
TEXTS = ("*.py", "*.md", "*.toml", "*.js", "*.css", "*.html", "*.yml", "*.json")
FOREIGN = ("cassettes/", "datasets/", "reports/", "tests/data/", "benchmarks/article_set/", "benchmarks/fetch_set/",
           "research_eval/world/pages/", "docs/words.toml", "docs/glossary.md", "tests/meta/test_words.py")  # fmt: skip
"""What is no text of the project: pages of the invented web, recordings, data; and the list itself."""
CLASSIFIED = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
NAMED = {entry["name"]: entry for entry in RETIRED if "name" in entry}
PHRASES = {entry["phrase"]: entry for entry in RETIRED if "phrase" in entry}


def files(*patterns: str) -> list[Path]:
    """Return the project's files, without those that others wrote."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", *patterns],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    return [ROOT / name for name in listed if not name.startswith(FOREIGN)]


@cache
def texts() -> dict[str, str]:
    """Return the text of every file that people read."""
    return {
        str(path.relative_to(ROOT)): path.read_text("utf-8", "replace") for path in files(*TEXTS)
    }


@cache
def parts(name: str) -> set[str]:
    """Return the words of a name in snake or camel case.

    >>> sorted(parts("_TapeDeck2_of"))
    ['2', 'Deck', 'Tape', '_TapeDeck2_of', 'deck', 'of', 'tape']
    """
    found = {part for piece in name.split("_") for part in CLASSIFIED.findall(piece)}
    return found | {part.lower() for part in found} | {name}


def defined(path: Path) -> Iterator[tuple[int, str]]:
    """Return the names that a module defines, itself among them; names of tests are sentences."""
    yield 0, path.stem
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if not name.startswith("test_"):
                    yield node.lineno, name
            case ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.arg(arg=name):
                yield node.lineno, name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name


def options(command: click.Command, at: str = "research-eval") -> Iterator[tuple[str, str]]:
    """Return the names of a command, its options and all below it."""
    yield at, command.name or ""
    for parameter in command.params:
        yield at, (parameter.name or "")
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None:
                yield from options(below, f"{at} {name}")


@cache
def names() -> list[tuple[str, str]]:
    """Return every name that the project gives, with its place."""
    return list(_names())


def _names() -> Iterator[tuple[str, str]]:
    for path in files("*.py"):
        at = path.relative_to(ROOT)
        yield from ((f"{at}:{line}", name) for line, name in defined(path))
    yield from options(cli)
    for measure in registry():
        yield f"measure {measure.name}", measure.name
        yield f"heading of {measure.name}", measure.heading.replace(" ", "_")
    for path in files("*.md"):
        for heading in re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE):
            yield f"{path.relative_to(ROOT)}: {heading}", heading.replace(" ", "_")


def is_retired(word: str, name: str) -> bool:
    return name not in NAMED[word].get("allowed", {}) and word in parts(name)


def test_no_name_has_a_retired_word():
    found = [
        f"{at}: {name}: say {entry['instead']}"
        for at, name in names()
        for word, entry in NAMED.items()
        if is_retired(word, name)
    ]

    assert not found, "\n".join(found)


@pytest.mark.parametrize("phrase", PHRASES)
def test_no_text_has_a_retired_phrase(phrase):
    pattern = re.compile(rf"(?<![\w-])(?:{phrase})(?![\w-])", re.IGNORECASE)
    allowed = re.compile(PHRASES[phrase].get("allowed_text", "(?!)"))
    found = [
        f"{path}:{number}: {line.strip()[:100]}"
        for path, text in texts().items()
        if pattern.search(text)
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(allowed.sub("", line))
    ]

    assert not found, "\n".join([f"say {PHRASES[phrase]['instead']}", *found])


def test_every_exception_is_needed():
    used = {name for _, name in names()}
    spare = [
        name for entry in NAMED.values() for name in entry.get("allowed", {}) if name not in used
    ]

    assert spare == []


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_name_is_answered_with_the_new_one(old):
    with pytest.raises(ConfigError, match=f"it is called '{RENAMED[old]}' now"):
        load_plugin("scorer", old, BUILT_IN)
    with pytest.raises(ConfigError, match=f"it is called '{RENAMED[old]}' now"):
        check_measure("e.toml", Requirement(measure=old, max=0.1))


@pytest.mark.parametrize("concept", CONCEPTS, ids=lambda one: one["word"])
def test_a_concept_is_declared_where_the_glossary_says(concept):
    module, _, name = concept["code"].partition(":")

    assert hasattr(import_module(module), name)
    assert concept["meaning"].endswith(".")


def test_the_glossary_has_every_concept_and_every_word_of_a_record_once():
    words = re.findall(
        r"^\| `?([^|`]+)`? \|", (ROOT / "docs/glossary.md").read_text("utf-8"), re.MULTILINE
    )
    known = [one["word"] for one in CONCEPTS]
    known += [*get_args(TrialStatus), *get_args(LedgerFidelity), *KINDS]

    assert [word for word in known if words.count(word) != 1] == []
    assert {"case", "configuration", "experiment", "trial", "turn", "attempt", "retry", "ledger", "gate",
            "violation", "corrective", "transcript", "cassette", "agent", "fidelity", "scorer", "score",
            "measure", "requirement", "run"} <= set(known)  # fmt: skip
