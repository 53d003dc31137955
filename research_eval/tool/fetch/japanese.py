"""Decode euc-jp and iso-2022-jp with the characters that browsers know and Python's codecs lack.

Both carry rows and cells of JIS X 0208 with vendors' extensions; Python's `cp932` knows all of
those, so each pair is moved there.
"""

import re

__all__ = ["decode_euc_jp", "decode_iso_2022_jp"]

_EUC_RUN = re.compile(
    rb"([\x00-\x7f]+)|((?:[\xa1-\xfe][\xa1-\xfe])+)|((?:\x8e[\xa1-\xdf])+)|(\x8f[\xa1-\xfe]{2})|(.)",
    re.DOTALL,
)
_ESCAPE = re.compile(rb"\x1b(\(B|\(J|\(I|\$@|\$B)")
_ROMAN = {0x5C: "¥", 0x7E: "‾"}


def _as_shift_jis(pairs: bytes) -> bytes:
    """Move pairs of JIS X 0208 (seven bits each) to where Shift_JIS keeps them."""
    moved = bytearray()
    for row, cell in zip(pairs[::2], pairs[1::2], strict=False):
        lead = ((row - 0x21) >> 1) + (0x81 if row < 0x5F else 0xC1)
        trail = cell + (0x7E if row % 2 == 0 else 0x20 if cell >= 0x60 else 0x1F)
        moved += bytes((lead, trail))
    return bytes(moved)


def decode_euc_jp(body: bytes) -> str:
    """Return `body` as text; what cannot be read becomes U+FFFD."""
    parts = []
    for match in _EUC_RUN.finditer(body):
        plain, pairs, kana, third, _ = match.groups()
        if plain is not None:
            parts.append(plain.decode("ascii"))
        elif pairs is not None:
            seven = bytes(byte & 0x7F for byte in pairs)
            parts.append(_as_shift_jis(seven).decode("cp932", "replace"))
        elif kana is not None:
            parts.append(kana[1::2].decode("cp932", "replace"))
        else:
            parts.append((third or b"\xff").decode("euc_jp", "replace"))
    return "".join(parts)


def decode_iso_2022_jp(body: bytes) -> str:
    """Return `body` as text; what cannot be read becomes U+FFFD."""
    pieces = _ESCAPE.split(body)
    parts = [_roman_or_ascii(pieces[0], is_roman=False)]
    for escape, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        if escape in {b"$@", b"$B"}:
            parts.append(_pairs(piece))
        elif escape == b"(I":
            kana = bytes(byte | 0x80 if 0x21 <= byte <= 0x5F else byte for byte in piece)
            parts.append(kana.decode("cp932", "replace"))
        else:
            parts.append(_roman_or_ascii(piece, is_roman=escape == b"(J"))
    return "".join(parts)


def _roman_or_ascii(piece: bytes, *, is_roman: bool) -> str:
    text = piece.decode("ascii", "replace")
    return text.translate(_ROMAN) if is_roman else text


def _pairs(piece: bytes) -> str:
    """Decode two-byte characters; controls such as line ends may stand between them."""
    parts = []
    for run in re.findall(rb"[\x21-\x7e]+|[^\x21-\x7e]+", piece):
        if 0x21 <= run[0] <= 0x7E:
            parts.append(_as_shift_jis(run).decode("cp932", "replace") + "\ufffd" * (len(run) % 2))
        else:
            parts.append(run.decode("ascii", "replace"))
    return "".join(parts)
