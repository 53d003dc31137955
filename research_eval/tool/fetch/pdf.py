"""A PDF's bytes in, its text page by page out; to be called in a process with limits."""

import re
from typing import Any, NamedTuple

import pypdfium2
from pypdfium2 import PdfiumError

from research_eval.tool.fetch.cleanse import cleanse, one_line

__all__ = ["MAX_PAGES", "PdfText", "read_pdf"]

MAX_PAGES = 300
"""Pages that are read; a longer document is cut there."""

_HYPHEN_AT_LINE_END = re.compile("[\ufffe\x02](?:\r?\n)?")
_LINE_ENDS = re.compile(r"[ \t]*(?:\r\n?|\n)")
_EMPTY_LINES = re.compile(r"\n{3,}")
_INCORRECT_PASSWORD = 4


class PdfText(NamedTuple):
    """What was read."""

    text: str = ""
    title: str | None = None
    is_cut: bool = False
    error: str | None = None
    """`encrypted`, `damaged`, `scanned`, or `None`."""


def read_pdf(body: bytes, *, max_chars: int) -> PdfText:
    """Return the text of `body`, pages set apart by a line that numbers them."""
    try:
        document = pypdfium2.PdfDocument(body)
    except PdfiumError as exc:
        return PdfText(error="encrypted" if _is_locked(exc) else "damaged")
    try:
        return _read(document, max_chars)
    except PdfiumError:
        return PdfText(error="damaged")
    finally:
        document.close()


def _is_locked(exc: PdfiumError) -> bool:
    code = getattr(exc, "err_code", None)
    return code == _INCORRECT_PASSWORD or "password" in str(exc).lower()


def _read(document: Any, max_chars: int) -> PdfText:  # noqa: ANN401 - the library has no types
    count = len(document)
    pages: list[str] = []
    size = 0
    faults = 0
    for number in range(min(count, MAX_PAGES)):
        try:
            text = _page_text(document[number])
        except PdfiumError:
            faults += 1
            text = ""
        pages.append(text)
        size += len(text)
        if size > max_chars:
            break
    if not any(pages):
        return PdfText(error="damaged" if faults or not count else "scanned")
    joined = _with_breaks(pages) if count > 1 else pages[0]
    return PdfText(joined, _title(document), is_cut=len(pages) < count or faults > 0)


def _page_text(page: Any) -> str:  # noqa: ANN401 - the library has no types
    try:
        text_page = page.get_textpage()
        try:
            raw = str(text_page.get_text_range())
        finally:
            text_page.close()
    finally:
        page.close()
    lines = _LINE_ENDS.sub("\n", _HYPHEN_AT_LINE_END.sub("", raw))
    return _EMPTY_LINES.sub("\n\n", cleanse(lines)).strip()


def _with_breaks(pages: list[str]) -> str:
    return "\n\n".join(
        f"--- page {number} ---\n\n{text}" for number, text in enumerate(pages, 1)
    ).strip()


def _title(document: Any) -> str | None:  # noqa: ANN401 - the library has no types
    try:
        title = one_line(str(document.get_metadata_dict().get("Title") or ""))
    except (PdfiumError, UnicodeError):
        return None
    return title or None
