"""Read one document in this very process: what it is, its text, and what it is worth."""

from collections.abc import Mapping

from research_eval.errors import ConfigError
from research_eval.plugin import load_plugin
from research_eval.tool.fetch.cleanse import cleanse
from research_eval.tool.fetch.decode import decode
from research_eval.tool.fetch.feed import read_feed
from research_eval.tool.fetch.html import read_html
from research_eval.tool.fetch.page import ContentExtractor, ExtractedPage, ExtractorError
from research_eval.tool.fetch.pdf import read_pdf
from research_eval.tool.fetch.plain import read_plain
from research_eval.tool.fetch.slice import boundary_at
from research_eval.tool.fetch.sniff import kind_of
from research_eval.tool.fetch.xhtml import as_html, is_xhtml

__all__ = ["MAX_CHARS", "load_extractor", "read_here", "unreadable"]

MAX_CHARS = 200_000
"""Characters of a page that are kept, as many as the ledger keeps."""

_BUILT_IN = {"trafilatura": "research_eval.tool.fetch.trafilatura_extractor:extract_html"}
_MESSAGES = {
    "binary": "it is of the kind {kind}",
    "damaged": "the PDF is damaged",
    "encrypted": "the PDF is locked with a password",
    "scanned": "the PDF is scanned: no page of it holds text",
    "too_heavy": "reading it took more time or memory than is allowed",
}


def unreadable(url: str, kind: str, error: str) -> ExtractedPage:
    """Return the page for a document that gave no text."""
    flags = ("too_heavy",) if error == "too_heavy" else (error, "empty")
    return ExtractedPage(
        url=url,
        kind=kind,
        flags=flags,
        citable=False,
        evidence="empty_shell",
        error=error,
        message=_MESSAGES[error].format(kind=kind),
    )


def _failed(url: str, message: str) -> ExtractedPage:
    """Return the page for HTML that an extractor of the user's own failed on."""
    return ExtractedPage(
        url=url,
        kind="html",
        flags=("empty",),
        citable=False,
        evidence="empty_shell",
        error="extractor_failed",
        message=message,
    )


def read_here(
    body: bytes,
    *,
    url: str,
    content_type: str,
    headers: Mapping[str, str],
    extractor: str = "default",
) -> ExtractedPage:
    """Return the document as a page.

    Args:
        body: Its bytes, without content coding.
        url: Where it was found.
        content_type: What the server called it.
        headers: The other headers, in lower case.
        extractor: Who finds the main content of HTML.
    """
    kind, is_readable = kind_of(body, content_type=content_type, url=url)
    if not is_readable:
        return unreadable(url, kind, "binary")
    page = (
        _pdf(body, url)
        if kind == "pdf"
        else _text(
            body, kind, url=url, content_type=content_type, headers=headers, extractor=extractor
        )
    )
    if len(page.content) <= MAX_CHARS:
        return page
    content = page.content[: boundary_at(page.content, MAX_CHARS)]
    return page.model_copy(update={"content": content, "truncated": True})


def _pdf(body: bytes, url: str) -> ExtractedPage:
    found = read_pdf(body, max_chars=MAX_CHARS)
    if found.error is not None:
        return unreadable(url, "pdf", found.error)
    return ExtractedPage(
        url=url, kind="pdf", title=found.title, content=found.text, truncated=found.is_cut
    )


def _text(
    body: bytes,
    kind: str,
    *,
    url: str,
    content_type: str,
    headers: Mapping[str, str],
    extractor: str,
) -> ExtractedPage:
    decoded = decode(body, content_type=content_type, is_html=kind == "html")
    if kind == "html":
        html = as_html(decoded.text) if is_xhtml(decoded.text, content_type) else decoded.text
        other = load_extractor(extractor)
        try:
            page = read_html(html, url=url, headers=headers, extractor=other)
        except ExtractorError as exc:
            return _failed(url, str(exc))
    else:
        page = _plain(decoded.text, kind, url)
    return page.model_copy(update={"encoding": decoded.encoding})


def _plain(text: str, kind: str, url: str) -> ExtractedPage:
    feed = read_feed(text, url=url) if kind == "feed" else None
    if feed is not None:
        return ExtractedPage(url=url, kind="feed", title=feed.title, content=cleanse(feed.content))
    content, title = read_plain(text, "xml" if kind == "feed" else kind)
    if content.strip():
        return ExtractedPage(url=url, kind=kind, title=title, content=content)
    return ExtractedPage(
        url=url, kind=kind, flags=("empty",), evidence="empty_shell", citable=False
    )


def load_extractor(name: str) -> ContentExtractor | None:
    """Return who finds the main content, `None` for the project's own way.

    Raises:
        ConfigError: If there is no such extractor, or it cannot be imported.
    """
    if name == "default":
        return None
    found = load_plugin("extractor", _BUILT_IN.get(name, name), {})
    if not callable(found):
        raise ConfigError(f"the extractor {name!r} is not a function")
    return found
