"""Flips that are wanted: a file of patterns in, which flips it names and which lines name none out.

A line is case, configuration, trial, attempt and change, each a pattern with `*` and `?`; after a tab
may stand a pattern of the reason. `#` at the beginning, or after a space before the tab, begins a remark.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, get_args

from research_eval.errors import UsageError
from research_eval.gate.flip import Change, Flip

__all__ = ["Expectation", "Expectations"]

FIELDS = ("case", "configuration", "trial", "attempt", "change")
CHANGES: tuple[str, ...] = get_args(Change)


class Expectation(NamedTuple):
    """One line of the file."""

    number: int
    """Of the line, from 1."""
    patterns: tuple[str, ...]
    reason: str | None

    def covers(self, flip: Flip) -> bool:
        """Return whether the line speaks of a flip."""
        values = (
            flip.case_id,
            flip.configuration,
            str(flip.trial),
            str(flip.attempt),
            flip.change,
        )
        named = all(_matches(*pair) for pair in zip(values, self.patterns, strict=True))
        return named and (self.reason is None or _matches(flip.reason, self.reason))


def _matches(value: str, pattern: str) -> bool:
    return value == pattern or _compiled(pattern).fullmatch(value) is not None


@lru_cache(maxsize=10_000)
def _compiled(pattern: str) -> re.Pattern[str]:
    wild = {"*": ".*", "?": "."}
    text = "".join(wild.get(sign) or re.escape(sign) for sign in pattern)
    return re.compile(text, re.DOTALL)


class Expectations:
    """Knows which flips are wanted, and which lines no flip needed."""

    def __init__(self, text: str = "", name: str = "") -> None:
        """Read the lines.

        Args:
            text: Of the file.
            name: Its name, for errors.

        Raises:
            UsageError: With the line, if one is no expectation.
        """
        self.name = name
        self._lines = text.splitlines()
        read = (_read(line, number, name) for number, line in enumerate(self._lines, start=1))
        self._every = [one for one in read if one is not None]
        self._by_case: dict[str, list[Expectation]] = {}
        self._of_many = [one for one in self._every if _is_pattern(one.patterns[0])]
        for one in self._every:
            if not _is_pattern(one.patterns[0]):
                self._by_case.setdefault(one.patterns[0], []).append(one)
        self._used: set[int] = set()

    def covers(self, flip: Flip) -> bool:
        """Return whether a flip is wanted, and take note of every line that says so."""
        near = [*self._by_case.get(flip.case_id, ()), *self._of_many]
        used = [one.number for one in near if one.covers(flip)]
        self._used.update(used)
        return bool(used)

    @property
    def stale(self) -> list[Expectation]:
        """The lines that named no flip so far."""
        return [one for one in self._every if one.number not in self._used]

    def refuse_stale(self, cases: Iterable[str], configurations: Iterable[str]) -> None:
        """Refuse a line that named no flip: what it waits for no longer happens.

        Args:
            cases: Those that were judged.
            configurations: The same.

        Raises:
            UsageError: With the first such line, and what of it is unknown.
        """
        stale = self.stale
        if not stale:
            return
        first = stale[0]
        why = "no flip is like this any more"
        for what, pattern, known in (
            ("case", first.patterns[0], cases),
            ("configuration", first.patterns[1], configurations),
        ):
            if not any(_matches(one, pattern) for one in known):
                why = f"there is no {what} {pattern!r}"
                break
        more = f"; and {len(stale) - 1} more such lines" if len(stale) > 1 else ""
        raise UsageError(
            f"{self.name}:{first.number}: {why}{more}; --expect-update rewrites the file"
        )

    def updated(self, missing: Sequence[Flip]) -> str:
        """Return the file's text without stale lines and with those that are missing."""
        stale = {one.number for one in self.stale}
        kept = [line for number, line in enumerate(self._lines, start=1) if number not in stale]
        added = [f"{flip.place}\t{' '.join(flip.reason.split())}" for flip in missing]
        return "".join(f"{line}\n" for line in [*kept, *added])


def _is_pattern(text: str) -> bool:
    return "*" in text or "?" in text


def _read(line: str, number: int, name: str) -> Expectation | None:
    if line.lstrip().startswith("#"):
        return None
    place, tab, reason = line.partition("\t")
    words = place.partition(" #")[0].split()
    if not words and not tab:
        return None
    if len(words) != len(FIELDS):
        raise UsageError(
            f"{name}:{number}: expected {', '.join(FIELDS)}, each a word or a pattern;"
            f" found {len(words)} words"
        )
    if not any(_matches(change, words[-1]) for change in CHANGES):
        raise UsageError(f"{name}:{number}: change {words[-1]!r} is none of {', '.join(CHANGES)}")
    return Expectation(number, tuple(words), reason.strip() or None)
