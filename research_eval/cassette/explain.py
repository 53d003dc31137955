"""Misses: a request that fits no recording in, the nearest recordings and what differs out."""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from typing_extensions import override

from research_eval.cassette.key import CanonicalRequest

__all__ = ["MAX_CANDIDATES", "Candidate", "Difference", "differences", "explain", "nearest"]

MAX_CANDIDATES = 3
"""Most recordings that a miss tells of."""

_ADDRESS = ("method", "url.host", "url.path", "url.query")
_MAX_COMPARED = 60
_MAX_DIFFERENCES = 50
_SHOWN_CHARS = 60
_MAX_DEPTH = 64


class Candidate(NamedTuple):
    """A recorded request that might have been meant."""

    label: str
    """What it is called in a message, for instance `recording 3 of 7`."""
    method: str
    uri: str
    content: bytes
    is_next: bool = False
    """Whether its turn would have come now."""


class Difference(NamedTuple):
    """One place where a request is not what was recorded."""

    path: str
    """For instance `messages[1].content`, `tools[0].function.description`, `url.query`."""
    recorded: str
    now: str


def nearest(
    canonical: CanonicalRequest, candidates: Iterable[Candidate]
) -> list[tuple[Candidate, list[Difference]]]:
    """Return at most three recorded requests most like `canonical`, with what differs, nearest first."""
    now = _parts(canonical.method, canonical.uri, canonical.content)
    ranked = []
    for place, candidate in enumerate(islice(candidates, _MAX_COMPARED)):
        recorded = _parts(candidate.method, candidate.uri, candidate.content)
        found = list(islice(differences(recorded, now), _MAX_DIFFERENCES))
        is_elsewhere = any(
            difference.path in {"method", "url.host", "url.path"} for difference in found
        )
        ranked.append(((is_elsewhere, not candidate.is_next, len(found), place), candidate, found))
    ranked.sort(key=lambda entry: entry[0])
    return [(candidate, found) for _, candidate, found in ranked[:MAX_CANDIDATES]]


def differences(
    recorded: object, now: object, path: str = "", depth: int = 0
) -> Iterator[Difference]:
    """Return where two JSON values differ, in the order of their fields and items."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(recorded, dict) and isinstance(now, dict):
        for name in sorted({*recorded, *now}, key=lambda name: (name not in _ADDRESS, name)):
            below = f"{path}.{name}" if path else name
            yield from differences(
                recorded.get(name, _ABSENT), now.get(name, _ABSENT), below, depth + 1
            )
    elif isinstance(recorded, list) and isinstance(now, list):
        for index in range(max(len(recorded), len(now))):
            old = recorded[index] if index < len(recorded) else _ABSENT
            new = now[index] if index < len(now) else _ABSENT
            yield from differences(old, new, f"{path}[{index}]", depth + 1)
    elif type(recorded) is not type(now) or recorded != now:
        yield Difference(path or "body", *_excerpts(_shown(recorded), _shown(now)))


def explain(
    canonical: CanonicalRequest, candidates: Iterable[Candidate]
) -> tuple[str, Difference | None]:
    """Return in words which recordings come nearest to a request, and the first difference to the nearest."""
    found = nearest(canonical, candidates)
    if not found:
        return "nothing like it was recorded", None
    words = []
    for candidate, all_differences in found:
        if not all_differences:
            words.append(f"{candidate.label} is equal but was played already")
            continue
        first = all_differences[0]
        others = len(all_differences) - 1
        more = f" and {others} more" if others else ""
        words.append(
            f"{candidate.label} differs at {first.path}{more}: recorded {first.recorded}, now {first.now}"
        )
    return "nearest: " + "; ".join(words), found[0][1][0] if found[0][1] else None


class _Absent:
    @override
    def __repr__(self) -> str:
        return "nothing"


_ABSENT = _Absent()


def _parts(method: str, uri: str, content: str | bytes) -> dict[str, Any]:
    """Return a request as one value; fields of a JSON body stand at the top, so that paths are short."""
    split = urlsplit(uri)
    parts: dict[str, Any] = {
        "method": method,
        "url.host": f"{split.scheme}://{split.netloc}",
        "url.path": split.path,
        "url.query": split.query,
    }
    try:
        value = json.loads(content) if content else None
    except (ValueError, RecursionError):
        value = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    return parts | value if isinstance(value, dict) else parts | {"body": value}


def _shown(value: object) -> str:
    if value is _ABSENT:
        return "nothing"
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return type(value).__name__


def _excerpts(recorded: str, now: str) -> tuple[str, str]:
    """Return both texts, cut to the surroundings of where they first differ."""
    start = 0
    for old, new in zip(recorded, now, strict=False):
        if old != new:
            break
        start += 1
    begin = max(0, start - _SHOWN_CHARS // 3) if start > _SHOWN_CHARS // 2 else 0
    return _cut(recorded, begin), _cut(now, begin)


def _cut(text: str, begin: int) -> str:
    end = begin + _SHOWN_CHARS
    return f"{'…' if begin else ''}{text[begin:end]}{'…' if end < len(text) else ''}"
