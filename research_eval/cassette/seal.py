"""Seals: a checksum in front of a cassette file, and in words what is wrong with a file that it does not fit."""

import re
import zlib
from typing import Literal

__all__ = ["damage_in", "seal_state", "sealed", "unsealed"]

_BEGIN = b'{\n "checksum": "crc32:'
_END = b'",\n'
_HEAD_BYTES = len(_BEGIN) + 8 + len(_END)
_CHECKSUM = re.compile(rb'\A(\s*\{\s*?\n?)\s*"checksum"\s*:\s*"[^"\\]*"\s*,[ \t]*\r?\n?')
_DAMAGE = {
    re.compile(rb"\s*\Z"): "is empty",
    re.compile(rb"\0+\Z"): "holds zero bytes alone: the disk, or a copy, lost its content",
    re.compile(
        rb"version https://git-lfs"
    ): "is a pointer of Git LFS: get the file with `git lfs pull`",
    re.compile(rb"\xff\xfe|\xfe\xff"): "was saved as UTF-16; expected UTF-8",
}
_CONFLICT = re.compile(rb"^(?:<<<<<<<|>>>>>>>) ", re.MULTILINE)


def sealed(text: bytes) -> bytes:
    """Return the text of a file with the CRC-32 of what follows in its first line."""
    rest = unsealed(text).removeprefix(b"{\n")
    return b"%s%08x%s%s" % (_BEGIN, zlib.crc32(rest), _END, rest)


def unsealed(text: bytes) -> bytes:
    """Return the text of a file without its checksum, be that right or wrong, whatever the layout."""
    return _CHECKSUM.sub(rb"\1", text, count=1)


def seal_state(text: bytes) -> Literal["sound", "broken", "none"]:
    """Say whether the checksum of a file fits, if it has one; converted line endings do no harm."""
    if text.startswith(b"{\r\n"):
        text = text.replace(b"\r\n", b"\n")
    if not _has_seal(text):
        return "none"
    wanted = text[len(_BEGIN) : len(_BEGIN) + 8]
    return "sound" if b"%08x" % zlib.crc32(memoryview(text)[_HEAD_BYTES:]) == wanted else "broken"


def damage_in(text: bytes) -> str | None:
    """Return what happened to a file, where its content shows that; `None` where it does not."""
    if found := _CONFLICT.search(text):
        line = text.count(b"\n", 0, found.start()) + 1
        return f"holds the conflict markers of a merge (line {line})"
    if text.lstrip().startswith(b"{") and not text.rstrip().endswith(b"}"):
        return "is cut short"
    return next((words for shows, words in _DAMAGE.items() if shows.match(text)), None)


def _has_seal(text: bytes) -> bool:
    return text.startswith(_BEGIN) and text[_HEAD_BYTES - len(_END) : _HEAD_BYTES] == _END
