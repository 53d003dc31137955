"""Growing requests: a conversation is sent again with every turn, and is written down once.

A request whose JSON extends that of an earlier one in the same file names the fields that are as
there, how many items of a list are as there, and holds the rest.
"""

from collections.abc import Sequence
from typing import Any

from research_eval.cassette.interaction import Body
from research_eval.cassette.key import spell
from research_eval.errors import CassetteCorruptError

__all__ = ["RequestDeltas", "whole_request"]

_ABSENT = object()


class RequestDeltas:
    """Writes the requests of a file as what each adds to the last one sent to the same place."""

    def __init__(self) -> None:
        """Begin with an empty file."""
        self._last: dict[str, tuple[int, dict[str, Any]]] = {}
        self._count = 0

    def added(self, place: str, body: Body | None) -> Body | None:
        """Return the body of the next request as it is to be written.

        Args:
            place: Where it was sent.
            body: Its body, written out whole.
        """
        number, self._count = self._count, self._count + 1
        if body is None or not isinstance(body.data, dict):
            return body
        before = self._last.get(place)
        self._last[place] = (number, body.data)
        return body if before is None else _added(body, before[1], before[0])


def whole_request(body: Body | None, earlier: Sequence[Body | None]) -> Body | None:
    """Return a request's body written out whole; the very same object if it is already.

    Args:
        body: As it stands in the file.
        earlier: The bodies of the interactions before it, whole.

    Raises:
        CassetteCorruptError: If it extends a body that is not there or not long enough.
    """
    if body is None or body.after is None:
        return body
    before = earlier[body.after] if body.after < len(earlier) else None
    if before is None or not isinstance(before.data, dict) or not isinstance(body.data, dict):
        raise CassetteCorruptError(
            f"a request extends number {body.after}, which has no JSON to extend"
        )
    value = dict(body.data)
    for name in body.same:
        value[name] = before.data.get(name, _ABSENT)
    for name, count in body.keep.items():
        kept, added = before.data.get(name), value.get(name, [])
        if not isinstance(kept, list) or not isinstance(added, list) or count > len(kept):
            raise CassetteCorruptError(
                f"a request extends {name!r} of number {body.after}, which is no such list"
            )
        value[name] = [*kept[:count], *added]
    if any(item is _ABSENT for item in value.values()):
        raise CassetteCorruptError(
            f"a request repeats fields that number {body.after} does not have"
        )
    return Body(data=dict(sorted(value.items())), style=body.style)


def _added(body: Body, before: dict[str, Any], number: int) -> Body:
    same, keep, data = [], {}, {}
    for name, item in sorted(body.data.items()):
        known = before.get(name, _ABSENT)
        count = 0
        if isinstance(known, list) and isinstance(item, list):
            count = _shared(known, item)
            is_same = count == len(known) == len(item)
        else:
            is_same = known is not _ABSENT and _is_same(known, item)
        if is_same:
            same.append(name)
        elif count:
            keep[name] = count
            data[name] = item[count:]
        else:
            data[name] = item
    if not same and not keep:
        return body
    return Body(data=data, style=body.style, after=number, same=tuple(same), keep=keep)


def _shared(known: list[Any], item: list[Any]) -> int:
    count = 0
    for old, new in zip(known, item, strict=False):
        if not _is_same(old, new):
            break
        count += 1
    return count


def _is_same(old: object, new: object) -> bool:
    return old is new or spell(old) == spell(new)
