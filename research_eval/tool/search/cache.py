"""Answers that are still fresh: a bounded map, the least recently used out first."""

from collections import OrderedDict
from typing import Generic, TypeVar

__all__ = ["FreshCache"]

K = TypeVar("K")
V = TypeVar("V")


class FreshCache(Generic[K, V]):
    """Keeps `size` values for `ttl_s` seconds each; time is told to it."""

    def __init__(self, *, size: int, ttl_s: float, evict_expired: bool = True) -> None:
        """Set the bounds.

        Args:
            size: How many entries there is room for; none disables the cache.
            ttl_s: How long an entry stays fresh, in seconds.
            evict_expired: Whether stale entries make room before fresh ones; otherwise a stale
                entry keeps its slot until it is the least recently used.
        """
        self._size = size
        self._ttl_s = ttl_s
        self._evict_expired = evict_expired
        self._entries: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._by_age: OrderedDict[K, None] = OrderedDict()

    def get(self, key: K, now: float) -> V | None:
        """Return the fresh value under `key`, and count it as used."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        expires, value = entry
        if now >= expires:
            if self._evict_expired:
                del self._entries[key], self._by_age[key]
            return None
        self._entries.move_to_end(key)
        return value

    def has(self, key: K, now: float) -> bool:
        """Return whether there is a fresh value under `key`; that is no use of it."""
        entry = self._entries.get(key)
        return entry is not None and now < entry[0]

    def put(self, key: K, value: V, now: float) -> None:
        """Keep `value`, making room if there is none."""
        if self._size <= 0:
            return
        self._entries[key] = (now + self._ttl_s, value)
        self._entries.move_to_end(key)
        self._by_age[key] = None
        self._by_age.move_to_end(key)
        if len(self._entries) > self._size:
            self._make_room(now)

    def _make_room(self, now: float) -> None:
        eldest = next(iter(self._by_age))
        if self._evict_expired and now >= self._entries[eldest][0]:
            del self._entries[eldest], self._by_age[eldest]
            return
        key, _ = self._entries.popitem(last=False)
        del self._by_age[key]

    def __len__(self) -> int:
        return len(self._entries)
