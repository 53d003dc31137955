"""Recording: the pieces of a live exchange in, as they arrive, one interaction for the cassette out."""

from collections.abc import Callable, Iterable

from research_eval.cassette.body import readable_body
from research_eval.cassette.interaction import (
    Body,
    End,
    RecordedFailure,
    RecordedInteraction,
    RecordedRequest,
    RecordedResponse,
    RecordedStatus,
    Slot,
)
from research_eval.cassette.key import CanonicalRequest
from research_eval.cassette.redact import Channel, Redactor
from research_eval.cassette.wire import decoded_chunks
from research_eval.clock import Clock

__all__ = ["NO_RESPONSE", "Recording"]

NO_RESPONSE = 599
"""Status that stands for a failure before any response, for readers that know only responses."""


class Recording:
    """One exchange that is being recorded; whichever way it ends first is how it ended."""

    def __init__(
        self,
        canonical: CanonicalRequest,
        *,
        task_id: str,
        ordinal: int,
        request_headers: Iterable[tuple[str, str]],
        read_timeout_s: float | None,
        stopwatch: Clock,
        redactor: Redactor,
        channel: Channel,
        recorded_at: str | None,
        save: Callable[[RecordedInteraction | None], None],
    ) -> None:
        self._canonical = canonical
        self._request = RecordedRequest(
            body=_request_body(canonical),
            headers=redactor.request_headers(request_headers),
            method=canonical.method,
            uri=canonical.uri,
        )
        self._slot = Slot(
            key=canonical.key,
            task_id=task_id,
            ordinal=ordinal,
            read_timeout_s=read_timeout_s,
            recorded_at=recorded_at,
        )
        self._stopwatch = stopwatch
        self._redactor = redactor
        self._channel = channel
        self._save = save
        self._status: RecordedStatus | None = None
        self._headers: dict[str, tuple[str, ...]] = {}
        self._content_type = ""
        self._offsets: list[float] = []
        self._parts: list[bytes] = []
        self._began = stopwatch.now()
        self.latency_s = 0.0
        self.is_open = True

    def respond(self, status: int, reason: str, headers: Iterable[tuple[str, str]]) -> None:
        """Take the response's first part."""
        self.latency_s = self._elapsed()
        self._status = RecordedStatus(code=status, message=reason)
        self._headers = self._redactor.response_headers(headers)
        self._content_type = "; ".join(self._headers.get("content-type", ()))

    def add(self, chunk: bytes) -> float:
        """Take one piece of the body; return the seconds since the piece before."""
        gap_s = self.pause_s()
        self._parts.append(chunk)
        self._offsets.append(round((self._offsets[-1] if self._offsets else 0.0) + gap_s, 4))
        return gap_s

    def pause_s(self) -> float:
        """Return the seconds since the last piece."""
        offset = round(max(0.0, self._elapsed() - self.latency_s), 4)
        return offset - (self._offsets[-1] if self._offsets else 0.0)

    def finish(self, end: End, error: RecordedFailure | None = None) -> None:
        """Save the exchange as it is, unless nothing came of it; a second call does nothing."""
        if not self.is_open:
            return
        self.is_open = False
        if end == "early_close" and self._status is None:
            self._save(None)
            return
        if self._status is None:
            self.latency_s = self._elapsed()
        try:
            interaction = self._interaction(end, error)
        except BaseException:
            self._save(None)
            raise
        self._save(interaction)

    def fail(self, failure: RecordedFailure | None) -> None:
        """Save that the exchange broke; without a failure of the transport, let go of the slot."""
        if failure is not None:
            self.finish("error", failure)
        elif self.is_open:
            self.is_open = False
            self._save(None)

    def _elapsed(self) -> float:
        return round(max(0.0, self._stopwatch.now() - self._began), 4)

    def _interaction(self, end: End, error: RecordedFailure | None) -> RecordedInteraction:
        encoding, chunks = self._readable(end)
        content = b"".join(chunks)
        if end == "early_close" and (self._was_enough(content) or self._is_all()):
            end = "complete"
        clean = self._redactor.content(content, self._content_type, self._channel)
        self._redactor.check_bytes(clean, self._canonical.uri)
        sizes = [len(chunk) for chunk in chunks] if clean is content else self._edited_sizes(clean)
        if (
            clean is not content
            or encoding is not None
            or (end == "complete" and self._is_redirect())
        ):
            self._headers.pop("content-length", None)
        if error is not None:
            update = {
                "message": self._redactor.uri(error.message),
                "in_body": self._status is not None,
            }
            error = error.model_copy(update=update)
        update = {
            "latency_s": self.latency_s,
            "chunks": _chunk_text(sizes, self._offsets),
            "end": end,
            "ended_s": self._ended_s(end),
            "error": error,
            "content_encoding": encoding,
        }
        response = RecordedResponse(
            body=readable_body(clean),
            headers=self._headers,
            status=self._status or RecordedStatus(code=NO_RESPONSE, message="no response"),
        )
        return RecordedInteraction(
            request=self._request, response=response, recording=self._slot.model_copy(update=update)
        )

    def _ended_s(self, end: End) -> float | None:
        is_in_body = end in {"error", "cancelled"} and self._status is not None
        return round(max(0.0, self._elapsed() - self.latency_s), 4) if is_in_body else None

    def _was_enough(self, content: bytes) -> bool:
        """Say whether a reader that closed early had all that matters: the last event, or a redirect."""
        return content.rstrip().endswith(b"data: [DONE]") or (not content and self._is_redirect())

    def _is_all(self) -> bool:
        """Say whether everything had come that was announced, though its end was not waited for."""
        announced = "".join(self._headers.get("content-length", ()))
        return announced == str(sum(map(len, self._parts)))

    def _is_redirect(self) -> bool:
        return self._status is not None and 300 <= self._status.code < 400

    def _edited_sizes(self, content: bytes) -> list[int]:
        """Return sizes of pieces for a body that was edited: one for each event of a stream."""
        if "event-stream" not in self._content_type:
            return [len(content)]
        events = content.split(b"\n\n")
        sizes = [len(event) + 2 for event in events[:-1]]
        return [*sizes, len(events[-1])] if events[-1] else sizes

    def _readable(self, end: End) -> tuple[str | None, list[bytes]]:
        """Return the encoding that was taken off, and the pieces without it."""
        encoding = ", ".join(self._headers.get("content-encoding", ()))
        if encoding and encoding != "identity":
            decoded = decoded_chunks(encoding, self._parts, is_complete=end == "complete")
            if decoded is not None:
                self._headers.pop("content-encoding")
                return encoding.strip().lower(), decoded
        return None, self._parts


def _chunk_text(sizes: list[int], offsets: list[float]) -> str | None:
    """Return pieces and their times as text; `None` for a body that came in one piece with its headers."""
    if not sizes or (len(sizes) == 1 and not any(offsets[:1])):
        return None
    late = offsets[-1] if offsets else 0.0
    times = [*offsets, *[late] * len(sizes)]
    return " ".join(f"{size}@{offset:g}" for size, offset in zip(sizes, times, strict=False))


def _request_body(canonical: CanonicalRequest) -> Body | None:
    if canonical.value is not None:
        return Body(data=canonical.value)
    if not canonical.content:
        return None
    content = canonical.content
    return readable_body(
        content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    )
