"""When two spellings of an address mean the same page on this server, as real servers see it."""

from urllib.parse import quote, unquote_to_bytes

__all__ = ["address", "ascii_url", "split_url"]

_UNRESERVED = "!$'()*,;:@"
"""Kept as they are in a path segment; quoted and plain mean the same to this server."""


def split_url(url: str) -> tuple[str, str, str]:
    """Return scheme, host with port, and target (path and query) of an absolute URL."""
    scheme, _, rest = url.partition("://")
    rest = rest.partition("#")[0]
    cut = min((at for at in (rest.find("/"), rest.find("?")) if at >= 0), default=len(rest))
    host, target = rest[:cut], rest[cut:]
    return scheme.lower(), host.lower(), target if target.startswith("/") else "/" + target


def address(host: str, target: str) -> str:
    """Return the key under which the server keeps the page at `target` on `host`.

    Percent-encoding, query order and tracking parameters do not matter; a trailing slash does.
    """
    path, _, query = target.partition("#")[0].partition("?")
    segments = "/".join(quote(unquote_to_bytes(part), safe=_UNRESERVED) for part in path.split("/"))
    pairs = sorted(
        quote(unquote_to_bytes(pair), safe=_UNRESERVED + "=") for pair in query.split("&") if pair
    )
    kept = [pair for pair in pairs if not pair.startswith("utm_")]
    return _ascii_host(host) + segments + ("?" + "&".join(kept) if kept else "")


def ascii_url(url: str) -> str:
    """Return `url` with its non-ASCII letters encoded, as it goes over the wire."""
    scheme, host, _ = split_url(url)
    rest = url.partition("://")[2][len(host) :]
    return f"{scheme}://{_ascii_host(host)}{quote(rest, safe=_UNRESERVED + '/?&=#%+~')}"


def _ascii_host(host: str) -> str:
    """Return `host` in lower case and punycode, without a default port; nonsense stays as it is."""
    name = host.lower().removesuffix(":443").removesuffix(":80").rstrip(".")
    try:
        return name if name.isascii() else name.encode("idna").decode("ascii")
    except UnicodeError:
        return name
