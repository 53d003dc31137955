"""Response redaction: a live answer in, the same without secrets out, before anybody sees it.

A server may say a key back: in an error, an echo of the request, a page.
What the agent sees is in its journal and its next request, so what is taken out of the recording is
taken out here too, and a replay shows the agent exactly what the recording showed it. For that, a
body is read to its end first, a stream of events too: where it is cut in transit decides nothing.
"""

from collections.abc import AsyncIterator, Callable, Sequence

from research_eval.cassette.redact import Channel, Redactor
from research_eval.cassette.stream import Source
from research_eval.cassette.wire import can_reencode, decoded_chunks, encoded_chunks

__all__ = ["IsEnough", "without_secrets"]

Headers = list[tuple[str, str]]

IsEnough = Callable[[bytes | bytearray], bool]
"""Says whether a reader with a cap would read no further than to the end of this."""

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


def _value(headers: Headers, name: str) -> str:
    return ", ".join(value for key, value in headers if key.lower() == name).strip().lower()
