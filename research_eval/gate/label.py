"""Labels: a URL that only shows where the link around it, or right behind it, leads.

It is no citation of its own. A label that names another page is one.
"""

import re
from urllib.parse import parse_qsl, urlsplit

from research_eval.schema import Citation

__all__ = ["without_labels"]

MAX_LABEL_REST = 24
"""How much may follow a URL inside the text of the link around it."""

MAX_ANCHOR_CHARS = 200
"""How far behind a destination in HTML its text may begin."""

_DOTS = re.compile("\\.{3}|\u2026")
_HOST = re.compile(r"(https?)://(?:www\.)?([^/?#]+)/?$", re.IGNORECASE)
_HOST_OF = re.compile(r"(https?)://(?:www\.)?([^/?#]+)", re.IGNORECASE)
_TITLE_BREAK = re.compile(r"[\s:\u2013\u2014-]{0,5}")
_WRAPPER = re.compile(r"https?://(?:www\.)?google\.[a-z.]{2,6}/url\?", re.IGNORECASE)


def without_labels(text: str, found: list[Citation]) -> list[Citation]:
    """Return `found` without the bare URLs that only show a destination."""
    kept: list[Citation] = []
    shown: Citation | None = None
    for index, citation in enumerate(found):
        following = found[index + 1] if index + 1 < len(found) else None
        if citation.form == "bare":
            before = found[index - 1] if index else None
            if before is not None and _is_anchor_text(text, before, citation):
                continue
            if following is not None and _only_shows(text, citation, following):
                shown = citation
                continue
        target = _unwrapped(citation.url) if shown is not None else None
        if shown is not None and target is not None:
            kept.append(citation.model_copy(update={"url": target, "readings": (shown.url,)}))
        else:
            kept.append(citation)
        shown = None
    return kept


def _only_shows(text: str, shown: Citation, following: Citation) -> bool:
    """Whether `shown` is the label or the shortened title of the citation behind it."""
    if following.start - shown.end > MAX_LABEL_REST:
        return False
    between = text[shown.end : following.start]
    if _is_title(shown, following, between):
        return True
    if not _is_label(following, between):
        return False
    target = _unwrapped(following.url)
    if target is not None and _is_same(shown.url, between, target):
        return True
    return _is_same(shown.url, between, following.url)


def _is_label(link: Citation, between: str) -> bool:
    if link.form != "markdown" or "](" not in between:
        return False
    rest = between.partition("](")[0]
    return "[" not in rest and "\n\n" not in rest


def _is_title(shown: Citation, following: Citation, between: str) -> bool:
    """Whether `shown` is the title of a reference that a search engine shortened."""
    written = shown.url.rstrip(":-")
    if not written.endswith(("/...", "/\u2026")) or not _TITLE_BREAK.fullmatch(between):
        return False
    return following.url.startswith(written.rstrip(".\u2026"))


def _unwrapped(url: str) -> str | None:
    """Return where the wrapper of an export leads, `https://www.google.com/url?q=…`."""
    if not _WRAPPER.match(url):
        return None
    parameters = dict(parse_qsl(urlsplit(url).query))
    return parameters.get("q") or parameters.get("url")


def _is_anchor_text(text: str, link: Citation, shown: Citation) -> bool:
    if link.form != "html":
        return False
    between = text[link.end : min(shown.start, link.end + MAX_ANCHOR_CHARS)]
    is_inside = shown.start - link.end < MAX_ANCHOR_CHARS and "</" not in between
    return is_inside and _is_same(shown.url, text[shown.end : shown.end + 3], link.url)


def _is_same(shown: str, after: str, url: str) -> bool:
    """Whether `shown` is `url`, its host, or `url` with dots for a part of it."""
    if after.startswith(("\u2026", "...")):
        return url.startswith(shown)
    if shown.endswith(("\u2026", "...")):
        return url.startswith(shown.rstrip("\u2026."))
    dots = _DOTS.search(shown)
    if dots is not None:
        head, tail = shown[: dots.start()], shown[dots.end() :]
        return url.startswith(head) and url.endswith(tail) and len(url) >= len(head) + len(tail)
    host, other = _HOST.match(shown), _HOST_OF.match(url)
    if host is not None and other is not None and host[2].lower() == other[2].lower():
        return host[1].lower() == other[1].lower() or shown.startswith("http://www.")
    return shown.removesuffix("/") == url.removesuffix("/")
