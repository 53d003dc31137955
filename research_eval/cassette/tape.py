"""Tapes: the text of one cassette file in, its interactions ready for look-up out, and back."""

import json
import math
import re
from collections.abc import Callable, Iterable

from pydantic import ValidationError

from research_eval.cassette.body import body_bytes
from research_eval.cassette.growth import grown_request, whole_request
from research_eval.cassette.interaction import TapedInteraction, TapeFile, TapeMetadata
from research_eval.cassette.key import PROFILE
from research_eval.cassette.wire import can_reencode, encoded_chunks
from research_eval.errors import CassetteCorruptError

__all__ = ["MAX_BYTES", "Interaction", "Tape", "chunk_plan", "dump_tape", "parse_tape"]

MAX_BYTES = 64 * 1024 * 1024
"""Largest cassette file that is read."""

_INVISIBLE = re.compile("[\x7f\x80-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


class Interaction:
    """A recorded exchange with its body unpacked when it is first played."""

    __slots__ = ("_pieces", "_read_file", "headers", "record")

    def __init__(self, record: TapedInteraction, read_file: Callable[[str], bytes]) -> None:
        self.record = record
        self.headers = [
            (name, value) for name, values in record.response.headers.items() for value in values
        ]
        if record.tape.content_encoding and can_reencode(record.tape.content_encoding):
            self.headers.append(("content-encoding", record.tape.content_encoding))
        self._read_file = read_file
        self._pieces: list[tuple[bytes, float]] | None = None

    @property
    def content(self) -> bytes:
        """The response body, as people read it.

        Raises:
            CassetteCorruptError: If it cannot be read back.
        """
        return body_bytes(self.record.response.body, self._read_file)

    @property
    def request_content(self) -> bytes:
        """The request body, where it is written out whole."""
        return body_bytes(self.record.request.body, self._read_file)

    def pieces(self) -> list[tuple[bytes, float]]:
        """Return the body as it went over the wire: pieces and the seconds since the headers.

        Raises:
            CassetteCorruptError: If it cannot be read back.
        """
        if self._pieces is None:
            content, slot = self.content, self.record.tape
            plan = chunk_plan(slot.chunks, len(content))
            chunks, start = [], 0
            for size, _ in plan:
                chunks.append(content[start : start + size])
                start += size
            if slot.content_encoding is not None:
                chunks = encoded_chunks(
                    slot.content_encoding, chunks, is_complete=slot.end == "complete"
                )
            offsets = [offset for _, offset in plan] or [0.0] * len(chunks)
            self._pieces = list(zip(chunks, offsets, strict=True))
        return self._pieces


def chunk_plan(text: str | None, size: int) -> list[tuple[int, float]]:
    """Return the pieces of a body as pairs of size and seconds since the headers.

    Raises:
        CassetteCorruptError: If they do not add up to the body.
    """
    if text is None:
        return [(size, 0.0)] if size else []
    try:
        pairs = [chunk.split("@") for chunk in text.split(" ")]
        plan = [(int(length), float(offset)) for length, offset in pairs]
    except ValueError as exc:
        raise CassetteCorruptError(
            f"chunks {text[:60]!r} are not written as bytes@seconds"
        ) from exc
    if sum(length for length, _ in plan) != size or not all(
        length >= 0 and 0.0 <= offset < math.inf for length, offset in plan
    ):
        raise CassetteCorruptError(f"chunks {text[:60]!r} do not add up to a body of {size} bytes")
    return plan


class Tape:
    """The interactions of one file, found by lane and key in constant time."""

    def __init__(
        self,
        interactions: Iterable[Interaction] = (),
        metadata: TapeMetadata | None = None,
        *,
        size_bytes: int = 0,
    ) -> None:
        self.interactions = tuple(interactions)
        self.metadata = metadata or TapeMetadata(profile=PROFILE)
        self.size_bytes = size_bytes
        self._slots: dict[tuple[str, str], list[Interaction]] = {}
        for interaction in self.interactions:
            slot = interaction.record.tape
            self._slots.setdefault((slot.lane, slot.key), []).append(interaction)
        for found in self._slots.values():
            if len(found) > 1:
                found.sort(key=lambda interaction: interaction.record.tape.ordinal)

    def __len__(self) -> int:
        return len(self.interactions)

    def slots(self, lane: str, key: str) -> list[Interaction]:
        """Return what was recorded for equal requests of one lane, in order."""
        return self._slots.get((lane, key), [])

    def records(self) -> list[TapedInteraction]:
        """Return the interactions with their requests written out whole.

        Raises:
            CassetteCorruptError: If a request extends one that is not there.
        """
        whole: list[TapedInteraction] = []
        for interaction in self.interactions:
            record = interaction.record
            body = whole_request(record.request.body, [known.request.body for known in whole])
            if body is not record.request.body:
                record = record.model_copy(
                    update={"request": record.request.model_copy(update={"body": body})}
                )
            whole.append(record)
        return whole


def parse_tape(text: bytes, where: str, read_file: Callable[[str], bytes]) -> Tape:
    """Return the tape that `text` holds.

    Raises:
        CassetteCorruptError: If it is not a cassette, is too large, or follows unknown rules.
    """
    if len(text) > MAX_BYTES:
        raise CassetteCorruptError(f"{where}: larger than {MAX_BYTES} bytes")
    try:
        file = TapeFile.model_validate_json(text)
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise CassetteCorruptError(f"{where}: {place}: {first['msg']}") from exc
    if file.metadata.profile != PROFILE:
        raise CassetteCorruptError(
            f"{where}: made under request rules {file.metadata.profile}, this version knows {PROFILE}"
        )
    interactions = (Interaction(record, read_file) for record in file.interactions)
    return Tape(interactions, file.metadata, size_bytes=len(text))


def dump_tape(interactions: Iterable[TapedInteraction], metadata: TapeMetadata) -> str:
    """Return the text of a cassette file: sorted names, one value a line, readable characters.

    Args:
        interactions: With their requests written out whole.
        metadata: What the file says of itself.
    """
    records = list(interactions)
    grown = grown_request(
        [
            (f"{record.request.method} {record.request.uri}", record.request.body)
            for record in records
        ]
    )
    plain = []
    for record, body in zip(records, grown, strict=True):
        values = record.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        values["request"]["body"] = body and body.model_dump(
            mode="json", by_alias=True, exclude_defaults=True
        )
        values["request"].setdefault("headers", {})
        values["response"].setdefault("headers", {})
        values["response"].setdefault("body", {"string": ""})
        values["response"]["status"].setdefault("message", "")
        plain.append(_by_name(values))
    file = {
        "interactions": plain,
        "metadata": metadata.model_dump(mode="json", exclude_none=True),
        "version": 1,
    }
    text = json.dumps(file, ensure_ascii=False, indent=1)
    return _INVISIBLE.sub(lambda found: f"\\u{ord(found.group()):04x}", text) + "\n"


def _by_name(value: object) -> object:
    """Return `value` with names sorted, but for the JSON of a body, whose order is the sender's."""
    if not isinstance(value, dict):
        return value
    return {
        name: item if name == "json" else _by_name(item) for name, item in sorted(value.items())
    }
