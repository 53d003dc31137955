"""Cassettes: the text of one cassette file in, its interactions ready for look-up out, and back."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pydantic import ValidationError

from research_eval.cassette.delta import RequestDeltas, whole_request
from research_eval.cassette.interaction import CassetteFile, CassetteMetadata, RecordedInteraction
from research_eval.cassette.key import PROFILE
from research_eval.cassette.playback import Interaction
from research_eval.cassette.seal import damage_in, seal_state, sealed
from research_eval.cassette.shape import read_exchanges
from research_eval.errors import CassetteCorruptError

__all__ = ["MAX_BYTES", "Cassette", "CassetteText", "dump_cassette", "parse_cassette", "plain_of"]

MAX_BYTES = 64 * 1024 * 1024
"""Largest cassette file that is read."""

_NO_FIT = (
    "does not fit its checksum: damaged, or changed by hand "
    "(after a change on purpose: research-eval cassette seal)"
)
_INVISIBLE = re.compile("[\x7f\x80-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
"""What is written as an escape: nobody sees it, or UTF-8 cannot hold it."""


class Cassette:
    """The interactions of one file, found by task id and key in constant time."""

    __slots__ = (
        "_complete",
        "_file",
        "_slots",
        "_text",
        "_where",
        "interactions",
        "is_sealed",
        "size_bytes",
    )

    def __init__(
        self,
        interactions: Sequence[Interaction],
        text: bytes,
        where: str,
        complete: Callable[[bytes], bytes] | None = None,
        *,
        is_sealed: bool = True,
    ) -> None:
        self.is_sealed = is_sealed
        self._complete = complete
        self.interactions = interactions
        self.size_bytes = len(text)
        self._text = text
        self._where = where
        self._file: CassetteFile | None = None
        self._slots: dict[tuple[str, str], list[Interaction]] = {}
        for interaction in interactions:
            self._slots.setdefault((interaction.task_id, interaction.key), []).append(interaction)
        for found in self._slots.values():
            if len(found) > 1:
                found.sort(key=lambda interaction: interaction.ordinal)

    def __len__(self) -> int:
        return len(self.interactions)

    def slots(self, task_id: str, key: str) -> list[Interaction]:
        """Return what was recorded for equal requests of one task, in order."""
        return self._slots.get((task_id, key), [])

    @property
    def metadata(self) -> CassetteMetadata:
        """What the file says of itself."""
        return self._whole_file().metadata

    def records(self) -> list[RecordedInteraction]:
        """Return the interactions as records, with their requests written out whole.

        Raises:
            CassetteCorruptError: If the file is not a cassette through and through.
        """
        whole: list[RecordedInteraction] = []
        for record in self._whole_file().interactions:
            body = whole_request(record.request.body, [known.request.body for known in whole])
            request = record.request
            if body is request.body:
                whole.append(record)
            else:
                written_out = {"request": request.model_copy(update={"body": body})}
                whole.append(record.model_copy(update=written_out))
        return whole

    def _whole_file(self) -> CassetteFile:
        if self._file is None:
            text = self._text if self._complete is None else self._complete(self._text)
            try:
                self._file = CassetteFile.model_validate_json(text)
            except ValidationError as exc:
                first = exc.errors(include_url=False, include_input=False, include_context=False)[0]
                place = ".".join(str(part) for part in first["loc"]) or "the file"
                raise CassetteCorruptError(f"{self._where}: {place}: {first['msg']}") from exc
        return self._file


def parse_cassette(
    text: bytes,
    where: str,
    read_file: Callable[[str], bytes],
    complete: Callable[[bytes], bytes] | None = None,
) -> Cassette:
    """Return the cassette that `text` holds.

    Args:
        text: The content of the file.
        where: How messages call it.
        read_file: Gives the content of a body that is kept apart.
        complete: Puts in what a store leaves out of requests, which playing does not need.

    Raises:
        CassetteCorruptError: If it is not a cassette, is too large, does not fit its checksum, or
            follows unknown rules.
    """
    if len(text) > MAX_BYTES:
        raise CassetteCorruptError(f"{where}: larger than {MAX_BYTES} bytes")
    state = seal_state(text)
    if state == "broken":
        raise CassetteCorruptError(f"{where}: {damage_in(text) or _NO_FIT}")
    try:
        profile, exchanges, names_checksum = read_exchanges(text)
        interactions = [Interaction(values, read_file, where) for values in exchanges]
    except (ValueError, RecursionError) as exc:
        what = damage_in(text) or f"not a cassette: {str(exc)[:200]}"
        raise CassetteCorruptError(f"{where}: {what}") from exc
    if state == "none" and names_checksum:
        raise CassetteCorruptError(f"{where}: {_NO_FIT}")
    if profile != PROFILE:
        raise CassetteCorruptError(
            f"{where}: made under request rules {profile!r}, this version knows {PROFILE}"
        )
    return Cassette(interactions, text, where, complete, is_sealed=state == "sound")


def dump_cassette(interactions: Iterable[RecordedInteraction], metadata: CassetteMetadata) -> str:
    """Return the text of a cassette file: its checksum, sorted names, one value a line, readable characters.

    Args:
        interactions: With their requests written out whole.
        metadata: What the file says of itself.
    """
    text = CassetteText(metadata)
    for interaction in interactions:
        text.add(interaction)
    return text.whole().decode("utf-8", "surrogatepass")


class CassetteText:
    """The text of a file that grows: what was spelled once is not spelled again."""

    def __init__(self, metadata: CassetteMetadata) -> None:
        """Begin an empty file that says `metadata` of itself."""
        self._deltas = RequestDeltas()
        self._parts: list[bytes] = []
        self._end = _spelled({
            "metadata": metadata.model_dump(mode="json", exclude_none=True),
            "version": 1,
        }).removeprefix(b"{")  # fmt: skip

    def add(self, interaction: RecordedInteraction) -> bytes:
        """Add an exchange with its request written out whole; return its text."""
        part = _spelled(plain_of(interaction, self._deltas)).replace(b"\n", b"\n  ")
        self._parts.append(b"  " + part)
        return part

    def whole(self) -> bytes:
        """Return the text of the file as it is now, with its checksum."""
        exchanges = b"[\n%s\n ]" % b",\n".join(self._parts) if self._parts else b"[]"
        return sealed(b'{\n "interactions": %s,%s\n' % (exchanges, self._end))


def plain_of(interaction: RecordedInteraction, deltas: RequestDeltas) -> dict[str, Any]:
    """Return an exchange as plain values for its place in a file."""
    values = interaction.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude={"request": {"body"}}
    )
    request = interaction.request
    body = deltas.added(f"{request.method} {request.uri}", request.body)
    values["request"]["body"] = body and body.model_dump(
        mode="json", by_alias=True, exclude_defaults=True
    )
    values["request"].setdefault("headers", {})
    values["response"].setdefault("headers", {})
    values["response"].setdefault("body", {"string": ""})
    values["response"]["status"].setdefault("message", "")
    return {part: _by_name(item) for part, item in values.items()}


def _spelled(value: object) -> bytes:
    """Return JSON with one value a line, and escapes for what no eye can see."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    text = _INVISIBLE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
    return text.encode("utf-8", "surrogatepass")


def _by_name(value: object) -> object:
    """Return `value` with names sorted, but for the JSON of a body, whose order is the sender's."""
    if not isinstance(value, dict):
        return value
    return {
        name: item if name == "json" else _by_name(item) for name, item in sorted(value.items())
    }
