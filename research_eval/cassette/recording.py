"""Recording: the pieces of a live exchange in, as they arrive, one interaction for the tape out."""

from collections.abc import Callable, Iterable

from research_eval.cassette.body import readable_body
from research_eval.cassette.interaction import (
    Body,
    End,
    FailureOnTape,
    RequestOnTape,
    ResponseOnTape,
    Slot,
    StatusOnTape,
    TapedInteraction,
)
from research_eval.cassette.key import Asked
from research_eval.cassette.redact import Redactor
from research_eval.clock import Clock

__all__ = ["NO_RESPONSE", "Recording"]

NO_RESPONSE = 599
"""Status that stands for a failure before any response, for readers that know only responses."""


class Recording:
    """One exchange that is being recorded; whichever way it ends first is how it ended."""

    def __init__(
        self,
        asked: Asked,
        *,
        lane: str,
        ordinal: int,
        request_headers: Iterable[tuple[str, str]],
        read_timeout_s: float | None,
        clock: Clock,
        redactor: Redactor,
        recorded_at: str | None,
        save: Callable[[TapedInteraction | None], None],
    ) -> None:
        self._asked = asked
        self._request = RequestOnTape(
            body=_request_body(asked),
            headers=redactor.request_headers(request_headers),
            method=asked.method,
            uri=asked.uri,
        )
        self._slot = Slot(
            key=asked.key, lane=lane, ordinal=ordinal, read_timeout_s=read_timeout_s, recorded_at=recorded_at
        )
        self._clock = clock
        self._redactor = redactor
        self._save = save
        self._status: StatusOnTape | None = None
        self._headers: dict[str, tuple[str, ...]] = {}
        self._content_type = ""
        self._chunks: list[tuple[int, float]] = []
        self._parts: list[bytes] = []
        self._began = clock.now()
        self._latency_s = 0.0
        self.is_open = True

    def respond(self, status: int, reason: str, headers: Iterable[tuple[str, str]]) -> None:
        """Take the response's first part."""
        self._latency_s = self._elapsed()
        self._status = StatusOnTape(code=status, message=reason)
        self._headers = self._redactor.response_headers(headers)
        self._content_type = "; ".join(self._headers.get("content-type", ()))

    def add(self, chunk: bytes) -> None:
        """Take one piece of the body."""
        self._parts.append(chunk)
        self._chunks.append((len(chunk), round(self._elapsed() - self._latency_s, 6)))

    def finish(self, end: End, error: FailureOnTape | None = None) -> None:
        """Save the exchange as it is; a second call does nothing."""
        if not self.is_open:
            return
        self.is_open = False
        if self._status is None:
            self._latency_s = self._elapsed()
        self._save(self._interaction(end, error))

    def abandon(self) -> None:
        """Let go of the slot without saving anything."""
        if self.is_open:
            self.is_open = False
            self._save(None)

    def _elapsed(self) -> float:
        return round(max(0.0, self._clock.now() - self._began), 6)

    def _interaction(self, end: End, error: FailureOnTape | None) -> TapedInteraction:
        content = self._redactor.content(b"".join(self._parts), self._content_type)
        if error is not None:
            error = error.model_copy(
                update={"message": self._redactor.text(error.message), "in_body": self._status is not None}
            )
        if end == "early_close" and content.rstrip().endswith(b"data: [DONE]"):
            end = "complete"
        slot = self._slot.model_copy(
            update={"latency_s": self._latency_s, "chunks": self._chunk_text(), "end": end, "error": error}
        )
        response = ResponseOnTape(
            body=readable_body(content),
            headers=self._headers,
            status=self._status or StatusOnTape(code=NO_RESPONSE, message="no response"),
        )
        return TapedInteraction(request=self._request, response=response, tape=slot)

    def _chunk_text(self) -> str | None:
        return " ".join(f"{size}@{offset:g}" for size, offset in self._chunks) or None


def _request_body(asked: Asked) -> Body | None:
    if not asked.content:
        return None
    content = asked.content
    return readable_body(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
