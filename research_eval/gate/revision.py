"""The gate of another revision of one's project: loaded from a worktree, in a process of its own.

`git:REV:package.module:Name` names it. The process gets a folder of its own as home and none of this
one's environment but what a program needs to start, so that no key reaches code of another revision.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from pydantic import TypeAdapter, ValidationError

from research_eval.errors import ConfigError
from research_eval.ledger import SourceRegistry
from research_eval.revision import Worktree, worktree
from research_eval.schema import Verdict, ViolationKind

__all__ = ["PREFIX", "RevisionGate", "gate_of_revision", "is_of_revision"]

PREFIX = "git:"
EXPECTED = "git:REV:package.module:Name"
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
    with (
        worktree(revision, f"gate {name!r}") as tree,
        _started(name, dotted, tree, module) as process,
    ):
        yield RevisionGate(name, process)


@contextmanager
def _started(
    name: str, dotted: str, tree: Worktree, module: str
) -> Iterator["subprocess.Popen[str]"]:
    """Start the process that loads the gate and rules."""
    command = [sys.executable, "-P", str(CHILD), dotted, str(tree.path)]
    try:
        process = subprocess.Popen(  # noqa: S603  # our own script
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            cwd=tree.path,
            env=tree.environment([module]),
        )
    except OSError as exc:
        raise ConfigError(f"gate {name!r}: cannot start a process: {exc.strerror}") from exc
    with process:
        try:
            yield process
        finally:
            process.kill()
