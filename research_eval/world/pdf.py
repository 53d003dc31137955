"""Write a small PDF with a text layer: enough of the format for a page of the bundled web."""

import textwrap
from collections.abc import Sequence

__all__ = ["write_pdf"]

_LINES_A_PAGE = 50
_COLUMNS = 92
_FIRST_FONT, _FIRST_PAGE = 3, 4


def write_pdf(title: str, text: str) -> bytes:
    """Return a PDF of `text`, one paragraph a line, set in Helvetica; the bytes depend on nothing else.

    Letters beyond windows-1252 become question marks.
    """
    lines = [part for line in text.split("\n") for part in textwrap.wrap(line, _COLUMNS) or [""]]
    sheets = [lines[i : i + _LINES_A_PAGE] for i in range(0, len(lines), _LINES_A_PAGE)] or [[]]
    kids = " ".join(f"{_FIRST_PAGE + 2 * n} 0 R" for n in range(len(sheets)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(sheets)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, sheet in enumerate(sheets):
        objects += [_page(_FIRST_PAGE + 2 * number + 1), _stream(_drawn(sheet))]
    objects.append(b"<< /Title " + _string(title) + b" /Producer (research_eval world) >>")
    return _assembled(objects)


def _page(content: int) -> bytes:
    return (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {content} 0 R "
        f"/Resources << /Font << /F1 {_FIRST_FONT} 0 R >> >> >>"
    ).encode()


def _stream(data: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(data), data)


def _drawn(lines: Sequence[str]) -> bytes:
    """Return the operators that set `lines` from the top of a page."""
    shown = b"".join(_string(line) + b" Tj T*\n" for line in lines)
    return b"BT /F1 10 Tf 14 TL 56 786 Td\n" + shown + b"ET"


def _string(text: str) -> bytes:
    raw = text.encode("cp1252", "replace")
    escaped = raw.replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")
    return b"(" + escaped + b")"


def _assembled(objects: Sequence[bytes]) -> bytes:
    """Number the objects and add the table of where each one starts."""
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    starts = []
    for number, data in enumerate(objects, start=1):
        starts.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, data)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % start for start in starts)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n" % (len(objects) + 1, len(objects))
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % table)
