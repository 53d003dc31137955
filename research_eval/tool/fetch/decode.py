"""Bytes in, text and the encoding's name out, by the rules that browsers follow."""

import codecs
import re
from functools import cache
from typing import NamedTuple

import cchardet

from research_eval.tool.fetch.japanese import decode_euc_jp, decode_iso_2022_jp
from research_eval.tool.fetch.prescan import declared_in_meta, declared_in_xml, encoding_from_label

__all__ = ["Decoded", "charset_of", "decode"]

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_CODECS = {
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "gbk": "gb18030",
    "ibm866": "cp866",
    "iso-8859-8-i": "iso-8859-8",
    "koi8-u": "koi8_u",
    "macintosh": "mac_roman",
    "shift_jis": "cp932",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac_cyrillic",
}
_HAS_ESCAPES = re.compile(rb"\x1b(?:\$[@B]|\([BJI])")
_DETECTED = {"MAC-CYRILLIC": "x-mac-cyrillic", "UHC": "euc-kr", "VISCII": "windows-1258"}
"""Names that the detector uses and the standard does not know."""
_TWINS = {
    "iso-8859-2": "windows-1250",
    "iso-8859-6": "windows-1256",
    "iso-8859-7": "windows-1253",
    "iso-8859-8": "windows-1255",
    "iso-8859-13": "windows-1257",
}
"""Where both read the bytes alike, the encoding of Windows is the one that the web uses."""
_DETECTION_BYTES = 200_000
_CHARSET = re.compile(r"charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;,\"']+))", re.IGNORECASE)
_VALID_PER_FAULT = 4
"""Undeclared bytes with at least so many valid sequences of UTF-8 for each fault are UTF-8."""


class Decoded(NamedTuple):
    """A document's text."""

    text: str
    encoding: str
    """Name of the encoding in the WHATWG standard."""


def charset_of(content_type: str) -> str | None:
    """Return the encoding that a content type names, or `None`."""
    match = _CHARSET.search(content_type)
    if match is None:
        return None
    return encoding_from_label((match[1] or match[2] or match[3] or "").strip())


def decode(body: bytes, *, content_type: str = "", is_html: bool = False) -> Decoded:
    """Return `body` as text: byte order mark, then header, then declaration, then detection."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return Decoded(_decode_as(name, body[len(bom) :]), name)
    declared = charset_of(content_type)
    if declared is None:
        declared = (declared_in_meta(body) if is_html else None) or declared_in_xml(body)
    encoding = declared or _wide(body) or _detect(body)
    return Decoded(_decode_as(encoding, body), encoding)


def _wide(body: bytes) -> str | None:
    """Recognise UTF-16 without a mark by its zero bytes."""
    head = body[:512]
    pairs = len(head) // 2
    if pairs < 8 or not 0.35 * pairs < head.count(0) <= pairs:
        return None
    high, low = head[::2].count(0), head[1::2].count(0)
    if low > 0.7 * pairs and high < 0.05 * pairs:
        return "utf-16le"
    return "utf-16be" if high > 0.7 * pairs and low < 0.05 * pairs else None


def _detect(body: bytes) -> str:
    if _HAS_ESCAPES.search(body[:_DETECTION_BYTES]) and body.isascii():
        return "iso-2022-jp"
    if _is_mostly_utf8(body):
        return "utf-8"
    guess = str(cchardet.detect(body[:_DETECTION_BYTES]).get("encoding") or "")
    name = encoding_from_label(_DETECTED.get(guess, guess))
    if name in {None, "utf-8", "utf-16le", "utf-16be", "replacement", "iso-2022-jp"}:
        return "windows-1252"
    twin = _TWINS.get(str(name))
    if twin is not None and _decode_as(twin, body) == _decode_as(str(name), body):
        return twin
    return str(name)


def _is_mostly_utf8(body: bytes) -> bool:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        text = body.decode("utf-8", "replace")
    else:
        return True
    faults = text.count("\ufffd")
    valid = sum(1 for char in text if char > "\x7f") - faults
    return valid >= _VALID_PER_FAULT * faults


def _decode_as(name: str, body: bytes) -> str:
    if name == "euc-jp":
        return decode_euc_jp(body)
    if name == "iso-2022-jp":
        return decode_iso_2022_jp(body)
    if name == "replacement":
        return "\ufffd" if body else ""
    if name == "x-user-defined":
        return "".join(chr(byte if byte < 0x80 else 0xF700 + byte) for byte in body)
    codec = _CODECS.get(name, name)
    table = _table(codec)
    if table is not None:
        return codecs.charmap_decode(body, "replace", table)[0]
    return body.decode(codec, "replace")


@cache
def _table(codec: str) -> str | None:
    """Return the 256 characters of a single-byte encoding, its holes below 0xA0 as controls.

    Browsers read those holes as control characters, Python's codecs refuse them.
    """
    if codec.startswith(("utf", "cp9", "gb", "big5")) and codec != "cp874":
        return None
    chars = [bytes([byte]).decode(codec, "replace") for byte in range(256)]
    return "".join(
        chr(byte) if char == "\ufffd" and byte < 0xA0 else char for byte, char in enumerate(chars)
    )
