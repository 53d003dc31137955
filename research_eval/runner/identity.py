"""Identify a run: the code that was plugged in, and where, how and on what it was executed."""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from research_eval.errors import UsageError
from research_eval.experiment import Configuration
from research_eval.gate import BUILT_IN_GATES
from research_eval.identity import code_of_module
from research_eval.journal import RunFolder
from research_eval.plugin import module_of
from research_eval.schema import Execution, GitState, PluginCode, RunRecord
from research_eval.secret import clean_json
from research_eval.tool.search import WIRES
from research_eval.tool.search.build import CORPUS

__all__ = ["changed_code", "execution_now", "git_state", "keep_execution", "plugged_in"]

GIT_TIMEOUT_S = 10.0


def plugged_in(configurations: Iterable[Configuration]) -> dict[str, PluginCode]:
    """Return the code of a user's own gates, search providers and extractors, which are loaded by now."""
    found = {}
    for label, module in _named(configurations):
        code = code_of_module(module)
        if code is not None:
            found[label] = PluginCode(sha256=code.sha256, modules=code.modules)
    return dict(sorted(found.items()))


def _named(configurations: Iterable[Configuration]) -> Iterator[tuple[str, str]]:
    for one in configurations:
        providers = (
            entry.provider
            for entry in one.search.chain
            if not entry.provider.startswith(CORPUS) and entry.provider not in WIRES
        )
        asked = [
            ("gate", one.gate, BUILT_IN_GATES),
            ("extractor", one.fetch.extractor, ("default", "trafilatura")),
            *(("search", provider, WIRES) for provider in providers),
        ]
        for kind, name, built_in in asked:
            module = module_of(kind, name, built_in)
            if module is not None:
                yield f"{kind} {name}", module


def changed_code(old: RunRecord, new: RunRecord) -> Iterator[str]:
    """Yield in words which plugged-in code differs; what an earlier version did not note differs not."""
    for name in sorted(old.plugins.keys() & new.plugins.keys()):
        before, after = old.plugins[name], new.plugins[name]
        if before.sha256 != after.sha256:
            every = sorted(before.modules.keys() | after.modules.keys())
            changed = [m for m in every if before.modules.get(m) != after.modules.get(m)]
            yield f"code of {name}: {', '.join(changed)} changed"


def execution_now(command: Sequence[str], place: Path) -> Execution:
    """Return what is executing, and where.

    Args:
        command: The words after `research-eval`.
        place: A folder of the repository that counts.
    """
    top = _git(place, "rev-parse", "--show-toplevel")
    here = Path.cwd().resolve()
    inside = top is not None and here.is_relative_to(Path(top).resolve())
    return Execution(
        command=tuple(command),
        folder=here.relative_to(Path(top).resolve()).as_posix() if top and inside else ".",
        python=platform.python_version(),
        platform=f"{sys.platform} {platform.machine()}",
        git=git_state(place),
        packages=_installed(),
    )


@cache
def _installed() -> dict[str, str]:
    """Return name and version of every distribution, from the names of their folders.

    The first on the path counts, as in an import; reading each one's metadata costs far more.
    """
    found: dict[str, str] = {}
    for place in sys.path:
        for folder in sorted(Path(place or ".").glob("*.dist-info")):
            name, _, version = folder.stem.rpartition("-")
            found.setdefault(re.sub(r"[-_.]+", "-", name).lower(), version)
    return dict(sorted(found.items()))


def git_state(place: Path) -> GitState | None:
    """Return the commit of the repository around a folder; `None` where there is none, or no git."""
    commit = _git(place, "rev-parse", "HEAD")
    if commit is None:
        return None
    changes = _git(place, "status", "--porcelain", "--untracked-files=no")
    return GitState(commit=commit, is_clean=changes == "")


def _git(place: Path, *words: str) -> str | None:
    command = ["git", "-c", "core.fsmonitor=false", "-C", str(place), *words]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(  # noqa: S603  # our own words
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=GIT_TIMEOUT_S,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def keep_execution(folder: RunFolder, execution: Execution) -> None:
    """Add a line to the run's `executions.jsonl`.

    Raises:
        UsageError: If it cannot be written.
    """
    line = clean_json(execution.model_dump_json()).encode() + b"\n"
    try:
        with folder.executions_path.open("ab") as file:
            file.write(line)
    except OSError as exc:
        raise UsageError(f"{folder.executions_path}: cannot be written: {exc.strerror}") from exc
