"""Inbound: a live answer in, the same without secrets out, before anybody sees it.

A server may say a key back: in an error, an echo of the request, a page.
What the agent sees is in its journal and its next request, so what is taken out of the recording is
taken out here too, and a replay shows the agent exactly what the recording showed it.
"""

from collections.abc import AsyncIterator, Callable, Sequence

from research_eval.cassette.piece import split_events
from research_eval.cassette.redact import Channel, Redactor
from research_eval.cassette.stream import Source
from research_eval.cassette.wire import can_reencode, decoded_chunks, encoded_chunks

__all__ = ["IsEnough", "without_secrets"]

Headers = list[tuple[str, str]]

IsEnough = Callable[[bytes | bytearray], bool]
"""Says whether a reader with a cap would read no further than to the end of this."""

_MAX_EVENT_BYTES = 1024 * 1024
_READ_AHEAD_BYTES = 16 * 1024 * 1024


class _Answer:
    """A body that was read ahead, as far as it came."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._rest: AsyncIterator[bytes] | None = None
        self._error: Exception | None = None
        self.chunks: Sequence[bytes] = ()

    async def read(self, is_enough: IsEnough | None) -> None:
        """Read to the end, to a failure, which is kept for the reader, or as far as the reader would."""
        chunks: list[bytes] = []
        body = bytearray()
        pieces = self._source.__aiter__()
        try:
            async for piece in pieces:
                chunks.append(piece)
                body += piece
                if len(body) > _READ_AHEAD_BYTES or (is_enough is not None and is_enough(body)):
                    self._rest = pieces
                    break
        except Exception as exc:  # noqa: BLE001  # raised again where the body is read
            self._error = exc
        self.chunks = chunks

    @property
    def is_longer(self) -> bool:
        """Whether more may come than was read."""
        return self._rest is not None

    @property
    def is_complete(self) -> bool:
        """Whether the body came to its end."""
        return self._rest is None and self._error is None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Return what was read, and what comes after it."""
        for chunk in self.chunks:
            yield chunk
        if self._error is not None:
            raise self._error
        if self._rest is not None:
            async for piece in self._rest:
                yield piece

    async def aclose(self) -> None:
        """Stop listening."""
        await self._source.aclose()


class _Sifted:
    """A stream of events that passes on as it arrives, without known secrets."""

    def __init__(self, source: Source, redactor: Redactor, channel: Channel) -> None:
        self._source = source
        self._redactor = redactor
        self._channel = channel
        self._events: list[str] = []
        self._rest = b""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Return whole events as they come, but those in which a secret may begin."""
        error = None
        try:
            async for chunk in self._source:
                if clean := self._taken(chunk):
                    yield clean
        except Exception as exc:  # noqa: BLE001  # raised again after what came before it
            error = exc
        if clean := self._taken(b"", is_last=True):
            yield clean
        if error is not None:
            raise error

    def _taken(self, chunk: bytes, *, is_last: bool = False) -> bytes:
        whole, self._rest = _whole_lines(self._rest + chunk, is_last=is_last)
        if not whole and not is_last:
            return b""
        self._events.append(whole.decode("utf-8", "surrogateescape"))
        events = split_events("".join(self._events))
        clean, self._events = self._redactor.settled(events, self._channel, is_last=is_last)
        return clean.encode("utf-8", "surrogateescape")

    async def aclose(self) -> None:
        await self._source.aclose()


async def without_secrets(
    headers: Headers,
    source: Source,
    redactor: Redactor,
    channel: Channel,
    is_enough: IsEnough | None = None,
) -> tuple[Headers, Source]:
    """Return the headers and the body of a live answer as the agent may see them.

    Args:
        headers: As they came.
        source: The body as it comes.
        redactor: Takes the secrets out.
        channel: Whose traffic it is.
        is_enough: Says of the beginning of a body whether its reader would read no further.
    """
    kind, encoding = _value(headers, "content-type"), _value(headers, "content-encoding")
    if not redactor.may_edit(kind):
        return headers, source
    headers = [(name, redactor.text(value)) for name, value in headers]
    if "event-stream" in kind and not encoding:
        return headers, _Sifted(source, redactor, channel)
    answer = _Answer(source)
    is_plain = encoding in {"", "identity"}
    await answer.read(is_enough if is_plain else None)
    chunks = answer.chunks
    if not is_plain:
        readable = decoded_chunks(encoding, list(chunks), is_complete=answer.is_complete)
        if readable is None or answer.is_longer:
            return headers, answer
        chunks = readable
    content = b"".join(chunks)
    clean = redactor.content(content, kind, channel)
    if clean != content:
        gone = (
            {"content-length"} if can_reencode(encoding) else {"content-length", "content-encoding"}
        )
        headers = [(name, value) for name, value in headers if name.lower() not in gone]
        answer.chunks = encoded_chunks(encoding, [clean], is_complete=answer.is_complete)
    return headers, answer


def _whole_lines(content: bytes, *, is_last: bool) -> tuple[bytes, bytes]:
    """Return whole events, or whole lines of JSON, and what is not yet one."""
    if is_last or len(content) > _MAX_EVENT_BYTES:
        return content, b""
    ends = [content.rfind(end) + len(end) for end in (b"\n\n", b"\r\n\r\n") if end in content]
    if content.startswith(b"{"):
        ends.append(content.rfind(b"\n") + 1)
    end = max(ends, default=0)
    return content[:end], content[end:]


def _value(headers: Headers, name: str) -> str:
    return ", ".join(value for key, value in headers if key.lower() == name).strip().lower()
