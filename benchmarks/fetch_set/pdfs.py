"""Small PDF files, written byte by byte so that they are the same in every run."""

import hashlib

_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_ID = b"0123456789abcdef"


def _escape(text: str) -> bytes:
    return (
        text.encode("latin-1").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
    )


def _lines(lines: list[str], *, left: int = 40, top: int = 780) -> bytes:
    shown = b"".join(b"(" + _escape(line) + b") Tj 0 -16 Td " for line in lines)
    return b"BT /F1 9 Tf %d %d Td " % (left, top) + shown + b"ET "


def make_pdf(
    pages: list[list[str]],
    *,
    title: str,
    columns: list[list[str]] | None = None,
    image: bool = False,
) -> bytes:
    """Return a PDF with one page for each list of lines."""
    contents = []
    for number, lines in enumerate(pages):
        content = _lines(lines) if lines else b""
        if columns is not None and number == 0:
            content = b"".join(
                _lines(column, left=40 + 280 * place, top=700)
                for place, column in enumerate(columns)
            )
        if image:
            content += b"q 500 0 0 700 40 40 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q "
        contents.append(content)
    return _assemble(contents, title=_escape(title))


def _assemble(contents: list[bytes], *, title: bytes = b"", encrypt: bytes = b"") -> bytes:
    kids = b" ".join(b"%d 0 R" % (5 + 2 * n) for n in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [" + kids + b"] /Count %d >>" % len(contents),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Title (" + title + b") >>" if title else b"<< >>",
    ]
    for number, content in enumerate(contents):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>"
            % (6 + 2 * number)
        )
        objects.append(b"<< /Length %d >>\nstream\n" % len(content) + content + b"\nendstream")
    if encrypt:
        objects.append(encrypt)
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(
        b"%010d 00000 n \n" % place for place in places
    )
    trailer = b"trailer << /Size %d /Root 1 0 R /Info 4 0 R" % (len(objects) + 1)
    if encrypt:
        trailer += b" /Encrypt %d 0 R /ID [<%s><%s>]" % (
            len(objects),
            _ID.hex().encode(),
            _ID.hex().encode(),
        )
    return body + table + trailer + b" >>\nstartxref\n%d\n%%%%EOF\n" % len(body)


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def locked_pdf(lines: list[str], *, user: bytes) -> bytes:
    """Return a PDF locked with 40-bit RC4: an owner's password, and perhaps a user's."""
    owner_key = hashlib.md5((b"owner" + _PADDING)[:32]).digest()[:5]
    owner = _rc4(owner_key, (user + _PADDING)[:32])
    rights = (-44).to_bytes(4, "little", signed=True)
    key = hashlib.md5((user + _PADDING)[:32] + owner + rights + _ID).digest()[:5]
    entry = b"<< /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P -44 >>" % (
        owner.hex().encode(),
        _rc4(key, _PADDING).hex().encode(),
    )
    number = 6
    salt = hashlib.md5(key + number.to_bytes(3, "little") + b"\x00\x00").digest()[:10]
    return _assemble([_rc4(salt, _lines(lines))], encrypt=entry)
