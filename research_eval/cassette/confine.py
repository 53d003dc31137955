"""Confinement: a path below a folder in, a refusal out where a link leads out of that folder.

Recordings come from strangers, and a stranger can link to any file of whoever replays them.
Links inside the folder are followed; a link that a person names on the command line is theirs.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from research_eval.errors import CassetteCorruptError

__all__ = ["Confinement", "refuse_link_out"]


class Confinement:
    """Keeps what is read and written below one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._inside: set[str] = set()

    def check_parent(self, path: str) -> None:
        """Refuse a path in a folder that a link leads out of; each folder is looked at once.

        Raises:
            CassetteCorruptError: If it does.
        """
        parent = path.rpartition("/")[0]
        if parent not in self._inside:
            self.check(parent)
            self._inside.add(parent)

    def check(self, path: str) -> None:
        """Refuse a path that leads out of the folder.

        Raises:
            CassetteCorruptError: If it does.
        """
        if not _is_below(path, self._folder):
            raise CassetteCorruptError(f"{path}: a link that leads out of {self._folder}")

    def names(self) -> Iterator[str]:
        """Return the names of all files below the folder; those that begin with a dot are nobody's.

        Raises:
            CassetteCorruptError: If a link leads out of it.
        """
        for parent, folders, names in os.walk(self._folder):
            for name in folders:
                path = Path(parent, name)
                if path.is_symlink():
                    self.check(str(path))
            below = parent[len(self._folder) :].replace(os.sep, "/").strip("/")
            begin = f"{below}/" if below else ""
            yield from (f"{begin}{name}" for name in names if not name.startswith("."))


def refuse_link_out(place: Path) -> None:
    """Refuse a store that is a link to somewhere outside the folder of its experiment.

    Raises:
        CassetteCorruptError: If it is.
    """
    if place.is_symlink() and not _is_below(str(place), str(place.parent)):
        raise CassetteCorruptError(f"{place}: a link that leads out of {place.parent}")


def _is_below(path: str, folder: str) -> bool:
    try:
        real, root = os.path.realpath(path), os.path.realpath(folder)
    except ValueError:  # a null in the name: nothing is there
        return True
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)
