"""Sites: whether two URLs lie on the same registrable domain."""

from functools import cache
from urllib.parse import urlsplit

from publicsuffixlist import PublicSuffixList

from research_eval.ledger.host import is_address, normal_host

__all__ = ["is_same_site"]


def is_same_site(one: str, other: str) -> bool:
    """Whether both URLs have one host, or one registrable domain by the public suffix list."""
    first, second = _host(one), _host(other)
    if first is None or second is None:
        return False
    if first == second or is_address(first) or is_address(second):
        return first == second
    domain = _suffixes().privatesuffix(first)
    return domain is not None and domain == _suffixes().privatesuffix(second)


def _host(url: str) -> str | None:
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return None
    if not host:
        return None
    return normal_host(f"[{host}]" if ":" in host else host)


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()
