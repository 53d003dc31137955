"""Compression on the wire: compressed pieces in, the readable pieces that they carry out, and back.

A recording keeps the readable form, so that people and scanners see what is in it.
In replay gzip and deflate are put on again, without really compressing, because every client can
take them off; other encodings are left off, together with their header.
"""

import zlib
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

__all__ = ["MAX_DECODED", "can_reencode", "decoded_chunks", "encoded_chunks"]

MAX_DECODED = 64 * 1024 * 1024
"""Most bytes that are kept decoded; beyond it, and where it looks like a bomb, the wire bytes are kept."""

_MAX_RATIO = 100
_HARMLESS = 1024 * 1024
_WINDOW = {"gzip": 31, "x-gzip": 31, "deflate": 15}
_COULD_NOT_DECODE = (zlib.error, ValueError, EOFError, OSError, ImportError, RuntimeError)


def decoded_chunks(
    encoding: str, chunks: Sequence[bytes], *, is_complete: bool
) -> list[bytes] | None:
    """Return what each compressed piece adds to the body, or `None` to keep the bytes as they are.

    Args:
        encoding: The response's `Content-Encoding`.
        chunks: The pieces as they arrived.
        is_complete: Whether nothing is missing at the end; a stream that claims so and is cut is kept as it is.
    """
    try:
        decode, is_finished = _decoder(encoding.strip().lower(), chunks[0][:2] if chunks else b"")
        pieces = [decode(chunk) for chunk in chunks]
    except _COULD_NOT_DECODE:
        return None
    except Exception as exc:  # brotli's and zstandard's errors derive from Exception alone
        if type(exc).__module__.partition(".")[0] in {
            "brotli",
            "_brotli",
            "brotlicffi",
            "zstd",
            "zstandard",
        }:
            return None
        raise
    size, wire = sum(map(len, pieces)), sum(map(len, chunks))
    if size > MAX_DECODED or (size > _HARMLESS and size > _MAX_RATIO * wire):
        return None
    return pieces if is_finished() or not is_complete else None


def encoded_chunks(
    encoding: str | None, chunks: Iterable[bytes], *, is_complete: bool
) -> list[bytes]:
    """Return the pieces of a body framed as `encoding` says; an unknown encoding changes nothing."""
    pieces = list(chunks)
    if encoding not in _WINDOW:
        return pieces
    compressor = zlib.compressobj(0, zlib.DEFLATED, _WINDOW[encoding])
    framed = [compressor.compress(piece) + compressor.flush(zlib.Z_SYNC_FLUSH) for piece in pieces]
    if is_complete:
        framed[-1:] = [b"".join([*framed[-1:], compressor.flush()])]
    return framed


def can_reencode(encoding: str | None) -> bool:
    """Return whether replay puts this encoding on again."""
    return encoding in _WINDOW


def _decoder(encoding: str, start: bytes) -> tuple[Callable[[bytes], bytes], Callable[[], bool]]:
    if encoding in _WINDOW:
        is_raw = (
            encoding == "deflate"
            and start[:1]
            and (start[0] & 0x0F != 8 or int.from_bytes(start) % 31)
        )
        return _inflate(-15 if is_raw else _WINDOW[encoding])
    if encoding == "br":
        brotli: Any = import_module("brotli").Decompressor()
        return brotli.process, brotli.is_finished
    if encoding == "zstd":
        zstd: Any = import_module("zstandard").ZstdDecompressor().decompressobj()
        return zstd.decompress, lambda: bool(zstd.eof)
    raise ValueError(encoding)


def _inflate(window: int) -> tuple[Callable[[bytes], bytes], Callable[[], bool]]:
    inflate = zlib.decompressobj(window)
    total = 0

    def decode(chunk: bytes) -> bytes:
        nonlocal total
        out = inflate.decompress(chunk, MAX_DECODED - total + 1)
        if inflate.unconsumed_tail:
            raise ValueError("larger than is kept")
        if inflate.unused_data:  # clients differ in whether they read a second member
            raise ValueError("bytes after the end")
        total += len(out)
        return out

    return decode, lambda: inflate.eof
