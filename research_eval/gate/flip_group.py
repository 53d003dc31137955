"""Flips for a reviewer: many in, counts by direction and reason out, and groups with a few examples each."""

from collections import Counter
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from research_eval.gate.flip import Flip
from research_eval.schema import Record

__all__ = ["GROUPINGS", "FlipGroup", "FlipGroups", "Grouping"]

Grouping = Literal["reason", "kind", "url", "host", "case", "configuration"]
GROUPINGS: dict[Grouping, str] = {
    "reason": "kind of violation and how the nearest page differs",
    "kind": "kind of violation",
    "url": "URL",
    "host": "host of the URL",
    "case": "case",
    "configuration": "configuration",
}
"""What flips can be put together by."""
EXAMPLES = 3
"""Flips that a group shows."""


class FlipGroup(Record):
    """Flips in one direction that have the same reason, host, and so on."""

    change: str
    group: str
    flips: int
    expected: int
    """How many of them are wanted."""
    examples: tuple[Flip, ...]
    """The first few."""


class _Key(NamedTuple):
    change: str
    group: str


class FlipGroups:
    """Counts flips as they come; of each group it keeps the first few alone."""

    def __init__(self, by: Grouping = "reason") -> None:
        self._by: Grouping = by
        self._counts: Counter[_Key] = Counter()
        self._expected: Counter[_Key] = Counter()
        self._examples: dict[_Key, list[Flip]] = {}

    def add(self, flip: Flip, *, is_expected: bool) -> None:
        """Take note of a flip; one with several reasons counts once, by all of them."""
        key = _Key(flip.change, _group(flip, self._by))
        self._counts[key] += 1
        self._expected[key] += is_expected
        kept = self._examples.setdefault(key, [])
        if len(kept) < EXAMPLES:
            kept.append(flip)

    def groups(self) -> list[FlipGroup]:
        """Return the groups: by direction, the largest first."""
        order = sorted(self._counts, key=lambda key: (key.change, -self._counts[key], key.group))
        return [
            FlipGroup(
                change=key.change,
                group=key.group,
                flips=self._counts[key],
                expected=self._expected[key],
                examples=tuple(self._examples[key]),
            )
            for key in order
        ]


def _group(flip: Flip, by: Grouping) -> str:
    if by == "case":
        return flip.case_id
    if by == "configuration":
        return flip.configuration
    if by == "kind":
        found = [one.kind for one in flip.findings]
    elif by == "reason":
        found = [
            f"{one.kind} (another {one.difference})" if one.difference else one.kind
            for one in flip.findings
        ]
    else:
        urls = [one.url or one.kind for one in flip.findings]
        found = urls if by == "url" else [_host(url) for url in urls]
    return ", ".join(sorted(set(found)))


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or url
    except ValueError:
        return url
