"""Growing rows: a cassette in a packed file, written again with every exchange at the cost of what is new."""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import AbstractContextManager
from hashlib import sha256
from typing import Protocol

from research_eval.cassette.delta import RequestDeltas
from research_eval.cassette.file import plain_of
from research_eval.cassette.interaction import CassetteMetadata, RecordedInteraction
from research_eval.cassette.key import spell
from research_eval.cassette.redact import Redactor
from research_eval.cassette.row import put_row

__all__ = ["MARK", "PART", "GrowingRow", "Pack", "part_name"]

PART = "\u0000part"
"""The name of the one field of what stands for a part of a request."""

MARK = b'"\\u0000part"'
"""How `PART` is spelled in a row."""

_PART_FROM_CHARS = 200


class Pack(Protocol):
    """What a row is written to."""

    place: str
    redactor: Redactor

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """Keep what the block writes, or nothing of it."""
        ...

    def with_shared_body(
        self, connection: sqlite3.Connection, record: RecordedInteraction
    ) -> RecordedInteraction:
        """Return `record` with a large body moved into a row of its own."""
        ...


class GrowingRow:
    """One cassette of a pack while it grows."""

    def __init__(
        self,
        pack: Pack,
        name: str,
        interactions: Iterable[RecordedInteraction],
        metadata: CassetteMetadata,
    ) -> None:
        """Begin a row.

        Args:
            pack: What it is a row of.
            name: Of the cassette.
            interactions: What it begins with.
            metadata: What it says of itself.

        Raises:
            SecretInCassetteError: If a known secret is in `metadata`.
        """
        self._pack = pack
        self._name = name
        self._where = f"{pack.place}: {name}"
        self._new = list(interactions)
        self._done: list[RecordedInteraction] = []
        self._deltas = RequestDeltas()
        self._texts: list[str] = []
        self._takes_parts = True
        said = _compact(metadata.model_dump(mode="json", exclude_none=True))
        pack.redactor.check(said, self._where)
        self._end = f'"metadata":{said},"version":1}}'

    def add(self, interaction: RecordedInteraction) -> None:
        """Put an exchange behind the others and write the cassette."""
        self._new.append(interaction)
        self.save()

    def save(self) -> None:
        """Write the cassette."""
        with self._pack.writing() as connection:
            self.write(connection)

    def write(self, connection: sqlite3.Connection) -> None:
        """Write the cassette as a part of a transaction."""
        for record in self._new:
            self._take(connection, record)
        self._new = []
        text = f'{{"interactions":[{",".join(self._texts)}],{self._end}'
        put_row(
            connection, "tapes", self._name, text.encode("utf-8", "surrogatepass"), is_once=False
        )

    def _take(self, connection: sqlite3.Connection, record: RecordedInteraction) -> None:
        record = self._pack.with_shared_body(connection, record)
        self._done.append(record)
        value = plain_of(record, self._deltas)
        text = _compact(value)
        self._pack.redactor.check(text, self._where)
        if self._takes_parts and MARK.decode() in text:
            self._begin_again(connection)
            return
        body = value["request"]["body"]
        if self._takes_parts and body and isinstance(body.get("json"), dict):
            parts: dict[str, str] = {}
            body["json"] = _take_parts(body["json"], parts)
            for part, content in parts.items():
                put_row(connection, "parts", part, content.encode("utf-8"), is_once=True)
            text = _compact(value)
        self._texts.append(text)

    def _begin_again(self, connection: sqlite3.Connection) -> None:
        """Spell all without parts, since an exchange holds what stands for one."""
        records, self._done = self._done, []
        self._texts, self._deltas, self._takes_parts = [], RequestDeltas(), False
        for record in records:
            self._take(connection, record)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def part_name(content: bytes) -> str:
    """Return the name of a part of a request."""
    return sha256(content).hexdigest()[:32]


def _take_parts(value: dict[str, object], parts: dict[str, str]) -> dict[str, object]:
    """Return a request's JSON with its long fields and items replaced by their digests."""

    def taken(item: object) -> object:
        text = spell(item)
        if len(text) < _PART_FROM_CHARS:
            return item
        name = part_name(text.encode("utf-8", "surrogatepass"))
        parts[name] = text
        return {PART: name}

    return {
        name: [taken(item) for item in field] if isinstance(field, list) else taken(field)
        for name, field in value.items()
    }
