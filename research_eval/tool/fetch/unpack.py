"""Undo a response's content coding under a cap, so that a small body cannot become a huge one."""

import zlib

__all__ = ["SUPPORTED_CODINGS", "UnpackError", "Unpacker"]

SUPPORTED_CODINGS = "gzip, deflate"
"""What the tool asks for, and all that it undoes."""

_STEP = 65_536
_GZIP = b"\x1f\x8b"
_WITH_HEADER = 47
"""Tells zlib to expect the header of gzip or of zlib, whichever comes."""


class UnpackError(Exception):
    """The body's coding is unknown, stacked or broken."""


class Unpacker:
    """Takes the bytes of one body in pieces and keeps at most `limit` bytes of the result."""

    def __init__(self, coding: str, limit: int) -> None:
        self.body = bytearray()
        self.is_full = False
        self._limit = limit
        self._start: bytes | None = b"" if coding.strip().lower() == "deflate" else None
        """Of `deflate`: what came in before the first byte went out."""
        self._between = b""
        """What came in behind the end of a gzip member."""
        self._inflate: zlib._Decompress | None = None
        self._fault: UnpackError | None = None
        try:
            self._inflate = _inflater(coding)
        except UnpackError as exc:
            self._fault = exc

    def feed(self, chunk: bytes) -> None:
        """Add a piece of the body as it came over the wire; what follows a fault is not looked at."""
        if self._fault is not None:
            return
        if self._inflate is None:
            self._keep(chunk)
            return
        rest = chunk
        try:
            while rest:
                rest = self._undo(rest)
        except UnpackError as exc:
            self._fault = exc

    def check(self) -> None:
        """Complain of a body that could not be unpacked, once it was read: a recording needs all of it.

        Raises:
            UnpackError: If its coding is unknown, or not the one that the server named.
        """
        if self._fault is not None:
            raise self._fault

    def _undo(self, chunk: bytes) -> bytes:
        """Unpack a step of `chunk` and return what is left of it."""
        inflate = self._inflate
        if inflate is None or self.is_full:
            return b""
        if inflate.eof:
            return self._next_member(chunk)
        try:
            piece = inflate.decompress(chunk, min(_STEP, self._limit - len(self.body) + 1))
        except zlib.error as exc:
            return self._undo_bare(chunk, exc)
        if self._start is not None:
            self._start = None if piece else self._start + chunk
        self._keep(piece)
        rest = inflate.unconsumed_tail or inflate.unused_data
        return rest if piece or rest != chunk else b""

    def _next_member(self, chunk: bytes) -> bytes:
        """Go on with the next part of a gzip file of several parts; anything else is left unread."""
        self._between = (self._between + chunk)[: 2 + len(chunk)]
        if len(self._between) < len(_GZIP) or not self._between.startswith(_GZIP):
            return b""
        rest, self._between = self._between, b""
        self._inflate = zlib.decompressobj(_WITH_HEADER)
        return rest

    def _undo_bare(self, chunk: bytes, exc: zlib.error) -> bytes:
        """Read `deflate` without its header, as some servers send it; only at the very start."""
        if self._start is None:
            raise UnpackError("the body is not of the coding that the server named") from exc
        whole, self._start = self._start + chunk, None
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        return whole

    def _keep(self, piece: bytes) -> None:
        room = self._limit - len(self.body)
        self.body += piece[:room]
        self.is_full = self.is_full or len(piece) > room


def _inflater(coding: str) -> "zlib._Decompress | None":
    name = coding.strip().lower()
    if name in {"", "identity"}:
        return None
    if name in {"gzip", "x-gzip", "deflate"}:
        return zlib.decompressobj(_WITH_HEADER)
    raise UnpackError(f"the body is coded as {coding[:40]!r}, which was not asked for")
