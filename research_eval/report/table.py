"""The summary as a table for a terminal."""

from collections.abc import Callable
from textwrap import wrap

from rich import box
from rich.table import Table
from rich.text import Text

from research_eval.report.view import ConfigurationView, Rate, RunView
from research_eval.report.wording import (
    DASH,
    NOTHING,
    labels,
    mean_text,
    percent,
    run_labels,
)
from research_eval.schema.display import one_line

__all__ = ["WIDE", "terminal_table"]

WIDE = 130
"""Columns of text from which on the table shows everything."""

_Cell = Callable[[ConfigurationView], str]


NAME_WIDTH = 23
"""What 80 columns leave for a name; a longer one is broken at a hyphen."""


def terminal_table(view: RunView, width: int = 80) -> Table:
    """Return the summary of a run, with the essential columns alone where `width` is small."""
    columns = _ESSENTIAL | _MORE if width >= WIDE else _ESSENTIAL
    level = f"{100 * view.settings.confidence:g} %"
    table = Table(
        title=Text(one_line(f"{view.manifest.experiment} ({', '.join(run_labels(view))})")),
        caption=Text(f"Rates of the judged trials, with {level} intervals."),
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("configuration", overflow="fold", min_width=17, max_width=32)
    for heading in columns:
        table.add_column(heading, justify="right", no_wrap=True)
    for configuration in view.configurations:
        lines = wrap(one_line(configuration.name), NAME_WIDTH)
        name = Text("\n".join((*lines, *labels(configuration))))
        table.add_row(name, *(Text(cell(configuration)) for cell in columns.values()))
    return table


def _rate(rate: Rate) -> str:
    if not rate.n:
        return NOTHING
    return f"{percent(rate.value)}\n{100 * rate.low:.0f}{DASH}{100 * rate.high:.0f}"


def _rate_of(rate: Rate) -> str:
    return f"{_rate(rate)} ({rate.k}/{rate.n})" if rate.n else NOTHING


def _judged(configuration: ConfigurationView) -> str:
    errors = configuration.statuses["error"].value
    note = f"\n{errors} error{'s' * (errors != 1)}" if errors else ""
    return f"{configuration.coverage.k}/{configuration.planned.value}{note}"


def _violations(configuration: ConfigurationView) -> str:
    found = [(v.kind, v.first.k) for v in configuration.violations if v.first.k]
    return "\n".join(f"{kind} {number}" for kind, number in found) or NOTHING


def _mean(column: str) -> _Cell:
    return lambda configuration: mean_text(configuration.totals[column].mean)


def _sum(column: str) -> _Cell:
    return lambda configuration: f"{configuration.totals[column].value:g}"


_ESSENTIAL: dict[str, _Cell] = {
    "judged": _judged,
    "first\nattempt": lambda c: _rate(c.first_pass.conditional),
    "final": lambda c: _rate(c.final_pass.conditional),
    "repair": lambda c: _rate_of(c.repair),
    "retries": lambda c: mean_text(c.retries.mean),
}
_MORE: dict[str, _Cell] = {
    "violations": _violations,
    "turns": _mean("turns"),
    "searches": _mean("searches"),
    "fetches": _mean("fetches"),
    "fell back": _sum("search_fallbacks"),
}
