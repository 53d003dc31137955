"""Choose cases by id, tag and number, in the dataset's order."""

import fnmatch
from collections.abc import Iterable, Sequence

from research_eval.dataset.case import Case
from research_eval.errors import DatasetError
from research_eval.hint import did_you_mean

__all__ = ["matching", "select_cases"]


def select_cases(
    cases: Sequence[Case],
    *,
    ids: Iterable[str] | None = None,
    tags: Iterable[str] | None = None,
    limit: int | None = None,
) -> tuple[Case, ...]:
    """Return the cases that have one of `ids` and one of `tags`, at most `limit` of them.

    An id may be a pattern with `*` and `?`. `None` or nothing chooses everything. A name that the dataset does not know is an error: a
    misspelt filter must not become an empty run.

    Raises:
        DatasetError: If an id or tag is unknown, `limit` is below 1, or nothing is left.
    """
    wanted_tags = frozenset(tags or ())
    known = [case.id for case in cases]
    wanted_ids = frozenset(matching("case", ids or (), known))
    _refuse_unknown("tag", wanted_tags, {tag for case in cases for tag in case.tags})
    if limit is not None and limit < 1:
        raise DatasetError(f"limit {limit} chooses nothing; expected 1 or more")
    chosen = [
        case
        for case in cases
        if (not wanted_ids or case.id in wanted_ids)
        and (not wanted_tags or wanted_tags & set(case.tags))
    ]
    if not chosen:
        raise DatasetError("no case has both a wanted id and a wanted tag")
    return tuple(chosen[:limit])


def matching(what: str, patterns: Iterable[str], known: Sequence[str]) -> list[str]:
    """Return the known names that one of `patterns` is, or stands for.

    Raises:
        DatasetError: If a pattern matches none.
    """
    found: set[str] = set()
    for pattern in patterns:
        some = {name for name in known if name == pattern} or set(
            fnmatch.filter(known, pattern) if set(pattern) & set("*?") else ()
        )
        if not some:
            hint = did_you_mean(pattern, known)
            raise DatasetError(
                f"unknown {what} {pattern!r}{hint}; known: {', '.join(sorted(known))}"
            )
        found |= some
    return [name for name in known if name in found]


def _refuse_unknown(what: str, wanted: frozenset[str], known: set[str]) -> None:
    unknown = sorted(wanted - known)
    if unknown:
        hint = did_you_mean(unknown[0], known)
        listed = ", ".join(sorted(known))
        raise DatasetError(f"unknown {what} {unknown[0]!r}{hint}; known: {listed}")
