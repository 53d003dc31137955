"""Documents that are no HTML: PDF, feeds, data, plain text, and things that cannot be read."""

import json
import struct
import zlib
from collections.abc import Iterator

from entry import WALLS, Entry, Prose
from pdfs import locked_pdf, make_pdf


def entries() -> Iterator[Entry]:
    """Yield documents of every kind."""
    yield from _data()
    yield from _feeds()
    yield from _pdfs()
    yield from _binaries()
    yield from _mislabelled()


def _data() -> Iterator[Entry]:
    record = {"name": "Färöer", "ropes": [4, 12, 99], "exact": 1.10, "big": 12345678901234567890123}
    yield Entry(
        "data_json",
        json.dumps(record, ensure_ascii=False, indent=2).encode(),
        "json",
        "application/json",
        must_contain=['"Färöer"', "1.1", "12345678901234567890123"],
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )
    line = json.dumps({"rows": [{"id": n, "place": f"Köln {n}", "price": 0.1} for n in range(60)]})
    yield Entry(
        "data_json_one_line",
        line.encode(),
        "json",
        "application/vnd.api+json",
        must_contain=['"place": "Köln 59"'],
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )
    yield Entry(
        "data_csv",
        "port;loads\nÅlesund;4\nMoß;9\n".encode("cp1252"),
        "csv",
        "text/csv; charset=iso-8859-1",
        must_contain=["Ålesund;4", "Moß;9"],
        encoding="windows-1252",
        flags_forbidden=list(WALLS),
    )
    yield Entry(
        "data_tsv",
        b"a\tb\n1\t2\n",
        "text",
        "text/tab-separated-values",
        must_contain=["1\t2"],
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )
    yield Entry(
        "data_markdown",
        b"# Rope notes\n\n- hemp\n- flax\n",
        "markdown",
        "text/markdown",
        must_contain=["- hemp\n- flax"],
        title="Rope notes",
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )
    yield Entry(
        "data_text",
        b"first line\r\n  second line\r\n",
        "text",
        "text/plain",
        must_contain=["first line\n  second line"],
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )
    yield Entry(
        "data_xml",
        '<?xml version="1.0" encoding="ISO-8859-1"?><ropes><rope n="1">Zürich</rope></ropes>'.encode(
            "latin-1"
        ),
        "xml",
        "application/xml",
        must_contain=['<rope n="1">Zürich</rope>'],
        encoding="windows-1252",
        flags_forbidden=list(WALLS),
    )


def _feeds() -> Iterator[Entry]:
    items = "".join(
        f"<item><title>Rope &amp; knot {n}</title><link>https://fieldnotes.example/f/{n}</link><pubDate>Mon, 0{n} May 1999 10:00:00 GMT</pubDate>"
        f"<description><![CDATA[<p>{Prose(f'rss{n}').sentence()} <a href='/x{n}'>more</a></p><p style='display:none'>trap</p>]]></description></item>"
        for n in range(1, 5)
    )
    rss = f'<?xml version="1.0"?><rss version="2.0"><channel><title>Knots daily</title><link>https://fieldnotes.example/</link>{items}</channel></rss>'
    yield Entry(
        "feed_rss",
        rss.encode(),
        "feed",
        "application/rss+xml",
        must_contain=[Prose("rss3").sentence()],
        must_not_contain=["trap"],
        title="Knots daily",
        must_match=[
            r"## \[Rope & knot 2\]\(https://fieldnotes\.example/f/2\)",
            r"\[more\]\(https://fieldnotes\.example/x4\)",
        ],
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>Kiln log</title><entry><title>Firing 9</title><link rel="edit" href="https://x.example/e"/>'
        '<link href="https://kiln.example/9"/><updated>1999-06-01T00:00:00Z</updated><author><name>Ada</name></author><summary>Hot &lt;b&gt;glass&lt;/b&gt;.</summary></entry></feed>'
    )
    yield Entry(
        "feed_atom",
        atom.encode(),
        "feed",
        "application/xml",
        must_contain=["Hot glass.", "Ada", "1999-06-01"],
        title="Kiln log",
        must_match=[r"## \[Firing 9\]\(https://kiln\.example/9\)"],
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )
    bomb = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><rss><channel><title>&b;</title></channel></rss>'
    yield Entry(
        "feed_with_entities",
        bomb.encode(),
        "feed",
        "application/rss+xml",
        must_contain=["<rss>"],
        encoding="utf-8",
    )


def _pdfs() -> Iterator[Entry]:
    lines = [Prose(f"pdf{n}").sentence() for n in range(3)]
    simple = make_pdf([lines, ["Second page, last words."]], title="Rope ledger")
    must = [*lines, "Second page, last words."]
    yield Entry(
        "pdf_simple",
        simple,
        "pdf",
        "application/pdf",
        must_contain=must,
        title="Rope ledger",
        flags_forbidden=list(WALLS),
    )
    yield Entry(
        "pdf_as_html",
        simple,
        "pdf",
        "text/html",
        must_contain=must,
        title="Rope ledger",
        flags_forbidden=list(WALLS),
        note="magic bytes beat the content type",
    )
    yield Entry(
        "pdf_after_junk",
        b"junk\r\n" * 20 + simple,
        "pdf",
        "application/octet-stream",
        must_contain=must[:1],
        flags_forbidden=list(WALLS),
    )
    yield Entry(
        "pdf_owner_password",
        locked_pdf(lines, user=b""),
        "pdf",
        "application/pdf",
        must_contain=lines,
        flags_forbidden=list(WALLS),
    )
    yield Entry(
        "pdf_user_password",
        locked_pdf(lines, user=b"secret"),
        "pdf",
        "application/pdf",
        flags=["encrypted"],
        citable=False,
    )
    yield Entry(
        "pdf_cut",
        simple[: len(simple) // 3],
        "pdf",
        "application/pdf",
        flags=["damaged"],
        citable=False,
    )
    yield Entry(
        "pdf_scanned",
        make_pdf([[], []], title="Scan", image=True),
        "pdf",
        "application/pdf",
        flags=["scanned"],
        any_of=["empty", "scanned"],
        citable=False,
    )
    two = make_pdf(
        [lines], title="Columns", columns=[["Left one.", "Left two."], ["Right one.", "Right two."]]
    )
    yield Entry(
        "pdf_columns",
        two,
        "pdf",
        "application/pdf",
        must_match=[r"(?s)Left one\..*Left two\..*Right one\..*Right two\."],
        title="Columns",
        flags_forbidden=list(WALLS),
    )


def _binaries() -> Iterator[Entry]:
    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    png = (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(b"\x00abc", 9))
        + chunk(b"IEND", b"")
    )
    for name, body, content_type in (
        ("png_as_html", png, "text/html"),
        ("jpeg", b"\xff\xd8\xff\xe0" + bytes(40), "image/jpeg"),
        ("gzip", b"\x1f\x8b\x08\x00" + bytes(30), "application/octet-stream"),
        ("zip_as_text", b"PK\x03\x04" + bytes(26) + b"word/document.xml" + bytes(20), "text/plain"),
        ("elf", b"\x7fELF\x02\x01\x01" + bytes(60), ""),
        ("noise", bytes((n * 73 + n // 7) % 256 for n in range(600)), "application/octet-stream"),
        ("video", b"\x00\x00\x00\x18ftypmp42" + bytes(40), "video/mp4"),
    ):
        yield Entry(f"binary_{name}", body, "binary", content_type, flags=["binary"], citable=False)


def _mislabelled() -> Iterator[Entry]:
    text = Prose("mislabelled").paragraph(5)
    html = f"<!doctype html><html><head><title>Labels</title></head><body><h1>Labels</h1><p>{text}</p></body></html>".encode()
    yield Entry(
        "html_without_type",
        html,
        "html",
        "",
        must_contain=[text],
        title="Labels",
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )
    yield Entry(
        "html_as_octets",
        html,
        "html",
        "application/octet-stream",
        must_contain=[text],
        title="Labels",
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )
    yield Entry(
        "html_as_pdf",
        html,
        "html",
        "application/pdf",
        must_contain=[text],
        title="Labels",
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )
    yield Entry(
        "xhtml",
        b'<?xml version="1.0"?>' + html,
        "html",
        "application/xhtml+xml",
        must_contain=[text],
        title="Labels",
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )
    yield Entry(
        "text_as_html",
        f"{text}\n\n{text}".encode(),
        "html",
        "text/html",
        must_contain=[text],
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )
    yield Entry(
        "json_as_html",
        b'{"ropes": [1, 2], "note": "a <b> c"}',
        "html",
        "text/html",
        must_contain=['"ropes": [1, 2]'],
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )
