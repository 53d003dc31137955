"""Sites: whether two URLs lie on the same registrable domain."""

from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from research_eval.ledger.host import is_address, normal_host

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

__all__ = ["is_same_site", "site_of_url"]


def is_same_site(one: str, other: str) -> bool:
    """Whether both URLs have one host, or one registrable domain by the public suffix list."""
    first, second = _host(one), _host(other)
    if first is None or second is None:
        return False
    if first == second or is_address(first) or is_address(second):
        return first == second
    domain = _suffixes().privatesuffix(first)
    return domain is not None and domain == _suffixes().privatesuffix(second)


def site_of_url(url: str) -> str | None:
    """Return the domain that somebody registered, or the host where there is none, such as an address.

    >>> site_of_url("https://news.example.co.uk/a"), site_of_url("http://10.1.2.3/a")
    ('example.co.uk', '10.1.2.3')
    """
    host = _host(url)
    if host is None or is_address(host):
        return host
    return _suffixes().privatesuffix(host) or host


def _host(url: str) -> str | None:
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return None
    if not host:
        return None
    return normal_host(f"[{host}]" if ":" in host else host)


@cache
def _suffixes() -> "PublicSuffixList":
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415  # long to load

    return PublicSuffixList()
