"""The part of the SSRF guard that can be checked on the URL alone, on each hop, in replay as in life."""

import re

import httpx

from research_eval.tool.fetch.address import is_public, parse_address, parse_network
from research_eval.tool.fetch.settings import FetchSettings

__all__ = ["SsrfGuardError", "check_url", "matches_host", "may_be_private"]

_DEFAULT_PORTS = {"http": 80, "https": 443}
_LAST_PORT = 65_535
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_AUTHORITY = re.compile(r"(?i)https?://([^/?#]*)")
_NUMERIC_LABEL = re.compile(r"(?i)(?:\d+|0x[0-9a-f]*)\Z")
_HOST = re.compile(r"(?i)[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\Z")


class SsrfGuardError(Exception):
    """A URL is not allowed by the SSRF guard.

    Attributes:
        kind: `invalid_url` for one that is not well formed, `blocked` for one that is not allowed.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def check_url(url: str, settings: FetchSettings) -> httpx.URL:
    """Return `url` parsed, if it may be asked for; the same object must be used for the request.

    Raises:
        SsrfGuardError: If it is malformed, ambiguous, or refused by the SSRF guard.
    """
    _check_spelling(url)
    try:
        parsed = httpx.URL(url.replace(" ", "%20"))
        host = parsed.raw_host.decode("ascii").lower().rstrip(".")
        _ = parsed.host  # httpx decodes it late, after a redirect as well, and raises there
    except (httpx.InvalidURL, UnicodeError, ValueError) as exc:
        raise SsrfGuardError("invalid_url", "it is not a well-formed address") from exc
    _check_host(host)
    if parsed.port is not None and parsed.port > _LAST_PORT:
        raise SsrfGuardError("invalid_url", "it names no port")
    port = parsed.port or _DEFAULT_PORTS[parsed.scheme]
    if settings.ports is not None and port not in settings.ports:
        raise SsrfGuardError("blocked", f"port {port} may not be used")
    _check_lists(host, settings)
    address = parse_address(host)
    if address and not is_public(address) and not may_be_private(host, host, settings):
        raise SsrfGuardError("blocked", "it does not lead to the public internet")
    return parsed.copy_with(host=host, fragment=None)


def _check_spelling(url: str) -> None:
    if _CONTROLS.search(url) or "\\" in url:
        raise SsrfGuardError("invalid_url", "it holds a control character or a backslash")
    scheme, colon, _ = url.partition("://")
    if not colon:
        raise SsrfGuardError("invalid_url", "it must begin with http:// or https://")
    if scheme.lower() not in _DEFAULT_PORTS:
        raise SsrfGuardError("invalid_url", f"{scheme[:20]!r} is not http or https")
    authority = _AUTHORITY.match(url)
    if authority is None or not authority[1]:
        raise SsrfGuardError("invalid_url", "it names no host")
    if "@" in authority[1]:
        raise SsrfGuardError("invalid_url", "it holds a user name or password")
    if "%" in authority[1] or " " in authority[1]:
        raise SsrfGuardError("invalid_url", "its host holds a percent sign or a space")


def _check_host(host: str) -> None:
    """Refuse hosts that different parsers read as different addresses."""
    if parse_address(host):
        return
    if ":" in host or not _HOST.match(host) or ".." in host or len(host) > 253:
        raise SsrfGuardError("invalid_url", "its host is not a host name")
    if _NUMERIC_LABEL.match(host.rpartition(".")[2]):
        raise SsrfGuardError("blocked", "its host is a number in disguise")


def _check_lists(host: str, settings: FetchSettings) -> None:
    if matches_host(host, settings.deny_hosts):
        raise SsrfGuardError("blocked", f"the host {host} is on the list of closed hosts")
    if settings.allow_hosts is not None and not matches_host(host, settings.allow_hosts):
        raise SsrfGuardError("blocked", f"the host {host} is not on the list of open hosts")


def matches_host(host: str, entries: tuple[str, ...]) -> bool:
    """Say whether `host` is one of `entries`, or lies under one that begins with a dot."""
    return any(_matches(host, entry) for entry in entries)


def _matches(host: str, entry: str) -> bool:
    name = entry.strip().lower().rstrip(".")
    if not name.isascii():
        dot = "." if name.startswith(".") else ""
        name = dot + httpx.URL(f"http://{name.lstrip('.')}").raw_host.decode("ascii")
    if name.startswith("."):
        return host == name[1:] or host.endswith(name)
    return host == name.strip("[]")


def may_be_private(host: str, address: str, settings: FetchSettings) -> bool:
    """Say whether `host`, which resolved to `address`, is allowed although it is not public."""
    if matches_host(host, settings.allow_private):
        return True
    literal = parse_address(address)
    networks = (parse_network(entry) for entry in settings.allow_private)
    return literal is not None and any(
        network is not None and network.version == literal.version and literal in network
        for network in networks
    )
