"""What a table of a report is made of, whoever renders it."""

from dataclasses import dataclass

from research_eval.report.trace import Count, Total, Trace
from research_eval.report.view import Rate, ScoreView
from research_eval.report.wording import DASH, NOTHING, mean_text, number_text, percent, rate_text

__all__ = [
    "Cell",
    "Derived",
    "Heading",
    "Mean",
    "Measure",
    "Name",
    "Section",
    "Share",
    "Sum",
    "TableView",
    "cell_text",
]


@dataclass(frozen=True)
class Name:
    """A configuration's name and what a reader must know of it."""

    text: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Share:
    """Some of the planned trials, which are no sample of anything: without an interval."""

    rate: Rate

    @property
    def text(self) -> str:
        """Both counts."""
        return f"{self.rate.k}/{self.rate.n}"


@dataclass(frozen=True)
class Mean:
    """A column's mean over trials."""

    total: Total

    @property
    def is_known(self) -> bool:
        """Whether there is a mean to show."""
        return self.total.trials > 0

    @property
    def text(self) -> str:
        """The mean."""
        return mean_text(self.total.mean)


@dataclass(frozen=True)
class Sum:
    """A column's sum over trials."""

    total: Total
    is_count: bool = False
    """Whether a trial without the column adds nothing, rather than something unknown."""

    @property
    def is_known(self) -> bool:
        """Whether there is a sum to show."""
        return self.is_count or self.total.trials > 0

    @property
    def text(self) -> str:
        """The sum."""
        return number_text(self.total.value if self.is_known else None)


@dataclass(frozen=True)
class Measure:
    """A score of one configuration."""

    score: ScoreView

    @property
    def text(self) -> str:
        """The mean, as a percentage where it is a share."""
        mean = self.score.mean
        return percent(mean) if self.score.is_share else mean_text(mean)

    @property
    def bounds(self) -> str:
        """The interval."""
        low, high = self.score.low, self.score.high
        if low is None or high is None:
            return ""
        scale, digits = (100, 1) if self.score.is_share else (1, 2)
        between = DASH if low >= 0 else " to "  # a dash before a minus sign cannot be read
        return f"{scale * low:.{digits}f}{between}{scale * high:.{digits}f}"


@dataclass(frozen=True)
class Derived:
    """A number that a test or a formula made out of the trials of some configurations."""

    text: str
    value: float | None
    trace: Trace
    """The trials that went into it."""
    bounds: str = ""
    """Its interval, where it is an estimate."""
    n: int | None = None
    """What it rests on: trials, or cases."""


Cell = Name | Derived | Measure | Rate | Share | Count | Mean | Sum | str
"""Anything that can stand in a table."""


@dataclass(frozen=True)
class Heading:
    """A column's title and what it means."""

    text: str
    definition: str = ""


@dataclass(frozen=True)
class TableView:
    """One table."""

    caption: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]
    is_long: bool = False
    """Whether it is folded away until somebody opens it."""

    @property
    def is_wide(self) -> bool:
        """Whether it needs all the room that there is."""
        return len(self.headings) > 7


@dataclass(frozen=True)
class Section:
    """A title, a sentence and some tables; `plots` names the pictures that go with them."""

    id: str
    title: str
    note: str
    tables: tuple[TableView, ...] = ()
    plots: tuple[str, ...] = ()


def cell_text(cell: Derived | Measure | Rate | Share | Count | Mean | Sum) -> str:
    """Return a number as every report writes it."""
    match cell:
        case Rate():
            return rate_text(cell)
        case Count():
            return number_text(cell.value)
        case Measure():
            return _measure_text(cell)
        case Derived() if cell.n is not None and cell.value is not None:
            return _estimate_text(cell.text, cell.bounds, cell.n)
        case _:
            return cell.text


def _measure_text(cell: Measure) -> str:
    if cell.score.rate is not None:
        return rate_text(cell.score.rate)
    if cell.score.mean is None:
        return NOTHING
    return _estimate_text(cell.text, cell.bounds, cell.score.weight)


def _estimate_text(text: str, bounds: str, n: float) -> str:
    between = bounds.replace(DASH, ", ").replace(" to ", ", ")
    return f"{text} [{between}] n={number_text(n)}" if bounds else f"{text} n={number_text(n)}"
