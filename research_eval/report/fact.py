"""Columns of facts about trials: each different fact once, and for each trial a number that stands for it."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np
import numpy.typing as npt
from typing_extensions import override

__all__ = ["Fact", "FactColumn", "FactNotes", "coded"]

Fact = str | int | float | tuple[str, ...] | None
"""A value of a row; `None` where a trial has none."""

Places = npt.NDArray[np.intp]


class FactColumn(Sequence[Fact]):
    """One fact of each row."""

    def __init__(self, codes: npt.NDArray[np.integer], different: Sequence[Fact]) -> None:
        """Hold a column.

        Args:
            codes: For each row the place of its fact among `different`.
            different: The facts; the first one is `None`, and no other.
        """
        self.codes = codes.astype(np.min_scalar_type(len(different)), copy=False)
        self.different = different

    @override
    def __len__(self) -> int:
        return len(self.codes)

    @override
    def __iter__(self) -> Iterator[Fact]:
        return map(self.different.__getitem__, self.codes.tolist())

    @overload
    def __getitem__(self, place: int) -> Fact: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Fact]: ...
    @override
    def __getitem__(self, place: int | slice) -> Fact | Sequence[Fact]:
        if isinstance(place, slice):
            return FactColumn(self.codes[place], self.different)
        return self.different[int(self.codes[place])]

    @cached_property
    def _numbers(self) -> npt.NDArray[np.float64]:
        """The facts that are numbers; not a number in place of the others."""
        return np.array([v if isinstance(v, int | float) else np.nan for v in self.different])

    def numbers(self, places: Places) -> list[float]:
        """Return the facts of some rows that are numbers."""
        found = self._numbers[self.codes[places]]
        values: list[float] = found[~np.isnan(found)].tolist()
        return values

    def facts(self, places: Places) -> list[Fact]:
        """Return the different facts of some rows, without `None`."""
        return [self.different[code] for code in np.unique(self.codes[places]).tolist() if code]

    def among(self, places: Places, wanted: Sequence[bool]) -> Places:
        """Return those of some rows whose fact is wanted; `wanted` says it of each different one."""
        found: Places = places[np.array(wanted, np.bool_)[self.codes[places]]]
        return found


class FactNotes:
    """Takes in the facts of trials one by one; a trial that is skipped has none."""

    def __init__(self) -> None:
        self._codes = array("I")
        self._places: dict[Fact, int] = {None: 0}

    def note(self, number: int, fact: Fact) -> None:
        """Note a fact of the trial with this number; numbers mostly rise."""
        codes = self._codes
        if number >= len(codes):
            codes.extend([0] * (number + 1 - len(codes)))
        codes[number] = self._places.setdefault(fact, len(self._places))

    def column(self, numbers: Places) -> FactColumn:
        """Return the facts of the trials with these numbers; -1 stands for a trial without any."""
        codes = np.append(np.array(self._codes, np.uint32), np.uint32(0))
        known = np.where((numbers >= 0) & (numbers < len(codes) - 1), numbers, len(codes) - 1)
        return FactColumn(codes[known], list(self._places))


def coded(facts: Iterable[Fact], codes: npt.NDArray[np.integer]) -> FactColumn:
    """Return a column of facts that may name one more than once; `codes` are places among them."""
    different: dict[Fact, int] = {None: 0}
    mapped = [different.setdefault(fact, len(different)) for fact in facts]
    return FactColumn(np.array(mapped)[codes], list(different))
