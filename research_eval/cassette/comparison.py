"""Comparisons: two stores in, what was added, removed and changed out; and one store in figures."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from research_eval.cassette.place import NamedStore
from research_eval.cassette.playback import Interaction
from research_eval.cassette.store import FolderStore, Store

__all__ = ["Change", "StoreFigures", "compare_stores", "figures", "paired_stores"]

_SHOWN_CHARS = 70


class Change(NamedTuple):
    """One slot that is not the same in both stores."""

    kind: Literal["added", "removed", "changed"]
    place: str
    """Cassette, key and ordinal."""
    request: str
    detail: str


class StoreFigures(NamedTuple):
    """What a store holds, in figures."""

    cassettes: int
    interactions: int
    bodies: int
    """Bodies that are kept apart, each once."""
    content_bytes: int
    """Bytes of all response bodies, counted as often as they are played from."""
    hosts: dict[str, int]
    statuses: dict[str, int]
    ends: dict[str, int]
    ambiguous: list[str]
    """Requests that got different answers when they were repeated."""


def paired_stores(
    before: Sequence[NamedStore], after: Sequence[NamedStore]
) -> list[tuple[str, Store, Store]]:
    """Return which store is compared with which, each pair with its label; a missing one is empty.

    Stores of one name belong together. Of the others, the only web of each place do, and then the
    only store that is left on each side, so that two folders can be compared under any names.
    """
    old, new = ({named.label: named for named in side} for side in (before, after))
    same = old.keys() & new.keys()
    pairs = [(label, old.pop(label).store, new.pop(label).store) for label in sorted(same)]
    for channel in ("web", None):
        left, right = (
            [named for named in side.values() if channel in {None, named.channel}]
            for side in (old, new)
        )
        if len(left) == len(right) == 1:
            names = (left[0].label, right[0].label)
            pairs.append((" → ".join(names), left[0].store, right[0].store))
            del old[names[0]], new[names[1]]
    nothing = FolderStore(Path("does-not-exist") / "nowhere")
    pairs += [(label, named.store, nothing) for label, named in old.items()]
    pairs += [(label, nothing, named.store) for label, named in new.items()]
    return sorted(pairs, key=lambda pair: pair[0])


def compare_stores(before: Store, after: Store) -> Iterator[Change]:
    """Return every recorded exchange that differs between two stores, in the order of their names.

    Raises:
        CassetteCorruptError: If a cassette cannot be read.
    """
    for name in sorted({*before.names(), *after.names()}):
        old, new = _slots(before, name), _slots(after, name)
        for place in sorted({*old, *new}):
            yield from _change(f"{name} {place}", old.get(place), new.get(place))


def figures(store: Store) -> StoreFigures:
    """Return the figures of a store.

    Raises:
        CassetteCorruptError: If a cassette cannot be read.
    """
    hosts: Counter[str] = Counter()
    statuses: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    ambiguous = []
    cassettes = content_bytes = 0
    for name in store.names():
        cassette = store.read(name)
        if cassette is None:
            continue
        cassettes += 1
        answers: dict[str, set[tuple[int, bytes]]] = {}
        for interaction in cassette.interactions:
            content = interaction.content
            content_bytes += len(content)
            hosts[urlsplit(interaction.uri).netloc] += 1
            statuses[interaction.error.type if interaction.error else str(interaction.status)] += 1
            ends[interaction.end] += 1
            answers.setdefault(interaction.key, set()).add((interaction.status, content))
        ambiguous += [f"{name}: key {key}" for key, found in answers.items() if len(found) > 1]
    return StoreFigures(
        cassettes,
        sum(ends.values()),
        len(store.body_names()),
        content_bytes,
        dict(hosts.most_common()),
        dict(sorted(statuses.items())),
        dict(sorted(ends.items())),
        ambiguous,
    )


def _slots(store: Store, name: str) -> dict[str, Interaction]:
    cassette = store.read(name)
    return {
        f"{interaction.task_id}{interaction.key[:8]}#{interaction.ordinal}": interaction
        for interaction in (cassette.interactions if cassette else ())
    }


def _change(place: str, old: Interaction | None, new: Interaction | None) -> Iterator[Change]:
    known = new or old
    if known is None:
        return
    request = f"{known.method} {known.uri}"
    if old is None or new is None:
        kind: Literal["added", "removed"] = "added" if old is None else "removed"
        yield Change(kind, place, request, f"status {known.status}")
        return
    detail = _difference(old, new)
    if detail:
        yield Change("changed", place, request, detail)


def _difference(old: Interaction, new: Interaction) -> str | None:
    """Return the first thing that differs between two answers to the same request."""
    if (old.status, old.reason) != (new.status, new.reason):
        return f"status: {old.status} {old.reason}, now {new.status} {new.reason}"
    if (old.end, old.error) != (new.end, new.error):
        return f"end: {old.end}, now {new.end}"
    if old.headers != new.headers:
        changed = sorted(set(old.headers) ^ set(new.headers))
        return f"header {changed[0][0]}" if changed else "order of headers"
    if old.content == new.content:
        return None
    first, second = (side.content.decode("utf-8", "replace").splitlines() for side in (old, new))
    for number, (line, other) in enumerate(zip([*first, ""], [*second, ""], strict=False), start=1):
        if line != other:
            return f"body, line {number}: {_cut(line, other)}, now {_cut(other, line)}"
    return "body"


def _cut(line: str, other: str) -> str:
    start = next((n for n, (a, b) in enumerate(zip(line, other, strict=False)) if a != b), 0)
    begin = max(0, start - _SHOWN_CHARS // 3)
    return repr(line[begin : begin + _SHOWN_CHARS])
