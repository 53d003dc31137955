"""The gate of another revision of one's project: loaded from a worktree, in a process of its own.

`git:REV:package.module:Name` names it. The process gets a folder of its own as home and none of this
one's environment but what a program needs to start, so that no key reaches code of another revision.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, cast

from pydantic import TypeAdapter, ValidationError

from research_eval.errors import ConfigError
from research_eval.ledger import SourceRegistry
from research_eval.schema import Verdict, ViolationKind

__all__ = ["PREFIX", "RevisionGate", "gate_of_revision", "is_of_revision"]

PREFIX = "git:"
EXPECTED = "git:REV:package.module:Name"
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "SYSTEMROOT", "LD_LIBRARY_PATH")
"""Variables of the environment that the other process gets."""
CHILD = Path(__file__).with_name("revision_child.py")
_KINDS = TypeAdapter(tuple[ViolationKind, ...])


def is_of_revision(name: str) -> bool:
    """Return whether a gate's name asks for another revision."""
    return name.startswith(PREFIX)


class RevisionGate:
    """Passes answers on to the process that holds the gate."""

    def __init__(self, name: str, process: "subprocess.Popen[str]") -> None:
        self._name = name
        self._process = process
        hello = self._read()
        self.id = str(hello["id"])
        self.code_sha256 = cast("str | None", hello["code_sha256"])
        """The digest of its source, as `research_eval.identity` makes it."""
        self.kinds = _KINDS.validate_python(hello["kinds"])

    def check(self, answer: str, ledger: SourceRegistry) -> Verdict:
        """Return the ruling of the gate of that revision.

        Raises:
            ConfigError: If the gate fails, or its process ended.
        """
        records = [record.model_dump(mode="json") for record in ledger.records()]
        self._write({"answer": answer, "records": records})
        said = self._read()
        try:
            return Verdict.model_validate(said["verdict"])
        except ValidationError as exc:
            raise ConfigError(f"gate {self._name!r}: no verdict came: {exc.errors()[0]}") from exc

    def corrective(self, verdict: Verdict) -> str:
        """Return nothing: a gate of another revision is compared, and sends nobody back."""
        del verdict
        return ""

    def _write(self, value: object) -> None:
        try:
            stream = cast("IO[str]", self._process.stdin)
            stream.write(json.dumps(value) + "\n")
            stream.flush()
        except OSError as exc:
            raise ConfigError(f"gate {self._name!r}: its process ended") from exc

    def _read(self) -> dict[str, object]:
        line = cast("IO[str]", self._process.stdout).readline()
        if not line:
            raise ConfigError(f"gate {self._name!r}: its process ended without an answer")
        said = cast("dict[str, object]", json.loads(line))
        if "error" in said:
            raise ConfigError(f"gate {self._name!r}: {said['error']}")
        return said


@contextmanager
def gate_of_revision(name: str) -> Iterator[RevisionGate]:
    """Load a gate from another revision of the repository of the working folder, while the block runs.

    Args:
        name: `git:REV:package.module:Name`.

    Raises:
        ConfigError: If there is no such revision or gate, or it is found outside that revision.
    """
    revision, _, dotted = name.removeprefix(PREFIX).partition(":")
    module, colon, attribute = dotted.partition(":")
    if not revision or not colon or not module or not attribute:
        raise ConfigError(f"gate {name!r}: expected {EXPECTED}")
    top = Path(_git(name, Path.cwd(), "rev-parse", "--show-toplevel"))
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    commit = _git(name, top, *words)
    with tempfile.TemporaryDirectory(prefix="research-eval-") as folder:
        tree = Path(folder).resolve() / "tree"
        _git(name, top, "worktree", "add", "--detach", "--force", str(tree), commit)
        try:
            with _started(name, dotted, tree, _paths(module, top, tree)) as process:
                yield RevisionGate(name, process)
        finally:
            _git(name, top, "worktree", "remove", "--force", str(tree))


def _paths(module: str, top: Path, tree: Path) -> list[Path]:
    """Return the folders of the worktree in which modules may begin: as here, then the usual ones."""
    here = Path.cwd().resolve()
    found = [here, top / "src", top]
    try:
        spec = find_spec(module.partition(".")[0])
    except (ImportError, ValueError):
        spec = None
    for place in [spec.origin, *(spec.submodule_search_locations or ())] if spec else ():
        path = Path(place or "").resolve()
        found.insert(0, path.parents[1] if path.name == "__init__.py" else path.parent)
    inside = (path for path in found if path.is_relative_to(top.resolve()))
    return list(dict.fromkeys(tree / path.relative_to(top.resolve()) for path in inside))


@contextmanager
def _started(
    name: str, dotted: str, tree: Path, paths: list[Path]
) -> Iterator["subprocess.Popen[str]"]:
    """Start the process that loads the gate and rules."""
    kept = {key: os.environ[key] for key in KEPT if key in os.environ}
    home = tree.parent / "home"
    home.mkdir()
    environment = {
        **kept,
        "HOME": str(home),
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONIOENCODING": "utf-8",
    }
    command = [sys.executable, "-P", str(CHILD), dotted, str(tree)]
    try:
        process = subprocess.Popen(  # noqa: S603  # our own script
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            cwd=tree,
            env=environment,
        )
    except OSError as exc:
        raise ConfigError(f"gate {name!r}: cannot start a process: {exc.strerror}") from exc
    with process:
        try:
            yield process
        finally:
            process.kill()


def _git(name: str, folder: Path, *words: str) -> str:
    """Return what a git command prints; hooks and filters of the repository do not run.

    Raises:
        ConfigError: In git's own words, if it fails.
    """
    command = ["git", "-c", f"core.hooksPath={os.devnull}", "-C", str(folder), *words]
    environment = {**os.environ, "GIT_LFS_SKIP_SMUDGE": "1", "LC_ALL": "C"}
    try:
        done = subprocess.run(  # noqa: S603  # our own words, and a revision that cannot be an option
            command, capture_output=True, text=True, check=False, env=environment
        )
    except OSError as exc:
        raise ConfigError(f"gate {name!r}: git cannot be run: {exc.strerror}") from exc
    if done.returncode:
        said = " ".join(done.stderr.split()) or f"git knows no such revision ({words[-1]})"
        raise ConfigError(f"gate {name!r}: {said}")
    return done.stdout.strip()
