"""Which IP addresses are public: decided from the registries of special-purpose addresses.

`ipaddress.is_private` is not asked: its answer differs between patch releases of Python, and it
leaves out shared address space.
"""

from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

__all__ = ["is_public", "parse_address", "parse_network"]

_CLOSED_V4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",  # a cloud provider's host agent, on a routable address
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_OPEN_V6 = IPv6Network("2000::/3")
_CLOSED_V6 = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # Teredo, benchmarking, ORCHID and other protocol assignments
        "2001:db8::/32",
        "2002::/16",  # 6to4: any IPv4 address in disguise
        "2620:4f:8000::/48",
        "3fff::/20",
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")
_ISATAP = frozenset({0x0000_5EFE, 0x0200_5EFE, 0x0100_5EFE, 0x0300_5EFE})


def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """Return the address that `text` spells in its usual form, or `None`."""
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        return None


def parse_network(text: str) -> IPv4Network | IPv6Network | None:
    """Return the network that `text` spells, or `None` where it is a host name."""
    try:
        return ip_network(text.strip("[]"), strict=False)
    except ValueError:
        return None


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Say whether `address` belongs to the public internet, whatever it is wrapped in."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_V4)
    number = int(address)
    inner = IPv4Address(number & 0xFFFF_FFFF)
    if address in _NAT64:
        return is_public(inner)
    if address not in _OPEN_V6 or any(address in network for network in _CLOSED_V6):
        return False
    is_isatap = (number >> 32) & 0xFFFF_FFFF in _ISATAP
    return not is_isatap or is_public(inner)
