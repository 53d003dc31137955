"""The record of a ledger that comes closest to a URL which is not in it, and how it differs."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from research_eval.ledger import SourceKey
from research_eval.schema import SourceRecord

__all__ = ["Nearest", "find_nearest"]

PARTS = ("scheme", "user", "host", "port", "path", "query")
"""The parts of a URL that are compared, as they are named to people."""

_KEY = re.compile(r"(https?)://(?:([^@/]*)@)?(\[[^\]]*\]|[^/:]*)(?::(\d+))?([^?]*)(.*)", re.DOTALL)


class Nearest(NamedTuple):
    """A near miss."""

    record: SourceRecord
    differs: tuple[str, ...]
    """The parts in which it differs, for instance `("path",)`."""


def find_nearest(key: SourceKey, records: Iterable[SourceRecord]) -> Nearest | None:
    """Return the record closest to `key`, if any lies on the same or a related host.

    Fewest differing parts come first, then a page that was opened, then the longest common
    beginning, then the one met first.
    """
    parts = _parts(key.value) if key.is_canonical else None
    if parts is None:
        return None
    site = ".".join(parts[2].split(".")[-2:])
    page = parts[4] + parts[5]
    best: Nearest | None = None
    best_rank: tuple[int, bool, int] | None = None
    for record in records:
        if site not in record.key and not record.key.endswith(page):
            continue
        others = _parts(record.key) if record.is_canonical else None
        if others is None or others == parts or not _are_related(parts, others):
            continue
        differs = tuple(
            name for name, one, other in zip(PARTS, parts, others, strict=True) if one != other
        )
        common = _common_chars(key.value, record.key)
        rank = (len(differs), record.state != "fetched", -common)
        if best_rank is None or rank < best_rank:
            best, best_rank = Nearest(record, differs), rank
    return best


def _are_related(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether the hosts are the same, one lies below the other, or the rest is the same."""
    host, other_host = one[2], other[2]
    return (
        host == other_host
        or host.endswith(f".{other_host}")
        or other_host.endswith(f".{host}")
        or (len(one[4]) > 1 and one[4:] == other[4:])
    )


def _common_chars(one: str, other: str) -> int:
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))


@lru_cache(maxsize=4096)
def _parts(value: str) -> tuple[str, ...] | None:
    match = _KEY.fullmatch(value)
    return None if match is None else tuple(part or "" for part in match.groups())
