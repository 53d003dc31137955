"""URL keys: a URL in, the one name under which the ledger files it out.

What folds together and what stays apart is laid down in `url_key`.
"""

import re
from functools import lru_cache
from typing import NamedTuple, Self

from research_eval.ledger.host import normal_host

__all__ = ["SourceKey", "url_key"]

MAX_CACHED_CHARS = 2048
"""Longer URLs are keyed each time they are met, so that the cache stays small."""

_URL = re.compile(r"(https?)://([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?", re.IGNORECASE | re.DOTALL)
_AUTHORITY = re.compile(r"(?:(.*)@)?(\[[^\]]*\]|[^:@\[\]]*)(?::([0-9]*))?", re.DOTALL)
_TIDY = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/\[\]]*")
_OCTET = re.compile(r"%[0-9A-Fa-f]{2}")
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_FOREIGN = re.compile(r"[^A-Za-z0-9\-._~!$&'()*+,;=:@/?\[\]%]+")
_DOTS = re.compile(r"/\.{1,2}(?:/|$)")
_DEFAULT_PORT = {"http": "80", "https": "443"}
_TRACKING = frozenset(
    [
        "gclid",
        "fbclid",
        "yclid",
        "msclkid",
        "dclid",
        "igshid",
        "twclid",
        "mc_cid",
        "mc_eid",
        "_ga",
        "_gl",
        "ref_src",
        "ref_url",
        "cmpid",
        "spm",
        "share_id",
        "xtor",
    ]
)
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class SourceKey(NamedTuple):
    """The name of a source in the ledger."""

    value: str
    """Canonical URL, or the URL as written where it has no canonical form."""
    is_canonical: bool = True

    @classmethod
    def canonical(cls, value: str) -> Self:
        """Return the key of a URL whose canonical form is `value`."""
        return cls(value, True)

    @classmethod
    def verbatim(cls, url: str) -> Self:
        """Return the key of a URL without canonical form: the URL as written."""
        return cls(url, False)


def url_key(url: str) -> SourceKey:
    """Return the key under which the ledger files `url`.

    Together: `www.`, default port, fragment, tracking parameters, case of scheme and host, order of
    the query, one trailing slash (not the root's), and what RFC 3986 6.2.2 and UTS #46 call equal.
    Apart: all else, among it case of the path, reserved octets (`%2F`), http and https, user
    information, doubled slashes and an empty query.

    >>> url_key("HTTPS://www.Example.net:443/a/?b=2&utm_source=x&a=%7e#top").value
    'https://example.net/a?a=~&b=2'
    >>> url_key("urn:isbn:0451450523")
    SourceKey(value='urn:isbn:0451450523', is_canonical=False)
    """
    return _cached_key(url) if len(url) <= MAX_CACHED_CHARS else _key(url)


def _key(url: str) -> SourceKey:
    parts = _URL.fullmatch(url)
    if parts is None:
        stripped = url.strip()
        return SourceKey.verbatim(url) if stripped == url or not stripped else _key(stripped)
    scheme, authority, path, query = parts.groups()
    scheme = scheme.lower()
    place = _normal_authority(scheme, authority)
    if place is None:
        return SourceKey.verbatim(url)
    if _STRAY_PERCENT.search(path) or (query and _STRAY_PERCENT.search(query)):
        return SourceKey.verbatim(url)
    return SourceKey.canonical(f"{scheme}://{place}{_normal_path(path)}{_normal_query(query)}")


_cached_key = lru_cache(maxsize=16_384)(_key)


def _normal_authority(scheme: str, authority: str) -> str | None:
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None:
        return None
    user, name, port = parts.groups()
    host = normal_host(name) if name else None
    if host is None or (port and int(port[:9]) > 65535):
        return None
    if user is not None:
        if "\\" in user or _STRAY_PERCENT.search(user):
            return None
        host = f"{_normal_text(user)}@{host}"
    return f"{host}:{port}" if port and port != _DEFAULT_PORT[scheme] else host


def _normal_path(path: str) -> str:
    path = _normal_text(path)
    if _DOTS.search(path):
        path = _without_dot_segments(path)
    if path.endswith("/") and not path.endswith("//"):
        path = path[:-1]
    return path or "/"


def _without_dot_segments(path: str) -> str:
    kept: list[str] = []
    *inner, last = path.split("/")[1:]
    for segment in (
        [*inner, "" if last in {".", ".."} else last] if last != ".." else [*inner, "..", ""]
    ):
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    return "/" + "/".join(kept)


def _normal_query(query: str | None) -> str:
    if query is None:
        return ""
    pieces = _normal_text(query).split("&")
    kept = [piece for piece in pieces if not _is_tracking(piece)]
    if len(kept) < len(pieces) and not any(kept):
        return ""
    kept.sort()
    return "?" + "&".join(kept)


def _is_tracking(piece: str) -> bool:
    name = piece.partition("=")[0].lower()
    return name in _TRACKING or name.startswith("utm_")


def _normal_text(text: str) -> str:
    """Return `text` with upper-case octets, unreserved characters bare and all others encoded."""
    if _TIDY.fullmatch(text):
        return text
    if "%" in text:
        text = _OCTET.sub(_normal_octet, text)
    return _FOREIGN.sub(_encode, text)


def _normal_octet(match: re.Match[str]) -> str:
    char = chr(int(match[0][1:], 16))
    return char if char in _UNRESERVED else match[0].upper()


def _encode(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))
