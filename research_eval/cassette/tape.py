"""Tapes: the text of one cassette file in, its interactions ready for look-up out, and back."""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from pydantic import ValidationError

from research_eval.cassette.body import body_bytes
from research_eval.cassette.interaction import TapedInteraction, TapeFile, TapeMetadata
from research_eval.cassette.key import PROFILE
from research_eval.errors import CassetteCorruptError

__all__ = ["MAX_BYTES", "Interaction", "Tape", "dump_tape", "parse_tape"]

MAX_BYTES = 64 * 1024 * 1024
"""Largest cassette file that is read."""

_INVISIBLE = re.compile("[\x7f\x85\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")


class Interaction:
    """A recorded exchange with its body unpacked when it is first played."""

    __slots__ = ("_content", "_read_file", "headers", "record")

    def __init__(self, record: TapedInteraction, read_file: Callable[[str], bytes]) -> None:
        self.record = record
        self.headers = [(name, value) for name, values in record.response.headers.items() for value in values]
        self._read_file = read_file
        self._content: bytes | None = None

    @property
    def content(self) -> bytes:
        """The response body.

        Raises:
            CassetteCorruptError: If it cannot be read back.
        """
        if self._content is None:
            self._content = body_bytes(self.record.response.body, self._read_file)
        return self._content


class Tape:
    """The interactions of one file, found by lane and key in constant time."""

    def __init__(self, interactions: Iterable[Interaction] = (), metadata: TapeMetadata | None = None) -> None:
        self.interactions = tuple(interactions)
        self.metadata = metadata or TapeMetadata(profile=PROFILE)
        self._slots: dict[tuple[str, str], list[Interaction]] = {}
        for interaction in self.interactions:
            slot = interaction.record.tape
            self._slots.setdefault((slot.lane, slot.key), []).append(interaction)
        for found in self._slots.values():
            found.sort(key=lambda interaction: interaction.record.tape.ordinal)

    def __len__(self) -> int:
        return len(self.interactions)

    def slots(self, lane: str, key: str) -> list[Interaction]:
        """Return what was recorded for equal requests of one lane, in order."""
        return self._slots.get((lane, key), [])


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
        first = exc.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise CassetteCorruptError(f"{where}: {place}: {first['msg']}") from exc
    if file.metadata.profile != PROFILE:
        raise CassetteCorruptError(
            f"{where}: made under request rules {file.metadata.profile}, this version knows {PROFILE}"
        )
    return Tape((Interaction(record, read_file) for record in file.interactions), file.metadata)


def dump_tape(interactions: Iterable[TapedInteraction], metadata: TapeMetadata) -> str:
    """Return the text of a cassette file: sorted names, one value a line, readable characters."""
    file = {
        "interactions": [_plain(interaction) for interaction in interactions],
        "metadata": metadata.model_dump(mode="json", exclude_none=True),
        "version": 1,
    }
    text = json.dumps(file, ensure_ascii=False, indent=1)
    return _INVISIBLE.sub(lambda found: f"\\u{ord(found.group()):04x}", text) + "\n"


def _plain(interaction: TapedInteraction) -> dict[str, Any]:
    """Return the interaction as plain values, its own names sorted, the order inside bodies kept."""
    plain = interaction.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    for part in ("request", "response"):
        side = plain[part]
        body = getattr(interaction, part).body
        if body is not None:
            side["body"] = body.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        side.setdefault("headers", {})
    plain["request"].setdefault("body", None)
    plain["response"]["status"].setdefault("message", "")
    return {part: dict(sorted(value.items())) for part, value in sorted(plain.items())}
