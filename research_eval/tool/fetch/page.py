"""A document as the tool understood it, and who turns HTML into one."""

from typing import Literal, Protocol

from research_eval.schema import Evidence, Record

__all__ = ["ContentExtractor", "ExtractedHtml", "ExtractedPage", "ExtractorError", "PageFlag"]

PageFlag = Literal[
    "soft_404",
    "bot_wall",
    "consent_wall",
    "login_wall",
    "js_required",
    "paywall",
    "low_yield",
    "empty",
    "binary",
    "damaged",
    "encrypted",
    "scanned",
    "too_heavy",
]
"""What is odd about a page.

The first five are no evidence; `paywall` and `low_yield` (a large document gave next to no text)
are notes; `empty` means that no text was found; the rest
say why a document could not be read.
"""


class ExtractedHtml(Record):
    """What a `ContentExtractor` made of an HTML document."""

    content: str
    """The main content as Markdown, links absolute."""
    title: str | None = None


class ExtractorError(Exception):
    """A `ContentExtractor` that somebody wrote failed on one page."""


class ContentExtractor(Protocol):
    """Turns decoded HTML into Markdown."""

    def __call__(self, html: str, *, url: str) -> ExtractedHtml:
        """Return the main content of `html`, which came from `url`."""
        ...


class ExtractedPage(Record):
    """A document in the form in which a model reads it."""

    url: str
    """Where it was found, after redirects."""
    kind: str
    """What it is: `html`, `pdf`, `json`, `xml`, `feed`, `csv`, `markdown`, `text`, or the name of
    another format that cannot be read."""
    title: str | None = None
    content: str = ""
    """Its text; of HTML the main content as Markdown."""
    encoding: str | None = None
    """The character encoding that was used, by its name in the WHATWG standard."""
    flags: tuple[PageFlag, ...] = ()
    truncated: bool = False
    """Whether a part of the document is missing from `content`."""
    citable: bool = True
    """Whether the page is evidence for anything."""
    evidence: Evidence = "ok"
    error: str | None = None
    """A stable word for why nothing can be read, for instance `binary`."""
    message: str | None = None
    """The error or the flag in words."""
    canonical: str | None = None
    """The page's own canonical URL, wherever it points."""
    author: str | None = None
    published: str | None = None
    """The date as the page gives it."""
    modified: str | None = None
    site: str | None = None
    language: str | None = None
    description: str | None = None
