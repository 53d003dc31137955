"""Hosts: one spelling for a name, an internationalised name or an address."""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import unquote_to_bytes

__all__ = ["is_address", "normal_host"]

_PLAIN = re.compile(r"[a-z0-9_~-]+(?:\.[a-z0-9_~-]+)*\.?")
_NAME = re.compile(r"[a-z0-9._~-]+")


def normal_host(host: str) -> str | None:
    """Return the one spelling of `host`, or `None` where it has none.

    Names are mapped by UTS #46 (non-transitional) and written in ASCII; `www.` is left off.
    """
    lowered = host.lower()
    if _PLAIN.fullmatch(lowered) and "xn--" not in lowered:
        return _without_www(lowered)
    if lowered.startswith("["):
        return _normal_literal(lowered)
    name = _normal_name(host)
    return None if name is None else _without_www(name)


def _normal_literal(host: str) -> str | None:
    if not host.endswith("]"):
        return None
    address, percent, zone = host[1:-1].partition("%25")
    try:
        return f"[{IPv6Address(address).compressed}{percent}{zone}]"
    except AddressValueError:
        return None


def _normal_name(host: str) -> str | None:
    import idna  # noqa: PLC0415  # its tables take long to load, and few hosts need them

    if "%" in host:
        try:
            host = unquote_to_bytes(host).decode("utf-8")
        except UnicodeDecodeError:
            return None
    try:
        mapped = idna.uts46_remap(host, std3_rules=False, transitional=False)
        name = ".".join(_ascii_label(label) for label in mapped.split("."))
    except (idna.IDNAError, UnicodeError):
        return None
    return name if _NAME.fullmatch(name) else None


def _ascii_label(label: str) -> str:
    return label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")


def _without_www(host: str) -> str:
    rest = host.removeprefix("www.")
    if "." not in rest.rstrip(".") or rest.startswith("www.") or is_address(rest):
        return host
    return rest


def is_address(host: str) -> bool:
    """Whether a normal host is an IP address."""
    if host.startswith("["):
        return True
    if not host[:1].isdigit():
        return False
    try:
        IPv4Address(host)
    except AddressValueError:
        return False
    return True
