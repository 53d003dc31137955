"""Resolve the addresses in a page against where it was found."""

import re
from urllib.parse import urljoin

__all__ = ["LinkResolver"]

_TRIM = "".join(map(chr, range(33)))
_LINE_ENDS = re.compile(r"[\t\n\r]")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_PLAIN = re.compile(
    r"https?://[\w.-]+(?::\d+)?/(?!\.)(?:[\w~!$&'()*+,;=:@%?#-]|\.(?!\.?/)|/(?!\.))*\Z", re.ASCII
)
"""An absolute address that can stand as it is."""
_WEB = re.compile(r"(?i)https?://[^/\s]")


class LinkResolver:
    """Turns the addresses of one page into absolute ones."""

    def __init__(self, url: str, base: str | None = None) -> None:
        self._page = url.partition("#")[0]
        self._base = url if base is None else _join(url, base) or url
        self._known: dict[str, str | None] = {}

    def resolve(self, href: str | None) -> str | None:
        """Return the absolute form of `href`; `None` unless it leads to another web page."""
        if href is None:
            return None
        if href not in self._known:
            self._known[href] = self._resolve(href)
        return self._known[href]

    def _resolve(self, href: str) -> str | None:
        text = _LINE_ENDS.sub("", href.strip(_TRIM))
        if not text or text.startswith("#"):
            return None
        scheme = _SCHEME.match(text)
        if scheme is not None and scheme[1].lower() not in {"http", "https"}:
            return None
        joined = text if _PLAIN.match(text) else _join(self._base, text)
        if joined is None or not _WEB.match(joined):
            return None
        page, hash_mark, _ = joined.partition("#")
        return None if hash_mark and page == self._page else joined


def _join(base: str, text: str) -> str | None:
    try:
        joined = urljoin(base, text.replace("\\", "/") if "?" not in text else text)
    except ValueError:
        return None
    return joined.replace(" ", "%20").replace("<", "%3C").replace(">", "%3E")
