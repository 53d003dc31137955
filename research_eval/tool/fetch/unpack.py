"""Undo a response's content coding under a cap, so that a small body cannot become a huge one."""

import zlib

__all__ = ["SUPPORTED_CODINGS", "UnpackError", "Unpacker"]

SUPPORTED_CODINGS = "gzip, deflate"
"""What the tool asks for, and all that it undoes."""

_STEP = 65_536
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
        self._is_deflate = coding.strip().lower() == "deflate"
        self._inflate = _inflater(coding)

    def feed(self, chunk: bytes) -> None:
        """Add a piece of the body as it came over the wire.

        Raises:
            UnpackError: If it is not of the coding that the server named.
        """
        if self._inflate is None:
            self._keep(chunk)
            return
        rest = chunk
        while rest:
            rest = self._undo(rest)

    def _undo(self, chunk: bytes) -> bytes:
        """Unpack a step of `chunk` and return what is left of it."""
        inflate = self._inflate
        if inflate is None or inflate.eof or self.is_full:
            return b""
        try:
            piece = inflate.decompress(chunk, min(_STEP, self._limit - len(self.body) + 1))
        except zlib.error as exc:
            return self._undo_bare(chunk, exc)
        self._is_deflate = False
        self._keep(piece)
        rest = inflate.unconsumed_tail or self._next_member(inflate.unused_data)
        return rest if piece or rest != chunk else b""

    def _next_member(self, rest: bytes) -> bytes:
        """Go on with the next part of a gzip file of several parts; anything else is left unread."""
        if not rest.startswith(b"\x1f\x8b"):
            return b""
        self._inflate = zlib.decompressobj(_WITH_HEADER)
        return rest

    def _undo_bare(self, chunk: bytes, exc: zlib.error) -> bytes:
        """Read `deflate` without its header, as some servers send it; only at the very start."""
        if not self._is_deflate or self.body:
            raise UnpackError("the body is not of the coding that the server named") from exc
        self._is_deflate = False
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        return chunk

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
