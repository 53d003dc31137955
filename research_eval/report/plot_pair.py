"""Plots of two values a configuration: first against final, and honesty against cost."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from research_eval.report.finding import in_order
from research_eval.report.view import ConfigurationView, RunView
from research_eval.schema.display import one_line

__all__ = ["paint_cost", "paint_slope"]

MODEL, SCRIPT = "#0a6c74", "#9aa3aa"
LEAST_GAP = 5.0
"""Between two labels, in points of a percentage."""


class _Line(NamedTuple):
    """Configurations whose first and final rates are the same."""

    first: float
    final: float
    names: tuple[str, ...]
    is_script: bool


def paint_slope(view: RunView, figure: Figure, is_narrow: bool) -> None:
    """Draw the first rate on the left, the final one on the right, and a line between."""
    ax = figure.subplots()
    lines = _lines(view)
    for line in lines:
        style = {"color": SCRIPT, "linestyle": "--"} if line.is_script else {"color": MODEL}
        above = 2 if line.is_script else 3
        ax.plot((0, 1), (line.first, line.final), marker="o", lw=1.8, zorder=above, **style)  # type: ignore[arg-type]  # the stubs want one type
    size = 7 if is_narrow else 8
    firsts = list({f"{line.first:.0f}": line for line in lines}.values())
    for y, line in _spread(firsts, [line.first for line in firsts]):
        ax.text(-0.04, y, f"{line.first:.0f} %", ha="right", va="center", fontsize=size)
    for y, line in _spread(lines, [line.final for line in lines]):
        ax.text(
            1.04, y, f"{line.final:.0f} % {_names(line, is_narrow)}", va="center", fontsize=size
        )
    ax.set_xlim(-0.3, 2.6)
    ax.set_ylim(-8, 108)
    ax.set_xticks((0, 1), ("first attempt", "final"))
    ax.set_yticks([])
    ax.tick_params(length=0)


def _lines(view: RunView) -> list[_Line]:
    found: dict[tuple[float, float, bool], list[str]] = {}
    for configuration in (each for group in in_order(view) for each in group):
        first, final = (
            pair.conditional.value for pair in (configuration.first_pass, configuration.final_pass)
        )
        if first is not None and final is not None:
            key = (100 * first, 100 * final, configuration.summary.is_reference_agent)
            found.setdefault(key, []).append(one_line(configuration.name, 40))
    return [_Line(first, final, tuple(n), script) for (first, final, script), n in found.items()]


def _names(line: _Line, is_narrow: bool) -> str:
    most = 1 if is_narrow else 2
    rest = len(line.names) - most
    return ", ".join(line.names[:most]) + (f" and {rest} more" if rest > 0 else "")


def _spread(lines: Sequence[_Line], values: Sequence[float]) -> Iterable[tuple[float, _Line]]:
    """Yield the lines with a height for their labels, so that none lies on another."""
    order = sorted(range(len(lines)), key=lambda place: values[place])
    heights: list[float] = []
    for place in order:
        heights.append(max(values[place], heights[-1] + LEAST_GAP if heights else -8.0))
    over = max(0.0, heights[-1] - 108.0) if heights else 0.0
    return [(y - over, lines[place]) for y, place in zip(heights, order, strict=True)]


def paint_cost(view: RunView) -> Callable[[Figure, bool], None] | None:
    """Return what draws first rates against what a trial cost; `None` where nothing is known."""
    models, scripts = in_order(view)
    for column, label in (("cost_usd", "US dollars a trial"), ("tokens", "tokens a trial")):
        found = [(x, c) for c in models or scripts if (x := _spent(c, column)) is not None]
        if len(found) >= 2:
            return partial(_cost, found, label)
    return None


def _spent(configuration: ConfigurationView, column: str) -> float | None:
    """Return the mean of a trial; `None` where it is unknown or nothing was spent."""
    names = ("input_tokens", "output_tokens") if column == "tokens" else (column,)
    means = [configuration.totals[name].mean for name in names]
    known = [mean for mean in means if mean is not None]
    is_known = len(known) == len(names) and configuration.first_pass.conditional.n
    return sum(known) if is_known and sum(known) > 0 else None


def _cost(
    found: Sequence[tuple[float, ConfigurationView]], label: str, figure: Figure, is_narrow: bool
) -> None:
    ax: Axes = figure.subplots()
    highest = max(x for x, _ in found)
    for x, configuration in found:
        rate = configuration.first_pass.conditional
        value = 100 * (rate.value or 0.0)
        ax.vlines(x, 100 * rate.low, 100 * rate.high, color=MODEL, linewidth=1.6)
        ax.plot((x,), (value,), "o", color=MODEL)
        is_left = x > 0.6 * highest
        name = f" {one_line(configuration.name, 30)}, {value:.0f} % "
        side = "right" if is_left else "left"
        ax.text(x, value, name, ha=side, va="bottom", fontsize=7 if is_narrow else 8)
    ax.set_xlim(0, 1.08 * highest)
    ax.set_ylim(-4, 106)
    ax.set_xlabel(label)
    ax.set_ylabel("first answers that passed, %")
    ax.grid()
