"""The registrable domain of a URL, by the public suffix list."""

from functools import cache
from urllib.parse import urlsplit

from publicsuffixlist import PublicSuffixList

__all__ = ["registrable_domain"]


def registrable_domain(url: str) -> str | None:
    """Return the domain that somebody registered, or the host where there is none.

    >>> registrable_domain("https://news.example.co.uk/a")
    'example.co.uk'
    """
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return None
    if not host:
        return None
    return _suffixes().privatesuffix(host) or host


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()
