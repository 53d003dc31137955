"""What a scorer declares of each of its measures; whatever shows a measure reads it from here."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, cast

__all__ = ["Better", "Measure", "Registry", "Unit", "declares", "measures_of", "without_ledger"]

Better = Literal["higher", "lower", "neither"]
Unit = Literal["yes_no", "share", "count", "points", "seconds", "usd"]
"""`yes_no`: 1 or 0, once an answer. `share`: between 0 and 1, of the citations, claims or facts of an
answer. `count`: a number of things. `points`: a mark that may be negative."""

S = TypeVar("S", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of a scorer.

    A name that ends with `*` declares a family: every measure whose name starts with what is before it.
    """

    name: str
    unit: Unit
    better: Better
    """Whether more is better; `neither` where a difference is no ruling."""
    heading: str
    """Title of its column in a table."""
    meaning: str
    """What it counts, in one line."""
    section: str = ""
    """Id of the section of a report in which it has a column; without one it is in the long table."""
    applies: str = ""
    """To which trials, where it is not to every trial that the infrastructure did not break."""
    source: str = ""
    """Who defined it."""
    needs_ledger: bool | None = None
    """Whether nobody can tell it without knowing what was opened; `None` is as its scorer says."""
    headline: bool = False
    """Whether it is one of the few that are shown first."""

    @property
    def is_rate(self) -> bool:
        """Whether it lies between 0 and 1."""
        return self.unit in {"yes_no", "share"}

    @property
    def lowest(self) -> float:
        """What no value of it falls below: only points may be negative."""
        return -math.inf if self.unit == "points" else 0.0

    @property
    def worst(self) -> float | None:
        """What a trial without a value counts as at worst; `None` where there is no worst value."""
        if not self.is_rate or self.better == "neither":
            return None
        return 1.0 if self.better == "lower" else 0.0

    @property
    def is_family(self) -> bool:
        """Whether it stands for every measure whose name begins like its own."""
        return self.name.endswith("*")

    def problem(self, value: float, weight: float = 1.0) -> str | None:
        """Return what is wrong with a value of this measure; `None` if nothing is."""
        if self.unit == "yes_no" and (value not in {0, 1} or weight != 1):
            return f"{self.name!r} is declared as yes_no, and its value is {value:g}"
        if self.unit == "share" and not -1e-9 <= value <= 1 + 1e-9:
            return f"{self.name!r} is declared as a share, and its value is {value:g}"
        return None


def declares(
    *measures: Measure, default: bool = True, needs_ledger: bool = True
) -> Callable[[S], S]:
    """Declare what a scorer measures, above its function or class.

    Args:
        measures: Everything that it gives, in the order of tables.
        default: Whether every report is made with it; of scorers that are built in.
        needs_ledger: Whether nobody can tell them without knowing what was opened.
    """

    def declared(scorer: S) -> S:
        held = cast("Any", scorer)
        held.measures, held.is_default = measures, default
        held.needs_ledger = needs_ledger
        return scorer

    return declared


def measures_of(scorer: object) -> tuple[Measure, ...]:
    """Return what a scorer declares."""
    return cast("tuple[Measure, ...]", getattr(scorer, "measures", ()))


def without_ledger(scorer: object) -> frozenset[str]:
    """Return the measures of a scorer that can be told of an answer without a ledger."""
    otherwise = getattr(scorer, "needs_ledger", True)
    return frozenset(
        one.name
        for one in measures_of(scorer)
        if not (otherwise if one.needs_ledger is None else one.needs_ledger)
    )


class Registry:
    """Every measure that is known, by its name; the first declaration of a name holds."""

    def __init__(self, measures: Iterable[Measure] = ()) -> None:
        self._measures: dict[str, Measure] = {}
        self._families: dict[str, Measure] = {}
        self._places: dict[str, int] = {}
        for one in measures:
            if one.is_family:
                self._families.setdefault(one.name[:-1], one)
            self._measures.setdefault(one.name, one)
        self._places = {name: place for place, name in enumerate(self._measures)}

    def __iter__(self) -> Iterator[Measure]:
        return iter(self._measures.values())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.find(name) is not None

    def find(self, name: str) -> Measure | None:
        """Return the declaration of a measure; of a member of a family, one in its own name."""
        if name in self._measures and not name.endswith("*"):
            return self._measures[name]
        for prefix, family in self._families.items():
            if name.startswith(prefix) and name != prefix:
                rest = name.removeprefix(prefix)
                return Measure(
                    name,
                    family.unit,
                    family.better,
                    f"{family.heading} {rest}",
                    family.meaning,
                    family.section,
                    family.applies or "trials in which it happened",
                    family.source,
                )
        return None

    def of(self, name: str) -> Measure:
        """Return the declaration of a measure; of one that nobody declared, a mean without a direction."""
        return self.find(name) or Measure(name, "points", "neither", name, "Not declared.")

    def is_occasional(self, name: str) -> bool:
        """Return whether a measure is given only where it applies, so that silence means it did not."""
        return name not in self._measures and self.find(name) is not None

    def place(self, name: str) -> tuple[int, str]:
        """Return where a measure stands among others: declared ones in their order, families last."""
        return self._places.get(name, len(self._places)), name if name not in self._places else ""
