"""Playback: one interaction's values as they stand in a file in, what a transport needs to play it out.

This is read for every replayed request, so it checks and keeps only what playing needs.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from research_eval.cassette.body import body_bytes_of
from research_eval.cassette.failure import REPLAYABLE
from research_eval.cassette.interaction import End, FailureOnTape, TapedInteraction
from research_eval.cassette.wire import can_reencode, encoded_chunks
from research_eval.errors import CassetteCorruptError

__all__ = ["Interaction", "chunk_plan"]

_ENDS: Final[frozenset[str]] = frozenset({"complete", "early_close", "error", "cancelled"})


class Interaction:
    """A recorded exchange, ready to be played; its body is unpacked when it is first asked for."""

    __slots__ = (
        "_body",
        "_chunks",
        "_pieces",
        "_read_file",
        "_where",
        "content_encoding",
        "end",
        "ended_s",
        "error",
        "headers",
        "is_encoded",
        "key",
        "lane",
        "latency_s",
        "method",
        "ordinal",
        "read_timeout_s",
        "reason",
        "status",
        "uri",
    )

    def __init__(
        self, values: Mapping[str, Any], read_file: Callable[[str], bytes], where: str = ""
    ) -> None:
        """Take what playing needs.

        Args:
            values: As they stand in a file.
            read_file: Gives the content of a body that has a file of its own.
            where: The file, for messages.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: If the values are not an interaction's.
        """
        request, response, slot = values["request"], values["response"], values["tape"]
        self.method: str = _text(request["method"])
        self.uri: str = _text(request["uri"])
        self.status = _whole(response["status"]["code"], 100, 999)
        self.reason: str = _text(response["status"].get("message", ""))
        self.headers = [
            (name, _text(value))
            for name, several in response.get("headers", {}).items()
            for value in several
        ]
        self.key: str = _text(slot["key"])
        self.lane: str = _text(slot.get("lane", ""))
        self.ordinal = _whole(slot.get("ordinal", 0), 0, 1_000_000)
        self.latency_s = _seconds(slot.get("latency_s", 0.0))
        self.ended_s = None if slot.get("ended_s") is None else _seconds(slot["ended_s"])
        patience = slot.get("read_timeout_s")
        self.read_timeout_s = None if patience is None else _seconds(patience)
        self.end: End = _end(slot.get("end", "complete"))
        self.error = _failure(slot.get("error"))
        self.content_encoding: str | None = slot.get("content_encoding")
        if self.content_encoding is not None and can_reencode(self.content_encoding):
            self.headers.append(("content-encoding", self.content_encoding))
        self.is_encoded = any(name == "content-encoding" for name, _ in self.headers)
        self._chunks: str | None = slot.get("chunks")
        self._body: Mapping[str, Any] = response.get("body", {"string": ""})
        self._read_file = read_file
        self._where = where
        self._pieces: list[tuple[bytes, float]] | None = None

    @classmethod
    def of(cls, record: TapedInteraction, read_file: Callable[[str], bytes]) -> "Interaction":
        """Return a record, ready to be played."""
        return cls(record.model_dump(mode="json", by_alias=True, exclude_none=True), read_file)

    @property
    def content(self) -> bytes:
        """The response body, as people read it.

        Raises:
            CassetteCorruptError: If it cannot be read back.
        """
        return body_bytes_of(self._body, self._read_file, self._where)

    def header_bytes(self) -> list[tuple[bytes, bytes]]:
        """Return the headers in bytes: clients read UTF-8 there, and refuse to be given such text."""
        return [
            (name.encode("utf-8"), value.encode("utf-8", "surrogatepass"))
            for name, value in self.headers
        ]

    def pieces(self) -> list[tuple[bytes, float]]:
        """Return the body as it went over the wire: pieces and the seconds since the headers.

        Raises:
            CassetteCorruptError: If it cannot be read back.
        """
        if self._pieces is None:
            content = self.content
            plan = chunk_plan(self._chunks, len(content))
            chunks, start = [], 0
            for size, _ in plan:
                chunks.append(content[start : start + size])
                start += size
            if self.content_encoding is not None:
                is_complete = self.end == "complete"
                chunks = encoded_chunks(self.content_encoding, chunks, is_complete=is_complete)
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
    except (ValueError, AttributeError) as exc:
        raise CassetteCorruptError(
            f"chunks {str(text)[:60]!r} are not written as bytes@seconds"
        ) from exc
    if sum(length for length, _ in plan) != size or not all(
        length >= 0 and 0.0 <= offset < math.inf for length, offset in plan
    ):
        raise CassetteCorruptError(f"chunks {text[:60]!r} do not add up to a body of {size} bytes")
    return plan


def _text(value: object) -> str:
    if type(value) is not str:
        raise TypeError(f"expected text, found {type(value).__name__}")
    return value


def _whole(value: object, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"expected a whole number from {low} to {high}")
    return value


def _seconds(value: object) -> float:
    if type(value) not in {int, float} or not 0 <= value < math.inf:  # type: ignore[operator]  # a number
        raise ValueError("expected seconds, 0 or more")
    return float(value)  # type: ignore[arg-type]  # a number


def _end(value: End) -> End:
    if value not in _ENDS:
        raise ValueError(f"expected one of {', '.join(sorted(_ENDS))} as the end")
    return value


def _failure(value: Any) -> FailureOnTape | None:  # noqa: ANN401  # from a file
    if value is None:
        return None
    if value["type"] not in REPLAYABLE:
        raise ValueError("expected the name of a transport's exception")
    return FailureOnTape.model_validate(value)
