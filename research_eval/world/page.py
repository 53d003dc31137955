"""What a page of the bundled web is: its address, how it is served, and the text that it holds."""

from typing import Literal

from pydantic import Field

from research_eval.schema import Record

__all__ = ["Host", "Page", "Serve", "Style"]

Serve = Literal[
    "page",
    "pdf",
    "redirect",
    "gone",
    "forbidden",
    "rate-limited",
    "soft-404",
    "shell",
    "consent-wall",
    "login-wall",
    "bot-wall",
    "oversized",
]
"""What a visitor gets; `page` is the text itself, the others are what the web does instead."""

Style = Literal["civic", "wiki", "docs", "news", "shop", "plain", "legacy"]
"""Which template surrounds the text."""


class Host(Record):
    """One site of the bundled web."""

    name: str
    """The site's name, shown in its header and titles."""
    style: Style
    language: str = "en"
    tagline: str = ""
    cookie_banner: bool = False
    """Whether every page carries the markup of a cookie banner."""
    footer: str = ""


class Page(Record):
    """One page of the bundled web, as its source file says it."""

    url: str
    """The address under which the index lists it; non-ASCII letters may stand as they are."""
    title: str
    serve: Serve = "page"
    status: int | None = None
    """HTTP status; `None` takes the usual one of `serve`."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Headers beyond the usual ones."""
    encoding: str = "utf-8"
    """Character encoding of the bytes that are sent."""
    declared_in: Literal["header", "meta", "nowhere"] = "header"
    """Where the page names its encoding."""
    redirect: str | None = None
    """Where `serve = "redirect"` leads; may be relative."""
    canonical: str | None = None
    """Value of the page's `rel=canonical` link."""
    index: bool = True
    """Whether searches find it."""
    listed_url: str | None = None
    """The URL that searches list, where it differs, for instance by a tracking parameter."""
    snippet: str | None = None
    """What searches show; `None` cuts it from the text."""
    date: str | None = None
    """Date of the page as searches show it."""
    language: str | None = None
    """Language of the text; `None` takes the host's."""
    body: str = ""
    """The text, in the small Markdown that `markup` reads. A page that is gone keeps what the index saw."""
