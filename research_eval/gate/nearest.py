"""The record of a ledger that comes closest to a URL which is not in it, and how it differs.

An index by host and page keeps the cost of one look-up away from the size of the ledger.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import compress
from operator import ne
from typing import NamedTuple

from research_eval.ledger import SourceKey
from research_eval.schema import SourceRecord

__all__ = ["Nearest", "NearestIndex"]

PARTS = ("scheme", "user", "host", "port", "path", "query")
"""The parts of a URL that are compared, as they are named to people."""

MAX_LOOKED_AT = 20
"""Hosts below a host, pages of one path, and neighbours in the alphabet: how many are compared."""

_KEY = re.compile(r"(https?)://(?:([^@/]*)@)?(\[[^\]]*\]|[^/:]*)(?::(\d+))?([^?]*)(.*)", re.DOTALL)

Parts = tuple[str, ...]


class Nearest(NamedTuple):
    """A near miss."""

    record: SourceRecord
    differs: tuple[str, ...]
    """The parts in which it differs, for instance `("path",)`."""


class _Known(NamedTuple):
    """A record in the index; the first field orders the alphabet."""

    key: str
    number: int
    parts: Parts
    record: SourceRecord


class _Pages:
    """Records of one host that are opened alike: by path, by query, and in the alphabet."""

    def __init__(self) -> None:
        self._all: list[_Known] = []
        self._by_path: dict[str, list[_Known]] = defaultdict(list)
        self._by_query: dict[str, list[_Known]] = defaultdict(list)
        self._is_sorted = False

    def add(self, known: _Known) -> None:
        self._all.append(known)
        self._by_path[known.parts[4]].append(known)
        self._by_query[known.parts[5]].append(known)

    def near(self, value: str, parts: Parts) -> Iterator[_Known]:
        """Yield what may be the closest: few records, whatever the number of pages."""
        if not self._is_sorted:
            for pages in (self._all, *self._by_path.values(), *self._by_query.values()):
                pages.sort()
            self._is_sorted = True
        for group in (self._by_path.get(parts[4], []), self._by_query.get(parts[5], [])):
            if len(group) < len(self._all):
                yield from _neighbours(group, value)
        yield from _neighbours(self._all, value)


def _neighbours(group: list[_Known], value: str) -> Iterator[_Known]:
    """Yield the records around `value` in the alphabet: the longest common beginning is there."""
    if len(group) <= MAX_LOOKED_AT:
        yield from group
        return
    place = bisect_left(group, value, key=lambda known: known.key)
    yield from group[max(0, place - MAX_LOOKED_AT // 2) : place + MAX_LOOKED_AT // 2]


class NearestIndex:
    """The records of one ledger, to be asked for many URLs."""

    def __init__(self, records: Iterable[SourceRecord]) -> None:
        self._hosts: dict[str, dict[tuple[str, str, str, bool], _Pages]] = {}
        self._below: dict[str, list[str]] = defaultdict(list)
        self._pages: dict[tuple[str, ...], list[_Known]] = defaultdict(list)
        for number, record in enumerate(records):
            is_met = record.state in {"searched", "fetched"}
            parts = _parts(record.key) if is_met and record.is_canonical else None
            if parts is not None:
                self._add(_Known(record.key, number, parts, record))

    def _add(self, known: _Known) -> None:
        scheme, user, host, port, *page = known.parts
        if host not in self._hosts:
            self._hosts[host] = {}
            for domain in _domains_above(host):
                self._below[domain].append(host)
        place = (scheme, user, port, known.record.state == "fetched")
        self._hosts[host].setdefault(place, _Pages()).add(known)
        same = self._pages[tuple(page)]
        if len(page[0]) > 1 and len(same) < MAX_LOOKED_AT:
            same.append(known)

    def find(self, key: SourceKey) -> Nearest | None:
        """Return the record closest to `key`, if any lies on the same or a related host.

        Fewest differing parts come first, then a page that was opened, then the longest common
        beginning, then the one met first.
        """
        parts = _parts(key.value) if key.is_canonical else None
        if parts is None:
            return None
        best: _Known | None = None
        best_rank, head = (len(PARTS) + 1, False, 0, 0), ""
        for known in self._candidates(key.value, parts):
            rest = (sum(map(ne, parts, known.parts)), known.record.state != "fetched")
            is_later = rest == best_rank[:2] and known.number >= best_rank[3]
            if not rest[0] or rest > best_rank[:2] or (is_later and not known.key.startswith(head)):
                continue
            rank = (*rest, -_common_chars(key.value, known.key), known.number)
            if rank < best_rank:
                best, best_rank, head = known, rank, key.value[: 1 - rank[2]]
        if best is None:
            return None
        return Nearest(best.record, tuple(compress(PARTS, map(ne, parts, best.parts))))

    def _candidates(self, value: str, parts: Parts) -> Iterator[_Known]:
        host = parts[2]
        yield from self._pages.get(parts[4:], ()) if len(parts[4]) > 1 else ()
        for one in (host, *_domains_above(host), *self._below.get(host, [])[:MAX_LOOKED_AT]):
            groups = self._hosts.get(one, {})
            for pages in [*groups.values()][:MAX_LOOKED_AT]:
                yield from pages.near(value, parts)


def _domains_above(host: str) -> list[str]:
    labels = host.split(".")[:MAX_LOOKED_AT]
    return [".".join(host.split(".")[number:]) for number in range(1, len(labels))]


def _common_chars(one: str, other: str) -> int:
    """Return how many characters both begin with, found by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _parts(value: str) -> Parts | None:
    match = _KEY.fullmatch(value)
    return None if match is None else tuple(part or "" for part in match.groups())
