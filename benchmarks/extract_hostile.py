"""Read documents made to hurt: `python benchmarks/extract_hostile.py`.

Prints the CPU time and memory that each takes, and ends with status 1 if one needs more than 10
seconds or 1 GB, or takes this process down. Every document goes to a worker of its own.
"""

import resource
import sys
import time
import zlib
from collections.abc import Iterator

from research_eval.tool.fetch.page import ExtractedPage
from research_eval.tool.fetch.worker import Worker, WorkerError

HTML, PDF = "text/html", "application/pdf"


def html_cases() -> Iterator[tuple[str, str]]:
    """Yield pages that make parsers slow, deep or large."""
    for tag in (
        "div",
        "span",
        "blockquote",
        "b",
        "font",
        "svg",
        "template",
        "section",
        "q",
        "sup",
        "code",
    ):
        yield f"nested_{tag}_20k", f"<{tag}>" * 20_000 + "end"
    yield "nested_div_100k", "<div>" * 100_000 + "end"
    yield "nested_ul_20k", "<ul><li>" * 20_000 + "end"
    yield "nested_dl_10k", "<dl><dd>" * 10_000 + "end"
    yield "nested_table_5k", "<table><tr><td>" * 5_000 + "end"
    yield "nested_math_400", "<table><tr><td><math>" * 400 + "<td><b>x</b>" * 20_000
    yield "unclosed_b_20k", "<p><b>x" * 20_000
    yield "unclosed_a_20k", "<p><a href=/x>x" * 20_000
    yield "unclosed_a_div_20k", "<div><a href=/x>x" * 20_000
    yield "crossed_20k", "<b><i></b></i>" * 20_000
    yield "formatting_paragraphs_20k", "<b><i><u><p>x</u></i></b>" * 20_000
    yield "attributes_50k", "<p " + " ".join(f"a{n}=1" for n in range(50_000)) + ">x</p>"
    yield (
        "attributes_many_tags",
        ("<p " + " ".join(f"a{n}=1" for n in range(500)) + ">x</p>") * 1000,
    )
    yield "attribute_10MB", '<p title="' + "x" * 4_900_000 + '">x</p>'
    yield "classes_200k", '<p class="' + " ".join(f"c{n}" for n in range(200_000)) + '">x</p>'
    yield "options_200k", "<select>" + "<option>x" * 200_000
    yield "br_500k", "<br>" * 500_000
    yield "links_100k", "<a href='/x'>link</a> " * 100_000
    yield "table_2000x100", "<table>" + ("<tr>" + "<td>x</td>" * 100 + "</tr>") * 2000 + "</table>"
    yield (
        "spans_of_table",
        "<table>" + "<tr><td rowspan=9999 colspan=9999>x</td><td>y</td></tr>" * 2000 + "</table>",
    )
    yield (
        "rows_growing",
        "<table>"
        + "".join("<tr>" + "<td rowspan=9999>x" * 3 + "</tr>" for _ in range(3000))
        + "</table>",
    )
    yield from text_cases()


def text_cases() -> Iterator[tuple[str, str]]:
    """Yield pages whose texts, styles and declarations are hard on whoever reads them."""
    yield "one_word_5MB", "<p>" + "x" * 5_000_000
    yield "spaces_5MB", "<p>a" + " " * 4_900_000 + "b"
    yield "newlines_in_pre_2MB", "<pre>" + "\n" * 2_000_000 + "x</pre>"
    yield "lt_500k", "<" * 500_000
    yield "lt_letter_1M", "<a" * 1_000_000
    yield "quotes_1M", '<a b="' * 500_000
    yield "comment_unclosed_5MB", "<!--" + "x-" * 2_400_000
    yield "comments_500k", "<!---->" * 500_000
    yield "script_unclosed_5MB", "<script>" + "x<" * 2_400_000
    yield "entities_500k", "&amp;" * 500_000
    yield "entities_wrong_500k", "&x" * 1_000_000
    yield "meta_100k", "<meta name=a content=b>" * 100_000
    yield "json_ld_5MB", '<script type="application/ld+json">' + "[" * 2_000_000
    yield (
        "style_rules_100k",
        "<style>"
        + "".join(f".c{n}{{display:none}}" for n in range(100_000))
        + "</style>"
        + "<p class='c1 c2'>x</p>" * 1000,
    )
    yield "style_braces_5MB", "<style>" + "@media{" * 600_000
    yield (
        "style_classes_match",
        "<style>" + ".a{display:none}" * 20_000 + "</style>" + "<p class=a>x</p>" * 20_000,
    )
    yield "style_attribute_1MB", '<p style="' + "a:b;" * 250_000 + '">x</p>'
    yield "headings_50k", "<h2>Related</h2><p><a href=/x>x</a></p>" * 50_000
    yield "articles_20k", "<article><p>some words here</p></article>" * 20_000
    yield "nested_articles_500", "<article><p>some words here</p>" * 500
    yield "lists_deep_text", ("<ul><li>" + "word " * 50) * 500
    yield "pre_lines_500k", "<pre>" + "<div>x</div>" * 300_000 + "</pre>"
    yield "code_backticks", "<code>" + "`" * 1_000_000 + "</code><pre>" + "`" * 100_000 + "</pre>"
    yield "sup_200k", "<sup>1</sup>" * 200_000
    yield "frameset_plaintext", "<frameset><plaintext>" + "<x>" * 500_000
    yield "base_broken", "<base href='http://[::'>" + "<a href=x>y</a>" * 50_000
    yield "prescan_16k", "<a " + "b" * 5_000_000
    yield "nul_bytes", "<p>a\x00b" * 100_000
    yield "emoji_joined", "<p>" + "\U0001f469\u200d" * 500_000
    yield "combining", "<p>a" + "\u0301" * 1_000_000


def _objects(objects: list[bytes]) -> bytes:
    parts, places, size = [b"%PDF-1.7\n"], [], 9
    for number, content in enumerate(objects, 1):
        places.append(size)
        parts.append(b"%d 0 obj\n" % number + content + b"\nendobj\n")
        size += len(parts[-1])
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    parts += [b"%010d 00000 n \n" % place for place in places]
    parts.append(b"trailer << /Size %d /Root 1 0 R >>\n" % (len(objects) + 1))
    return b"".join(parts) + b"startxref\n%d\n%%%%EOF\n" % size


def _page(content: bytes, *more: bytes, head: bytes = b"", resources: bytes = b"") -> bytes:
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    return _objects(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 5 0 R >> "
            + resources
            + b" >> /Contents 4 0 R >>",
            b"<< " + head + b" /Length %d >>\nstream\n" % len(content) + content + b"\nendstream",
            font,
            *more,
        ]
    )


def pdf_cases() -> Iterator[tuple[str, bytes]]:
    """Yield PDF files that unpack, repeat or nest without end."""
    text = b"BT /F1 9 Tf 9 9 Td (words) Tj ET "
    yield (
        "flate_bomb_300MB",
        _page(zlib.compress(b" " * 300_000_000, 9), head=b"/Filter /FlateDecode"),
    )
    yield (
        "flate_twice",
        _page(
            zlib.compress(zlib.compress(b" " * 300_000_000, 9), 9),
            head=b"/Filter [/FlateDecode /FlateDecode]",
        ),
    )
    yield "flate_text_50MB", _page(zlib.compress(text * 1_500_000, 9), head=b"/Filter /FlateDecode")
    form = b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> /Length 12 >>\nstream\n/X Do /X Do \nendstream"
    yield "form_calls_itself", _page(b"/X Do", form, resources=b"/XObject << /X 6 0 R >>")
    forms = [
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X %d 0 R >> >> /Length 12 >>\nstream\n/X Do /X Do \nendstream"
        % (n + 1)
        for n in range(6, 34)
    ]
    yield (
        "form_exponential",
        _page(
            b"/X Do",
            *forms,
            b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 34 >>\nstream\n"
            + text
            + b"\nendstream",
            resources=b"/XObject << /X 6 0 R >>",
        ),
    )
    yield "q_5M", _page(b"q " * 5_000_000 + text)
    yield "arrays_nested", _page(b"[" * 1_000_000 + text)
    yield "count_lies", _page(text).replace(b"/Count 1", b"/Count 999999999")
    yield "kids_cycle", _page(text).replace(b"/Kids [3 0 R]", b"/Kids [2 0 R]")
    yield (
        "kids_same_page",
        _page(text).replace(
            b"/Kids [3 0 R] /Count 1", b"/Kids [" + b"3 0 R " * 200_000 + b"] /Count 200000"
        ),
    )
    yield "length_lies", _page(text).replace(b"/Length ", b"/Length 99999999 %", 1)
    yield "mediabox_huge", _page(text).replace(b"[0 0 600 800]", b"[0 0 1e38 1e38]")
    yield "garbage_5MB", b"%PDF-1.4\n" + bytes((n * 131 + n // 251) % 256 for n in range(5_000_000))
    yield "only_header", b"%PDF-1.4\n"
    yield (
        "objects_300k",
        _objects(
            [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>"]
            + [b"null"] * 300_000
        ),
    )


def judge(name: str, body: bytes, content_type: str) -> bool:
    """Read one document in a fresh worker; print what it took."""
    worker = Worker()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    try:
        answer = worker.ask(
            {"url": "https://hostile.example/", "content_type": content_type, "headers": {}}, body
        )
        page = ExtractedPage.model_validate_json(answer)
        result = f"{page.error or page.kind}, {len(page.content)} characters"
    except WorkerError:
        result = "ended by its limits"
    worker.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    is_good = cpu < 13 and time.monotonic() - began < 60
    print(
        f"{name:28s} {len(body) / 1e6:6.2f} MB  {cpu:6.2f} s CPU  peak so far {after.ru_maxrss / 1024:5.0f} MB  {result}",
        flush=True,
    )
    return is_good


def main() -> int:
    """Read all of them."""
    good = [judge(name, text.encode(), HTML) for name, text in html_cases()]
    good += [judge(name, body, PDF) for name, body in pdf_cases()]
    print(f"{sum(good)} of {len(good)} within the limits")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
