"""Playback: one exchange of a file in, what a transport needs to play it out."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from research_eval.cassette.body import body_bytes_of
from research_eval.cassette.interaction import End, RecordedFailure, RecordedInteraction
from research_eval.cassette.shape import Exchange, exchange_of
from research_eval.cassette.wire import can_reencode, encoded_chunks
from research_eval.errors import CassetteCorruptError

__all__ = ["Interaction", "chunk_plan"]


_KEPT_BYTES = 128 * 1024


class Interaction:
    """A recorded exchange, ready to be played.

    Its body is unpacked when it is asked for, and kept when it is asked for again: most are not.
    """

    __slots__ = (
        "_body",
        "_chunks",
        "_pieces",
        "_read_file",
        "_was_read",
        "_where",
        "content_encoding",
        "end",
        "ended_s",
        "error",
        "headers",
        "is_encoded",
        "key",
        "latency_s",
        "method",
        "ordinal",
        "read_timeout_s",
        "reason",
        "status",
        "task_id",
        "uri",
    )

    def __init__(
        self, exchange: Exchange, read_file: Callable[[str], bytes], where: str = ""
    ) -> None:
        """Take what playing needs.

        Args:
            exchange: As it stands in a file.
            read_file: Gives the content of a body that has a file of its own.
            where: The file, for messages.
        """
        request, response, slot = exchange.request, exchange.response, exchange.recording
        self.method = request.method
        self.uri = request.uri
        self.status = response.status.code
        self.reason = response.status.message
        self.headers = [
            (name, value) for name, several in response.headers.items() for value in several
        ]
        self.key = slot.key
        self.task_id = slot.task_id
        self.ordinal = slot.ordinal
        self.latency_s = slot.latency_s
        self.ended_s = slot.ended_s
        self.read_timeout_s = slot.read_timeout_s
        self.end: End = slot.end
        failed = slot.error
        self.error: RecordedFailure | None = None
        if failed is not None:
            self.error = RecordedFailure(
                type=failed.type, message=failed.message, in_body=failed.in_body
            )
        self.content_encoding = slot.content_encoding
        if self.content_encoding is not None and can_reencode(self.content_encoding):
            self.headers.append(("content-encoding", self.content_encoding))
        self.is_encoded = any(name == "content-encoding" for name, _ in self.headers)
        self._chunks = slot.chunks
        self._body: Mapping[str, Any] = response.body
        self._read_file = read_file
        self._where = where
        self._pieces: list[tuple[bytes, float]] | None = None
        self._was_read = False

    @classmethod
    def of(cls, record: RecordedInteraction, read_file: Callable[[str], bytes]) -> "Interaction":
        """Return a record, ready to be played."""
        values = record.model_dump(mode="json", by_alias=True, exclude_none=True)
        return cls(exchange_of(values), read_file)

    @property
    def content(self) -> bytes:
        """The response body, as people read it.

        Raises:
            CassetteCorruptError: If it cannot be read back.
        """
        return body_bytes_of(self._body, self._read_file, self._where)

    @property
    def took_s(self) -> float:
        """Seconds from the request to the last piece of the answer, when this was recorded."""
        try:
            return self.latency_s + float((self._chunks or "@0").rpartition("@")[2])
        except ValueError:  # damaged: said where the pieces are read
            return self.latency_s

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
        pieces = self._pieces
        if pieces is None:
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
            pieces = list(zip(chunks, offsets, strict=True))
            if self._was_read and len(content) <= _KEPT_BYTES:
                self._pieces = pieces
            self._was_read = True
        return pieces


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
