"""Stores: a name in, the tape of that name out; files are replaced whole or not at all."""

import os
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Protocol

from research_eval.cassette.interaction import TapedInteraction, TapeMetadata
from research_eval.cassette.redact import Redactor
from research_eval.cassette.tape import MAX_BYTES, Tape, dump_tape, parse_tape
from research_eval.errors import CassetteCorruptError, CassetteError

__all__ = ["FolderStore", "Store", "write_whole"]


class Store(Protocol):
    """Where tapes lie."""

    place: str
    """How messages call it."""

    def read(self, name: str) -> Tape | None:
        """Return the tape called `name`, or `None` if there is none.

        Raises:
            CassetteCorruptError: If it is there but cannot be read back.
        """
        ...

    def write(self, name: str, interactions: Iterable[TapedInteraction], metadata: TapeMetadata) -> None:
        """Replace the tape called `name`.

        Raises:
            SecretOnTapeError: If a known secret is in it; nothing is written then.
        """
        ...

    def names(self) -> Iterator[str]:
        """Return the names of all tapes, sorted."""
        ...

    def digest(self) -> str:
        """Return the SHA-256 over everything in the store."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


class FolderStore:
    """Tapes as JSON files in a folder, large bodies as files of their own beside them."""

    def __init__(self, folder: Path, redactor: Redactor | None = None) -> None:
        self.folder = folder
        self.place = str(folder)
        self._redactor = redactor or Redactor()

    def read(self, name: str) -> Tape | None:
        """Return the tape called `name`, or `None` if there is none.

        Raises:
            CassetteCorruptError: If it is there but cannot be read back.
        """
        path = self.folder / f"{name}.json"
        try:
            text = _read_bounded(path)
        except FileNotFoundError:
            return None
        return parse_tape(text, str(path), self.body)

    def body(self, name: str) -> bytes:
        """Return the content of a body that has a file of its own.

        Raises:
            CassetteCorruptError: If it is missing or not what its name says.
        """
        path = self.folder / "bodies" / name
        try:
            content = _read_bounded(path)
        except FileNotFoundError as exc:
            raise CassetteCorruptError(f"{path}: missing, though a cassette refers to it") from exc
        if sha256(content).hexdigest() != name.partition(".")[0]:
            raise CassetteCorruptError(
                f"{path}: its content is not what its name says; were line endings converted?"
            )
        return content

    def write(self, name: str, interactions: Iterable[TapedInteraction], metadata: TapeMetadata) -> None:
        """Replace the tape called `name`.

        Raises:
            SecretOnTapeError: If a known secret is in it; nothing is written then.
        """
        path = self.folder / f"{name}.json"
        text = dump_tape(interactions, metadata)
        self._redactor.check(text, str(path))
        write_whole(path, text.encode("utf-8"))

    def names(self) -> Iterator[str]:
        """Return the names of all tapes, sorted."""
        for path in sorted(self.folder.rglob("*.json")):
            name = path.relative_to(self.folder).with_suffix("").as_posix()
            if not name.startswith("bodies/"):
                yield name

    def digest(self) -> str:
        """Return the SHA-256 over the names and contents of all files."""
        total = sha256()
        for path in sorted(path for path in self.folder.rglob("*") if path.is_file()):
            name = path.relative_to(self.folder).as_posix().encode("utf-8", "surrogateescape")
            total.update(name + b"\0" + sha256(path.read_bytes()).digest())
        return total.hexdigest()

    def close(self) -> None:
        """Do nothing: no file stays open."""


def write_whole(path: Path, content: bytes) -> None:
    """Put `content` at `path`, whole or not at all.

    Raises:
        CassetteError: If the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".part", delete=False) as file:
            file.write(content)
        os.replace(file.name, path)
    except OSError as exc:
        raise CassetteError(f"{path}: cannot be written: {exc.strerror}") from exc


def _read_bounded(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise CassetteCorruptError(f"{path}: larger than {MAX_BYTES} bytes")
    return content
