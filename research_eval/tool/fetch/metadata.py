"""What a page says about itself in its head: title, author, dates, canonical address."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from research_eval.tool.fetch.cleanse import one_line

__all__ = ["Metadata", "read_metadata"]

_MAX_META = 2000
_MAX_LINKED_DATA = 500_000
_MAX_LENGTH = 1000
_ARTICLES = ("Article", "NewsArticle", "BlogPosting", "Report", "ScholarlyArticle", "WebPage")


@dataclass
class Metadata:
    """What a page says about itself."""

    title: str | None = None
    canonical: str | None = None
    """As written, perhaps relative."""
    base: str | None = None
    author: str | None = None
    published: str | None = None
    modified: str | None = None
    site: str | None = None
    language: str | None = None
    description: str | None = None
    article_body: str | None = None
    """The text that the page gives to machines as linked data."""
    is_paid: bool = False
    """Whether the page says that it is not free."""
    meta: dict[str, str] = field(default_factory=dict)


def read_metadata(parser: LexborHTMLParser) -> Metadata:
    """Return what the document says about itself."""
    meta = _meta(parser)
    found = Metadata(meta=meta)
    heading = parser.css_first("title")
    plain = one_line(heading.text()) if heading is not None else ""
    found.title = _first(meta, "og:title") or plain or _first(meta, "twitter:title", "dc.title")
    found.canonical = _link(parser, "canonical")
    base = parser.css_first("base[href]")
    found.base = base.attributes.get("href") if base is not None else None
    root = parser.css_first("html")
    found.language = (root.attributes.get("lang") if root is not None else None) or None
    found.author = _first(meta, "author", "article:author", "dc.creator", "citation_author")
    found.published = _first(
        meta, "article:published_time", "citation_publication_date", "dc.date", "date", "pubdate"
    )
    found.modified = _first(meta, "article:modified_time", "last-modified", "og:updated_time")
    found.site = _first(meta, "og:site_name", "application-name")
    found.description = _first(meta, "description", "og:description")
    _add_linked_data(found, parser)
    return found


def _meta(parser: LexborHTMLParser) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, node in enumerate(parser.css("meta[content]")):
        if number >= _MAX_META:
            break
        attrs = node.attributes
        name = attrs.get("property") or attrs.get("name") or attrs.get("itemprop")
        if name:
            found.setdefault(name.strip().lower(), one_line((attrs.get("content") or "")[:5000]))
    return found


def _first(meta: dict[str, str], *names: str) -> str | None:
    return next((meta[name][:_MAX_LENGTH] for name in names if meta.get(name)), None)


def _link(parser: LexborHTMLParser, relation: str) -> str | None:
    for number, node in enumerate(parser.css("link[rel]")):
        if number >= _MAX_META:
            break
        if relation in (node.attributes.get("rel") or "").lower().split():
            return (node.attributes.get("href") or "").strip() or None
    return None


def _add_linked_data(found: Metadata, parser: LexborHTMLParser) -> None:
    """Fill in from JSON-LD what the `meta` elements left open."""
    budget = _MAX_LINKED_DATA
    for node in parser.css('script[type="application/ld+json"]'):
        text = node.text()
        budget -= len(text)
        if budget < 0:
            return
        for item in _items(text):
            _add_item(found, item)


def _add_item(found: Metadata, item: dict[str, Any]) -> None:
    if str(item.get("isAccessibleForFree", "")).lower() == "false":
        found.is_paid = True
    kinds = item.get("@type")
    names = kinds if isinstance(kinds, list) else [kinds]
    if not any(isinstance(name, str) and name.endswith(_ARTICLES) for name in names):
        return
    body = item.get("articleBody")
    if isinstance(body, str) and found.article_body is None:
        found.article_body = body
    found.published = found.published or _text(item.get("datePublished"))
    found.modified = found.modified or _text(item.get("dateModified"))
    found.author = found.author or _author(item.get("author"))


def _items(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of linked data, at most two levels down."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    for outer in value if isinstance(value, list) else [value]:
        if not isinstance(outer, dict):
            continue
        yield outer
        graph = outer.get("@graph")
        if isinstance(graph, list):
            yield from (inner for inner in graph[:200] if isinstance(inner, dict))


def _text(value: object) -> str | None:
    return one_line(value)[:_MAX_LENGTH] or None if isinstance(value, str) else None


def _author(value: object) -> str | None:
    people = value if isinstance(value, list) else [value]
    names = [person.get("name") if isinstance(person, dict) else person for person in people[:20]]
    return (
        ", ".join(one_line(name) for name in names if isinstance(name, str) and name)[:200] or None
    )
