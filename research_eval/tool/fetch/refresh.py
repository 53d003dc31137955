"""Where a page sends its visitor on by itself: the header `Refresh`, or a `meta` element like it."""

import re
from urllib.parse import urljoin

import httpx
from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_eval.tool.fetch.decode import decode

__all__ = ["refresh_of"]

_REFRESH = re.compile(
    r"\s*(\d{1,6})?(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?(?:\"([^\"]*)|'([^']*)|(.*))",
    re.IGNORECASE | re.DOTALL,
)
_SHORT_S = 5
"""Seconds up to which a page is a step on the way; later it is a page that reloads itself."""
_HEAD_BYTES = 100_000
_NOT_RUN = frozenset({"noscript", "template"})
_MAX_ANCESTORS = 50


def refresh_of(url: str, headers: httpx.Headers, body: bytes) -> str | None:
    """Return where the document at `url` sends its visitor within seconds; `None` if nowhere else."""
    told = headers.get("refresh")
    target = _target(told) if told else None
    if target is None:
        base, target = _in_markup(headers.get("content-type", ""), body)
        url = urljoin(url, base) if base and target else url
    if not target:
        return None
    try:
        joined = urljoin(url, target)
    except ValueError:
        return None
    is_same = joined.partition("#")[0] == url.partition("#")[0]
    is_web = joined[:8].lower().startswith(("http://", "https://"))
    return joined if is_web and not is_same else None


def _target(value: str) -> str | None:
    found = _REFRESH.match(value[:4000])
    if found is None or found[1] is None or int(found[1]) > _SHORT_S:
        return None
    return (found[2] or found[3] or found[4] or "").strip() or None


def _in_markup(content_type: str, body: bytes) -> tuple[str | None, str | None]:
    """Return the base of the page's addresses and the target of its `meta` element."""
    head = body[:_HEAD_BYTES]
    if b"refresh" not in head.lower() or "html" not in (content_type.lower() or "html"):
        return None, None
    parser = LexborHTMLParser(decode(head, content_type=content_type, is_html=True).text)
    for node in parser.css("meta[http-equiv]"):
        attrs = node.attributes
        if (attrs.get("http-equiv") or "").strip().lower() == "refresh" and _is_run(node):
            base = parser.css_first("base[href]")
            target = _target(attrs.get("content") or "")
            return (base.attributes.get("href") if base is not None else None), target
    return None, None


def _is_run(node: LexborNode) -> bool:
    place = node.parent
    for _ in range(_MAX_ANCESTORS):
        if place is None:
            return True
        if place.tag in _NOT_RUN:
            return False
        place = place.parent
    return False
