"""What a table of a report is made of, whoever renders it."""

from dataclasses import dataclass

from research_eval.report.trace import Count, Total
from research_eval.report.view import Rate
from research_eval.report.wording import mean_text, number_text, rate_text

__all__ = ["Cell", "Heading", "Mean", "Name", "Section", "Share", "Sum", "TableView", "cell_text"]


@dataclass(frozen=True)
class Name:
    """A configuration's name and what a reader must know of it."""

    text: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Share:
    """Some of the planned trials, which are no sample of anything: without an interval."""

    rate: Rate


@dataclass(frozen=True)
class Mean:
    """A column's mean over trials."""

    total: Total


@dataclass(frozen=True)
class Sum:
    """A column's sum over trials."""

    total: Total


Cell = Name | Rate | Share | Count | Mean | Sum | str
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


@dataclass(frozen=True)
class Section:
    """A title, a sentence and some tables; `plot` names the picture that goes with them."""

    id: str
    title: str
    note: str
    tables: tuple[TableView, ...] = ()
    plot: str | None = None


def cell_text(cell: Rate | Share | Count | Mean | Sum) -> str:
    """Return a number as every report writes it."""
    match cell:
        case Rate():
            return rate_text(cell)
        case Share():
            return f"{cell.rate.k}/{cell.rate.n}"
        case Count():
            return number_text(cell.value)
        case Mean():
            return mean_text(cell.total.mean)
        case Sum():
            return number_text(cell.total.value if cell.total.trials else None)
