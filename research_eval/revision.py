"""Code of another revision of a git repository: a worktree, and an environment without keys to run it in."""

import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from research_eval.errors import ConfigError

__all__ = ["Worktree", "worktree"]

KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "SYSTEMROOT", "LD_LIBRARY_PATH")
"""Variables of the environment that a process with other code gets."""


class Worktree(NamedTuple):
    """The files of one revision, in a folder of their own."""

    path: Path
    """The worktree's top."""
    top: Path
    """The top of the repository that it was made from."""

    def folder_of(self, path: Path) -> Path:
        """Return where a path of the repository stands in the worktree."""
        return self.path / path.resolve().relative_to(self.top)

    def environment(self, modules: Iterable[str]) -> dict[str, str]:
        """Return what a process with this code gets: no key, another home, this code first.

        Args:
            modules: Modules that it will load; they begin where they begin here.
        """
        home = self.path.parent / "home"
        home.mkdir(exist_ok=True)
        paths = dict.fromkeys(path for name in modules for path in self._begins(name))
        return {
            **{key: os.environ[key] for key in KEPT if key in os.environ},
            "HOME": str(home),
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONIOENCODING": "utf-8",
        }

    def _begins(self, module: str) -> list[Path]:
        """Return the folders in which a module may begin: as here, then the usual ones."""
        found = [Path.cwd().resolve(), self.top / "src", self.top]
        try:
            spec = find_spec(module.partition(".")[0])
        except (ImportError, ValueError):
            spec = None
        for place in [spec.origin, *(spec.submodule_search_locations or ())] if spec else ():
            path = Path(place or "").resolve()
            found.insert(0, path.parents[1] if path.name == "__init__.py" else path.parent)
        return [self.folder_of(path) for path in found if path.is_relative_to(self.top)]


@contextmanager
def worktree(revision: str, complaint: str) -> Iterator[Worktree]:
    """Check out a revision of the repository of the working folder, while the block runs.

    Args:
        revision: A commit, branch or tag.
        complaint: What an error begins with.

    Raises:
        ConfigError: If there is no such revision, or git fails.
    """
    top = Path(_git(complaint, Path.cwd(), "rev-parse", "--show-toplevel")).resolve()
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    commit = _git(complaint, top, *words)
    with tempfile.TemporaryDirectory(prefix="research-eval-") as folder:
        tree = Path(folder).resolve() / "tree"
        _git(complaint, top, "worktree", "add", "--detach", "--force", str(tree), commit)
        try:
            yield Worktree(tree, top)
        finally:
            _git(complaint, top, "worktree", "remove", "--force", str(tree))


def _git(complaint: str, folder: Path, *words: str) -> str:
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
        raise ConfigError(f"{complaint}: git cannot be run: {exc.strerror}") from exc
    if done.returncode:
        said = " ".join(done.stderr.split()) or f"git knows no such revision ({words[-1]})"
        raise ConfigError(f"{complaint}: {said}")
    return done.stdout.strip()
