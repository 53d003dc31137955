"""Stores: a name in, the cassette of that name out; files are replaced whole or not at all."""

import errno
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from heapq import nsmallest
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Protocol

from research_eval.cassette.body import body_bytes
from research_eval.cassette.confine import Confinement
from research_eval.cassette.file import MAX_BYTES, Cassette, parse_cassette
from research_eval.cassette.growing import GrowingCassette, GrowingFile, write_whole
from research_eval.cassette.interaction import Body, CassetteMetadata, RecordedInteraction
from research_eval.cassette.redact import Redactor
from research_eval.cassette.seal import damage_in, seal_state, unsealed
from research_eval.errors import CassetteCorruptError, CassetteWriteError

__all__ = ["FolderStore", "Store"]

_SHARED_FROM_BYTES = 2048
_SHARED_JSON_FROM_BYTES = 4096
_MAX_NEIGHBOURS_SEEN = 20_000
_NAME = re.compile(r"[A-Za-z0-9%_~-][A-Za-z0-9%_~.-]*(?:/[A-Za-z0-9%_~-][A-Za-z0-9%_~.-]*)*\Z")
_FIRST_READ = 64 * 1024
_BINARY = getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class Store(Protocol):
    """Where cassettes lie."""

    place: str
    """How messages call it."""

    def read(self, name: str) -> Cassette | None:
        """Return the cassette called `name`, or `None` if there is none.

        Raises:
            CassetteCorruptError: If it is there but cannot be read back.
        """
        ...

    def write(
        self, name: str, interactions: Iterable[RecordedInteraction], metadata: CassetteMetadata
    ) -> None:
        """Replace the cassette called `name`.

        Raises:
            SecretInCassetteError: If a known secret is in it; nothing is written then.
            CassetteWriteError: If it cannot be written.
        """
        ...

    def growing(
        self, name: str, interactions: Iterable[RecordedInteraction], metadata: CassetteMetadata
    ) -> GrowingCassette:
        """Return what replaces the cassette called `name`, with `interactions` to begin with.

        Raises:
            SecretInCassetteError: If a known secret is in it.
        """
        ...

    def require_writable(self) -> None:
        """Find out whether cassettes can be written, and leave everything as it is.

        Raises:
            CassetteWriteError: If not.
        """
        ...

    def remove(self, name: str) -> None:
        """Remove the cassette called `name`, if there is one."""
        ...

    def body(self, name: str) -> bytes:
        """Return the content of a body that is kept apart from its cassette.

        Raises:
            CassetteCorruptError: If it is missing or not what its name says.
        """
        ...

    def names(self) -> Iterator[str]:
        """Return the names of all cassettes, sorted."""
        ...

    def body_names(self) -> list[str]:
        """Return the names of the bodies that are kept apart, sorted."""
        ...

    def remove_body(self, name: str) -> None:
        """Remove a body that no cassette refers to any more."""
        ...

    def neighbours(self, name: str, limit: int) -> list[str]:
        """Return at most `limit` names beside `name`, most similar first."""
        ...

    def seal(self, name: str) -> bool:
        """Give the cassette called `name` a new checksum; return whether it needed one.

        Raises:
            CassetteCorruptError: If it is no cassette but for that.
        """
        ...

    def damage(self) -> Iterator[str]:
        """Return what is wrong with the store as a whole."""
        ...

    def digest(self) -> str:
        """Return the SHA-256 over everything in the store."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


class FolderStore:
    """Cassettes as JSON files in a folder, large bodies as files of their own beside them."""

    def __init__(
        self, folder: Path, redactor: Redactor | None = None, *, has_shared_bodies: bool = False
    ) -> None:
        self.folder = folder
        self.place = str(folder)
        self._redactor = redactor or Redactor()
        self._has_shared_bodies = has_shared_bodies
        self._confinement = Confinement(folder)
        self._is_sound = False

    def read(self, name: str) -> Cassette | None:
        """Return the cassette called `name`, or `None` if there is none.

        Raises:
            CassetteCorruptError: If it is there but cannot be read back.
        """
        path = f"{self.place}/{name}.json"
        text = self._content(path)
        return None if text is None else parse_cassette(text, path, self.body)

    def body(self, name: str) -> bytes:
        """Return the content of a body that has a file of its own.

        Raises:
            CassetteCorruptError: If it is missing or not what its name says.
        """
        path = f"{self.place}/bodies/{name}"
        content = self._content(path)
        if content is None:
            raise CassetteCorruptError(f"{path}: missing, though a cassette refers to it")
        if not self._is_sound and sha256(content).hexdigest() != name.partition(".")[0]:
            raise CassetteCorruptError(
                f"{path}: its content is not what its name says; were line endings converted?"
            )
        return content

    def write(
        self, name: str, interactions: Iterable[RecordedInteraction], metadata: CassetteMetadata
    ) -> None:
        """Replace the cassette called `name`.

        Raises:
            SecretInCassetteError: If a known secret is in it; nothing is written then.
            CassetteWriteError: If the folder cannot be written.
        """
        self.growing(name, interactions, metadata).save()

    def growing(
        self, name: str, interactions: Iterable[RecordedInteraction], metadata: CassetteMetadata
    ) -> GrowingCassette:
        """Return what replaces the cassette called `name`, with `interactions` to begin with.

        Raises:
            SecretInCassetteError: If a known secret is in it.
        """
        path = self._path(name)
        return GrowingFile(path, interactions, metadata, self._redactor, self._with_shared_body)

    def require_writable(self) -> None:
        """Find out whether cassettes can be written, and leave everything as it is.

        Raises:
            CassetteWriteError: If not.
        """
        there = next(place for place in (self.folder, *self.folder.parents) if place.exists())
        try:
            with NamedTemporaryFile(dir=there, prefix=".", suffix=".part"):
                pass
        except OSError as exc:
            raise CassetteWriteError(f"{self.place}: cannot be written: {exc.strerror}") from exc

    def remove(self, name: str) -> None:
        """Remove the cassette called `name`, and its folder if that is empty then."""
        path = self._path(name)
        path.unlink(missing_ok=True)
        with suppress(OSError):
            path.parent.rmdir()

    def names(self) -> Iterator[str]:
        """Return the names of all cassettes, sorted."""
        for name in self._sorted():
            if name.endswith(".json") and not name.startswith("bodies/"):
                yield name.removesuffix(".json")

    def body_names(self) -> list[str]:
        """Return the names of the bodies that have files of their own, sorted."""
        bodies = self.folder / "bodies"
        return sorted(path.name for path in bodies.iterdir()) if bodies.is_dir() else []

    def remove_body(self, name: str) -> None:
        """Remove a body that no cassette refers to any more."""
        self._confinement.check(f"{self.place}/bodies")
        (self.folder / "bodies" / name).unlink(missing_ok=True)

    def neighbours(self, name: str, limit: int) -> list[str]:
        """Return at most `limit` names beside `name`, most similar first."""
        parent, _, leaf = name.rpartition("/")
        try:
            with os.scandir(self.folder / parent) as entries:
                names = [
                    entry.name.removesuffix(".json")
                    for _, entry in zip(range(_MAX_NEIGHBOURS_SEEN), entries, strict=False)
                    if entry.name.endswith(".json")
                ]
        except OSError:
            return []
        hint = leaf.rpartition(".")[0]

        def distance(other: str) -> tuple[int, str]:
            return -_shared_start(hint, other.rpartition(".")[0]), other

        return [f"{parent}/{other}" for other in nsmallest(limit, names, key=distance)]

    def digest(self) -> str:
        """Return the SHA-256 over the names and contents of all files.

        Where every body is found to be what its name says, none is looked at again when it is read.
        """
        total, is_sound = sha256(), True
        for name in self._sorted():
            own = sha256(self._content_or_why(name))
            total.update(name.encode("utf-8", "surrogateescape") + b"\0" + own.digest())
            if name.startswith("bodies/"):
                is_sound &= name[7:].partition(".")[0] == own.hexdigest()
        self._is_sound = is_sound
        return total.hexdigest()

    def seal(self, name: str) -> bool:
        """Give the cassette called `name` a new checksum; return whether it needed one.

        Raises:
            CassetteCorruptError: If it is no cassette but for that.
        """
        path = f"{self.place}/{name}.json"
        text = self._content(path)
        if text is None or seal_state(text) == "sound":
            return False
        if what := damage_in(text):
            raise CassetteCorruptError(f"{path}: {what}")
        cassette = parse_cassette(unsealed(text), path, self.body)
        self.write(name, cassette.records(), cassette.metadata)
        return True

    def damage(self) -> Iterator[str]:
        """Return nothing: each file stands for itself."""
        return iter(())

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _content_or_why(self, name: str) -> bytes:
        """Return what a file holds; of one that cannot be read, why, for its own trials to tell."""
        try:
            return self._content(f"{self.place}/{name}") or b""
        except CassetteCorruptError as exc:
            return str(exc).encode("utf-8", "surrogateescape")

    def _sorted(self) -> list[str]:
        return sorted(self._confinement.names(), key=lambda name: name.split("/"))

    def _path(self, name: str) -> Path:
        """Return where the cassette called `name` lies, which is inside the folder whoever made the name.

        Raises:
            CassetteCorruptError: If it is no name of a cassette.
        """
        if not _NAME.match(name):
            raise CassetteCorruptError(f"{self.place}: {name[:100]!r} is no name of a cassette")
        self._confinement.check_parent(f"{self.place}/{name}")
        return self.folder / f"{name}.json"

    def _content(self, path: str) -> bytes | None:
        """Return what a file in the folder holds; a link that leads out of it is refused."""
        self._confinement.check_parent(path)
        return _read_bounded(path, self._confinement)

    def _with_shared_body(self, record: RecordedInteraction) -> RecordedInteraction:
        """Return `record` with a large body moved into a file of its own, where equal bodies share one."""
        body = record.response.body
        if not self._has_shared_bodies or body.file is not None:
            return record
        content = body_bytes(body, self.body)
        limit = _SHARED_FROM_BYTES if body.data is None else _SHARED_JSON_FROM_BYTES
        if len(content) < limit:
            return record
        name = f"{sha256(content).hexdigest()}.{_suffix(record)}"
        self._redactor.check_bytes(content, f"{self.place}/bodies/{name}")
        self._confinement.check_parent(f"{self.place}/bodies/{name}")
        if self._content(f"{self.place}/bodies/{name}") != content:
            write_whole(self.folder / "bodies" / name, content)
        response = record.response.model_copy(update={"body": Body(file=name)})
        return record.model_copy(update={"response": response})


def _shared_start(first: str, second: str) -> int:
    """Return how many first characters two texts share."""
    pairs = zip(first, second, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def _suffix(record: RecordedInteraction) -> str:
    """Return how the name of a body's file ends, so that people and tools know what it is."""
    body = record.response.body
    kind = "".join(record.response.headers.get("content-type", ())).lower()
    if body.base64 is not None:
        return "pdf" if "pdf" in kind else "bin"
    if body.data is not None:
        return "json"
    return next((suffix for suffix in ("html", "xml", "csv", "svg") if suffix in kind), "txt")


def _read_on(handle: int, start: bytes, path: str) -> bytes:
    parts, size = [start], len(start)
    while more := os.read(handle, 1024 * 1024):
        parts.append(more)
        size += len(more)
        if size > MAX_BYTES:
            raise CassetteCorruptError(f"{path}: larger than {MAX_BYTES} bytes")
    return b"".join(parts)


def _read_bounded(path: str, confinement: Confinement) -> bytes | None:
    """Return a file's content, or `None` if there is no such file.

    Raises:
        CassetteCorruptError: If it is too large, cannot be read, or is a link that leads elsewhere.
    """
    try:
        handle = _opened(path, confinement)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as exc:
        raise CassetteCorruptError(f"{path}: cannot be read: {exc}") from exc
    try:
        content = os.read(handle, _FIRST_READ)
        if len(content) == _FIRST_READ:
            content = _read_on(handle, content, path)
    except OSError as exc:
        raise CassetteCorruptError(f"{path}: cannot be read: {exc}") from exc
    finally:
        os.close(handle)
    return content


def _opened(path: str, confinement: Confinement) -> int:
    try:
        return os.open(path, os.O_RDONLY | _BINARY | _NO_LINK)
    except OSError as exc:
        if exc.errno != errno.ELOOP:
            raise
    confinement.check(path)
    return os.open(path, os.O_RDONLY | _BINARY)
