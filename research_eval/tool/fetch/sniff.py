"""Tell what a document is from its first bytes; they beat what the server says."""

import re

__all__ = ["kind_of", "looks_like_pdf"]

_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "PNG image"),
    (0, b"\xff\xd8\xff", "JPEG image"),
    (0, b"GIF87a", "GIF image"),
    (0, b"GIF89a", "GIF image"),
    (8, b"WEBP", "WebP image"),
    (8, b"WAVE", "WAV audio"),
    (8, b"AVI ", "AVI video"),
    (4, b"ftypavif", "AVIF image"),
    (4, b"ftypheic", "HEIC image"),
    (4, b"ftypM4A", "MPEG-4 audio"),
    (4, b"ftyp", "MPEG-4 video"),
    (0, b"BM\x00", "BMP image"),
    (0, b"II*\x00", "TIFF image"),
    (0, b"MM\x00*", "TIFF image"),
    (0, b"\x00\x00\x01\x00", "icon"),
    (0, b"8BPS", "Photoshop image"),
    (0, b"ID3", "MP3 audio"),
    (0, b"OggS", "Ogg media"),
    (0, b"fLaC", "FLAC audio"),
    (0, b"\x1aE\xdf\xa3", "Matroska video"),
    (0, b"FLV\x01", "Flash video"),
    (0, b"\x00\x00\x01\xba", "MPEG video"),
    (0, b"\x1f\x8b", "gzip archive"),
    (0, b"BZh", "bzip2 archive"),
    (0, b"\xfd7zXZ\x00", "xz archive"),
    (0, b"\x28\xb5\x2f\xfd", "Zstandard archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (0, b"Rar!\x1a\x07", "RAR archive"),
    (257, b"ustar", "tar archive"),
    (0, b"\x7fELF", "program"),
    (0, b"MZ\x90\x00", "program"),
    (0, b"\xca\xfe\xba\xbe", "program"),
    (0, b"\xcf\xfa\xed\xfe", "program"),
    (0, b"\x00asm", "WebAssembly program"),
    (0, b"wOFF", "font"),
    (0, b"wOF2", "font"),
    (0, b"OTTO\x00", "font"),
    (0, b"\x00\x01\x00\x00\x00", "font"),
    (0, b"SQLite format 3\x00", "SQLite database"),
    (0, b"PAR1", "Parquet table"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Microsoft Office document (old format)"),
    (0, b"{\\rtf", "RTF document"),
    (0, b"%!PS", "PostScript document"),
)
_ZIP_KINDS = (
    (b"word/", "Microsoft Word document"),
    (b"xl/", "Microsoft Excel workbook"),
    (b"ppt/", "Microsoft PowerPoint presentation"),
    (b"application/epub+zip", "EPUB book"),
    (b"application/vnd.oasis.opendocument", "OpenDocument file"),
)
_BINARY_TYPES = re.compile(r"(?:image/(?!svg)|audio/|video/|font/)")
_HTML_START = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|link|h1|div|p|table|main|article"
    rb"|section|header|nav|br|a|b|font|center)[\s>/]",
    re.IGNORECASE,
)
_SPACES = b" \t\n\r\f\v\xef\xbb\xbf"
_FEED_START = re.compile(rb"<(?:rss|feed|rdf:RDF)[\s>]", re.IGNORECASE)
_MARKUP_START = re.compile(rb"\A\s*<[?!A-Za-z]")
_TEXT_CONTROLS = b"\t\n\x0b\x0c\r\x1b"
_CONTROL_BYTES = bytes(byte for byte in range(32) if byte not in _TEXT_CONTROLS)


def looks_like_pdf(body: bytes | bytearray) -> bool:
    """Say whether `body` begins like a PDF, perhaps after some junk."""
    return b"%PDF-" in bytes(body[:1024])


def _begins_as_html(head: bytes) -> bool:
    """Say whether the first thing in `head`, comments and declarations aside, is a tag of HTML."""
    rest = head.lstrip(_SPACES)
    while rest.startswith((b"<!--", b"<?")):
        end = b"-->" if rest.startswith(b"<!--") else b">"
        rest = rest.partition(end)[2].lstrip(_SPACES)
    return _HTML_START.match(rest) is not None


def kind_of(body: bytes, *, content_type: str, url: str) -> tuple[str, bool]:
    """Return what `body` is, and whether it is text that can be read.

    The readable kinds are `html`, `pdf`, `json`, `xml`, `feed`, `csv`, `markdown` and `text`.
    """
    head = body[:4096]
    is_markup = _begins_as_html(head)
    if looks_like_pdf(head) and not is_markup:
        return "pdf", True
    binary = _binary_kind(head)
    if binary is not None:
        return binary, False
    media_type = content_type.partition(";")[0].strip().lower()
    kind = _text_kind(head, media_type, url)
    if kind is None:
        return media_type or "binary data", False
    return kind, True


def _binary_kind(head: bytes) -> str | None:
    if head.startswith(b"PK\x03\x04"):
        return next((name for mark, name in _ZIP_KINDS if mark in head), "ZIP archive")
    for offset, magic, name in _MAGIC:
        if head.startswith(magic, offset):
            return name
    return None


def _text_kind(head: bytes, media_type: str, url: str) -> str | None:
    """Return the kind of a text, or `None` if it is none."""
    is_html = _begins_as_html(head)
    if not is_html and (_BINARY_TYPES.match(media_type) or _is_binary(head)):
        return None
    if media_type in {"text/html", "application/xhtml+xml"}:
        return "html"
    named = _named_kind(media_type, url)
    if named in {"xml", None, "text"} and _MARKUP_START.match(head):
        if _FEED_START.search(head):
            return "feed"
        if is_html and (named != "text" or media_type == ""):
            return "html"
    if named is None and head.lstrip()[:1] in {b"{", b"["}:
        return "json"
    return named or "text"


def _named_kind(media_type: str, url: str) -> str | None:
    """Return the kind that the content type, or else the URL's ending, stands for."""
    ending = url.partition("?")[0].partition("#")[0].rpartition(".")[2].lower()
    if media_type.endswith(("/json", "+json")) or media_type in {
        "text/json",
        "application/ld+json",
    }:
        return "json"
    if media_type.endswith(("/xml", "+xml")):
        return "xml"
    if media_type in {"text/csv", "text/tab-separated-values", "application/csv"}:
        return "csv"
    if media_type in {"text/markdown", "text/x-markdown"}:
        return "markdown"
    if media_type in {"", "text/plain", "application/octet-stream", "binary/octet-stream"}:
        by_ending = {"csv": "csv", "tsv": "csv", "md": "markdown", "json": "json", "xml": "xml"}
        fallback = "text" if media_type == "text/plain" else None
        return by_ending.get(ending, fallback)
    return "text" if media_type.startswith("text/") else None


def _is_binary(head: bytes) -> bool:
    """Say whether control bytes give `head` away; UTF-16 has zero bytes and is text."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    controls = len(head) - len(head.translate(None, _CONTROL_BYTES))
    if controls == 0:
        return False
    zeros = head.count(0)
    is_wide = zeros > 0.35 * len(head) and controls - zeros < 0.02 * len(head)
    return not is_wide and controls > max(1, 0.01 * len(head))
