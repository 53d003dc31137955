"""The packed form: one SQLite file instead of many small ones, behind the same interface.

For experiments of a size that no reviewer reads and no git repository likes.
Look-up is by name in an index, so opening costs the same for ten cassettes and for a million.
Rows are compressed; long parts of requests (a system prompt, a tool's description, a page that was
read back to the model) stand once, however many trials sent them.
Each row carries a checksum over its name and content; a count and a sum of all names tell a row that
is lost from one that was never there.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from research_eval.cassette.body import body_bytes
from research_eval.cassette.file import Cassette, parse_cassette
from research_eval.cassette.growing_row import MARK, PART, GrowingRow, part_name
from research_eval.cassette.interaction import Body, CassetteMetadata, RecordedInteraction
from research_eval.cassette.redact import Redactor
from research_eval.cassette.row import (
    SUMS,
    TABLES,
    begin_sums,
    drop_row,
    inflated,
    is_sealed,
    put_row,
    true_sums,
    written_sums,
)
from research_eval.errors import CassetteCorruptError, CassetteWriteError

__all__ = ["PackStore"]

_SCHEMA = (
    "CREATE TABLE tapes (name TEXT PRIMARY KEY, data BLOB NOT NULL)",
    "CREATE TABLE bodies (name TEXT PRIMARY KEY, data BLOB NOT NULL)",
    "CREATE TABLE parts (name TEXT PRIMARY KEY, data BLOB NOT NULL)",
)
_SHARED_FROM_BYTES = 2048


class PackStore:
    """Cassettes in one file."""

    def __init__(self, path: Path, redactor: Redactor | None = None) -> None:
        self.path = path
        self.place = str(path)
        self.redactor = redactor or Redactor()
        self._connection: sqlite3.Connection | None = None
        self._has_sums = False
        self._loss: str | None = None
        """What a search for lost rows found; `None` before it, and empty where none is lost."""

    def read(self, name: str) -> Cassette | None:
        """Return the cassette called `name`, or `None` if there is none.

        Raises:
            CassetteCorruptError: If it is there but cannot be read back.
        """
        data = self._get("tapes", name)
        if data is None:
            self._check_loss()
            return None
        where = f"{self.place}: {name}"

        def complete(text: bytes) -> bytes:
            return self._with_parts(text, where) if MARK in text else text

        text = inflated(data, "tapes", name, where)
        cassette = parse_cassette(text, where, self.body, complete)
        cassette.is_sealed = is_sealed(data)
        return cassette

    def body(self, name: str) -> bytes:
        """Return the content of a body that is kept apart from its cassette.

        Raises:
            CassetteCorruptError: If it is missing or not what its name says.
        """
        where = f"{self.place}: body {name}"
        data = self._get("bodies", name)
        if data is None:
            raise CassetteCorruptError(f"{where}: missing, though a cassette refers to it")
        content = inflated(data, "bodies", name, where)
        if sha256(content).hexdigest() != name.partition(".")[0]:
            raise CassetteCorruptError(f"{where}: its content is not what its name says")
        return content

    def write(
        self, name: str, interactions: Iterable[RecordedInteraction], metadata: CassetteMetadata
    ) -> None:
        """Replace the cassette called `name`.

        Raises:
            SecretInCassetteError: If a known secret is in it; nothing is written then.
            CassetteWriteError: If the file cannot be written.
        """
        self.write_many([(name, list(interactions), metadata)])

    def write_many(
        self, cassettes: Iterable[tuple[str, list[RecordedInteraction], CassetteMetadata]]
    ) -> None:
        """Replace many cassettes in one transaction.

        Raises:
            SecretInCassetteError: If a known secret is in one of them; nothing is written then.
            CassetteWriteError: If the file cannot be written.
        """
        with self.writing() as connection:
            for name, records, metadata in cassettes:
                GrowingRow(self, name, records, metadata).write(connection)

    def growing(
        self, name: str, interactions: Iterable[RecordedInteraction], metadata: CassetteMetadata
    ) -> GrowingRow:
        """Return what replaces the cassette called `name`, with `interactions` to begin with."""
        return GrowingRow(self, name, interactions, metadata)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Keep what the block writes, or nothing of it.

        Raises:
            CassetteWriteError: If the file cannot be written.
        """
        try:
            with self._open(for_writing=True) as connection:
                yield connection
        except sqlite3.Error as exc:
            raise CassetteWriteError(f"{self.place}: cannot be written: {exc}") from exc

    def require_writable(self) -> None:
        """Find out whether cassettes can be written, and leave everything as it is.

        Raises:
            CassetteWriteError: If not.
        """
        try:
            connection = self._open(for_writing=False)
            connection.execute("BEGIN IMMEDIATE")
            connection.rollback()
        except sqlite3.Error as exc:
            raise CassetteWriteError(f"{self.place}: cannot be written: {exc}") from exc

    def create(self) -> None:
        """Make the file, so that it is there even if nothing is written to it.

        Raises:
            CassetteWriteError: If it cannot be written.
        """
        self.write_many([])

    def remove(self, name: str) -> None:
        """Remove the cassette called `name`, if there is one."""
        with self._open(for_writing=True) as connection:
            drop_row(connection, "tapes", name)

    def names(self) -> Iterator[str]:
        """Return the names of all cassettes, sorted."""
        for (name,) in self._rows("SELECT name FROM tapes ORDER BY name"):
            yield str(name)

    def body_names(self) -> list[str]:
        """Return the names of the bodies that are kept apart, sorted."""
        return [str(name) for (name,) in self._rows("SELECT name FROM bodies ORDER BY name")]

    def remove_body(self, name: str) -> None:
        """Remove a body that no cassette refers to any more."""
        with self._open(for_writing=True) as connection:
            drop_row(connection, "bodies", name)

    def seal(self, name: str) -> bool:
        """Give the cassette called `name` a new checksum; return whether it needed one.

        Raises:
            CassetteCorruptError: If it is damaged: nobody changes a row by hand.
        """
        cassette = self.read(name)
        if cassette is None or cassette.is_sealed:
            return False
        self.write(name, cassette.records(), cassette.metadata)
        return True

    def damage(self) -> Iterator[str]:
        """Return what is wrong with the file as a whole."""
        if self._loss is None:
            self._loss = self._find_loss()
        if self._loss:
            yield self._loss

    def neighbours(self, name: str, limit: int) -> list[str]:
        """Return at most `limit` names beside `name`, in the order of the alphabet."""
        parent = f"{name.rpartition('/')[0]}/"
        half = max(1, limit // 2)
        after = "SELECT name FROM tapes WHERE name > ? AND name < ? ORDER BY name LIMIT ?"
        before = "SELECT name FROM tapes WHERE name < ? AND name >= ? ORDER BY name DESC LIMIT ?"
        found = [*self._rows(after, (name, f"{parent}\uffff", half))]
        found += self._rows(before, (name, parent, half))
        return [str(row[0]) for row in found]

    def digest(self) -> str:
        """Return the SHA-256 over the names and contents of all rows."""
        total = sha256()
        self._opened_or_none()
        try:
            for table in TABLES:
                for name, data in self._rows(f"SELECT name, data FROM {table} ORDER BY name"):  # noqa: S608  # three fixed names
                    total.update(f"{table} {name}\0".encode() + sha256(bytes(data)).digest())
        except (CassetteCorruptError, TypeError, UnicodeEncodeError):
            return sha256(self.path.read_bytes()).hexdigest()  # damaged: each reading says so
        return total.hexdigest()

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def with_shared_body(
        self, connection: sqlite3.Connection, record: RecordedInteraction
    ) -> RecordedInteraction:
        """Return `record` with a large body moved into a row of its own, which equal bodies share."""
        body = record.response.body
        content = body_bytes(body, self.body) if body.file is None else b""
        if len(content) < _SHARED_FROM_BYTES:
            return record
        name = f"{sha256(content).hexdigest()}.{'bin' if body.base64 is not None else 'txt'}"
        self.redactor.check_bytes(content, f"{self.place}: body {name}")
        put_row(connection, "bodies", name, content, is_once=self._is_sound(name))
        response = record.response.model_copy(update={"body": Body(file=name)})
        return record.model_copy(update={"response": response})

    def _is_sound(self, body: str) -> bool:
        """Return whether a body that is there already can be read back."""
        try:
            return bool(self.body(body))
        except CassetteCorruptError:
            return False

    def _with_parts(self, text: bytes, where: str) -> bytes:
        def put_back(value: object, depth: int = 0) -> object:
            if depth > 2 or not isinstance(value, dict | list):
                return value
            if isinstance(value, list):
                return [put_back(item, depth + 1) for item in value]
            if set(value) == {PART}:
                return json.loads(self._part(str(value[PART]), where))
            return {name: put_back(item, depth + 1) for name, item in value.items()}

        try:
            file = json.loads(text)
            for interaction in file["interactions"]:
                body = interaction["request"]["body"]
                if body and "json" in body:
                    body["json"] = put_back(body["json"])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as exc:
            raise CassetteCorruptError(f"{where}: cannot be read back: {exc}") from exc
        return json.dumps(file, ensure_ascii=False).encode("utf-8", "surrogatepass")

    def _part(self, name: str, where: str) -> bytes:
        data = self._get("parts", name)
        if data is None:
            raise CassetteCorruptError(f"{where}: a part of a request is missing")
        content = inflated(data, "parts", name, where)
        if part_name(content) != name:
            raise CassetteCorruptError(f"{where}: a part of a request is not what its name says")
        return content

    def _check_loss(self) -> None:
        """Tell a cassette that was lost from one that was never there; the file is searched once.

        Raises:
            CassetteCorruptError: If rows are lost.
        """
        for words in self.damage():
            raise CassetteCorruptError(f"{self.place}: {words}")

    def _find_loss(self) -> str:
        try:
            connection = self._opened_or_none()
            if connection is None or not self._has_sums:
                return ""
            found = next(self._rows("PRAGMA integrity_check(1)"), ("ok",))[0]
            if found != "ok":
                return f"rows are lost: {' '.join(str(found).split())[:200]}"
            if written_sums(connection) != true_sums(connection):
                return "rows are lost, or have other names than were written"
        except (sqlite3.Error, UnicodeDecodeError) as exc:
            return f"rows are lost: {exc}"
        except CassetteCorruptError as exc:
            return str(exc).removeprefix(f"{self.place}: ")
        return ""

    def _get(self, table: str, name: str) -> bytes | None:
        row = next(self._rows(f"SELECT data FROM {table} WHERE name = ?", (name,)), None)  # noqa: S608  # three fixed names
        if row is not None and not isinstance(row[0], bytes):
            raise CassetteCorruptError(f"{self.place}: {name}: holds no compressed data")
        return None if row is None else row[0]

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> Iterator[tuple[Any, ...]]:
        try:
            connection = self._opened_or_none()
            if connection is not None:
                yield from connection.execute(query, values)
        except (sqlite3.Error, UnicodeDecodeError) as exc:
            raise CassetteCorruptError(f"{self.place}: {exc}") from exc

    def _opened_or_none(self) -> sqlite3.Connection | None:
        """Return the open file; `None` if there is none.

        Raises:
            CassetteCorruptError: If it is no packed cassette.
        """
        if self._connection is None and not self.path.exists():
            return None
        try:
            return self._open(for_writing=False)
        except (sqlite3.Error, UnicodeDecodeError) as exc:
            raise CassetteCorruptError(f"{self.place}: {exc}") from exc

    def _open(self, *, for_writing: bool) -> sqlite3.Connection:
        if self._connection is None:
            is_new = not self.path.exists()
            if is_new and for_writing:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path)
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
            if is_new:
                for statement in _SCHEMA:
                    connection.execute(statement)
            self._has_sums = self._check_schema(connection)
            self._connection = connection
        if for_writing and not self._has_sums:
            begin_sums(self._connection)
            self._has_sums = True
        return self._connection

    def _check_schema(self, connection: sqlite3.Connection) -> bool:
        """Refuse a file that brings views, triggers or tables of its own; return whether it has sums."""
        found = connection.execute(
            "SELECT sql FROM sqlite_schema WHERE type != 'index' OR sql IS NOT NULL"
        )
        tables = sorted(str(sql) for (sql,) in found)
        if tables not in (sorted(_SCHEMA), sorted((*_SCHEMA, SUMS))):
            raise CassetteCorruptError(f"{self.place}: is no packed cassette, or a damaged one")
        return SUMS in tables
