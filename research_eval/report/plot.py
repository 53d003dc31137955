"""The plots of a report as SVG text or files: the same bytes wherever and whenever they are drawn."""

import io
import re
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from research_eval.report.finding import in_order
from research_eval.report.plot_pair import paint_cost, paint_slope
from research_eval.report.view import ConfigurationView, Rate, RunView
from research_eval.schema.display import one_line

__all__ = ["INK", "Row", "draw_files", "draw_plots"]

INK = "#101418"
"""Colour of text and axes; the page repaints it to suit a dark screen."""
GRID = "#d5dade"
FIRST, FINAL = "#c77700", "#0a6c74"
SHADES = ("#0a6c74", "#e0a030", "#b3402e", "#7a4a8c", "#5a6a3a", "#3a5a8c")
NOBODY = "#9aa3aa"
_KIND_COLOURS = {"first": "#e0a030", "final": "#b3402e"}
_ENDS = {
    "passed at first": "#0a6c74", "repaired": "#63a9ae", "not repaired": "#b3402e",
    "no answer": "#e0a030", "not judged": NOBODY,
}  # fmt: skip
_SETTINGS: Any = {
    "svg.hashsalt": "research_eval",
    "svg.fonttype": "none",
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "text.parse_math": False,
    "axes.unicode_minus": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GRID,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
}
_CANVASES: dict[str, Callable[[Figure], object]] = {
    "svg": FigureCanvasSVG,
    "png": FigureCanvasAgg,
}
_ID = re.compile(r'(\bid="|url\(#|xlink:href="#)')
_METADATA = re.compile("<metadata>.*?</metadata>", re.DOTALL)

WIDE, NARROW = 8.6, 4.0
"""Inches: for a page, and for a phone."""


class Row(NamedTuple):
    """A configuration and its height in a plot."""

    y: float
    configuration: ConfigurationView


_Paint = Callable[[Figure, bool], None]
"""Draws on a figure, for a phone or not."""


def draw_plots(view: RunView, *, is_narrow: bool = False) -> dict[str, str]:
    """Return the SVG of each plot by its name; a plot without anything to show is left out."""
    drawn = draw_files(view, "svg", is_narrow=is_narrow)
    end = "-narrow" if is_narrow else ""
    return {n: _own_ids(_inline(svg.decode()), f"plot-{n}{end}-") for n, svg in drawn.items()}


def draw_files(
    view: RunView, form: Literal["svg", "png"], *, is_narrow: bool = False
) -> dict[str, bytes]:
    """Return each plot as a file of its own, by its name."""
    if not view.configurations:
        return {}
    return {
        name: _draw(paint, size, form, is_narrow=is_narrow)
        for name, (paint, size) in _plots(view, is_narrow=is_narrow).items()
    }


def _plots(view: RunView, *, is_narrow: bool) -> dict[str, tuple[_Paint, float]]:
    """Return what draws each plot, and its height in inches."""
    rows, height = _placed(view, is_narrow=is_narrow)
    by_row = partial(_by_row, rows)
    found: dict[str, tuple[_Paint, float]] = {
        "pass": (by_row(_pass_rates), height),
        "slope": (partial(paint_slope, view), 4.2),
        "outcomes": (by_row(_outcomes), height),
    }
    kinds = [n for n, _ in enumerate(view.kinds) if _has_kind(view, n)]
    if kinds:
        by_kind = height * (len(kinds) if is_narrow else 1) + 0.5
        found["violations"] = (partial(_violations, view, rows, kinds), by_kind)
    if any(c.totals["searches"].value for c in view.configurations):
        found["served"] = (by_row(_served), height)
    cost = paint_cost(view)
    if cost is not None:
        found["cost"] = (cost, 3.8)
    return found


def _has_kind(view: RunView, place: int) -> bool:
    each = (c.violations[place] for c in view.configurations)
    return any(violation.first.k or violation.final.k for violation in each)


def _placed(view: RunView, *, is_narrow: bool) -> tuple[list[Row], float]:
    """Return the configurations from the top down, models apart from reference agents."""
    rows, y = [], 0.0
    for group in in_order(view):
        for configuration in group:
            y -= 1.0
            rows.append(Row(y, configuration))
        y -= 1.0 if group else 0.0
    return rows, 1.2 + (0.42 if is_narrow else 0.3) * -y


def _draw(paint: _Paint, height: float, form: str, *, is_narrow: bool) -> bytes:
    with mpl.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name may hold letters that the font lacks
        figure = Figure(figsize=(NARROW if is_narrow else WIDE, height), layout="constrained")
        _CANVASES[form](figure)
        paint(figure, is_narrow)
        out = io.BytesIO()
        nothing = {"Date": None} if form == "svg" else {"Software": None}
        figure.savefig(out, format=form, metadata=nothing, dpi=200)
    return out.getvalue()


_PaintRows = Callable[[Axes, Sequence[Row]], None]


def _by_row(rows: Sequence[Row], paint: _PaintRows) -> _Paint:
    """Return what draws one axis with a row a configuration."""

    def draw(figure: Figure, is_narrow: bool) -> None:
        ax = figure.subplots()
        paint(ax, rows)
        _name_rows(ax, rows, is_narrow=is_narrow)

    return draw


def _name_rows(ax: Axes, rows: Sequence[Row], *, is_narrow: bool) -> None:
    """Write the names beside the rows, or above them where there is little room."""
    ax.tick_params(length=0)
    ax.set_ylim(rows[-1].y - 0.6, -0.3)
    if is_narrow:
        ax.set_yticks([])
        at = ax.get_xlim()[0]
        for y, configuration in rows:
            ax.text(at, y + 0.3, _label(configuration), fontsize=7.5, va="bottom")
    else:
        ax.set_yticks([row.y for row in rows], [_label(row.configuration) for row in rows])


def _label(configuration: ConfigurationView) -> str:
    name = one_line(configuration.name)
    return f"{name} (reference agent)" if configuration.summary.is_reference_agent else name


def _pass_rates(ax: Axes, rows: Sequence[Row]) -> None:
    series = (
        ("first attempt", FIRST, 0.12, "o", [row.configuration.first_pass for row in rows]),
        ("final", FINAL, -0.16, "s", [row.configuration.final_pass for row in rows]),
    )
    for label, colour, shift, marker, pairs in series:
        rates = [(row.y + shift, pair.conditional) for row, pair in zip(rows, pairs, strict=True)]
        _intervals(ax, rates, label=label, colour=colour, marker=marker)
    for y, configuration in rows:
        values = (configuration.first_pass.conditional, configuration.final_pass.conditional)
        told = [f"{100 * rate.value:.0f}" for rate in values if rate.value is not None]
        ax.text(104, y, " \N{RIGHTWARDS ARROW} ".join(told), va="center", fontsize=8)
    ax.set_xlim(-2, 102)
    ax.set_xlabel("judged trials that passed, % (interval); first \N{RIGHTWARDS ARROW} final")
    ax.grid(axis="x")
    _legend(ax, 2)


def _intervals(
    ax: Axes, rates: Sequence[tuple[float, Rate]], *, label: str, colour: str, marker: str
) -> None:
    shown = [(y, rate) for y, rate in rates if rate.value is not None]
    ax.hlines(
        [y for y, _ in shown],
        [100 * rate.low for _, rate in shown],
        [100 * rate.high for _, rate in shown],
        color=colour,
        linewidth=2.2,
    )
    values = [100 * (rate.value or 0.0) for _, rate in shown]
    ax.plot(values, [y for y, _ in shown], marker, color=colour, markersize=5.5, label=label)


def _outcomes(ax: Axes, rows: Sequence[Row]) -> None:
    """Stack what became of the planned trials."""
    counts = [_ended(row.configuration) for row in rows]
    layers = [(name, colour, [each[name] for each in counts]) for name, colour in _ENDS.items()]
    _stack(ax, rows, layers)
    ax.set_xlabel("planned trials, by what came of the first answer")


def _ended(configuration: ConfigurationView) -> dict[str, float]:
    judged, repair = configuration.coverage.k, configuration.repair
    first = configuration.first_pass.conditional.k
    return {
        "passed at first": first,
        "repaired": repair.k,
        "not repaired": repair.n - repair.k,
        "no answer": max(0, judged - first - repair.n),
        "not judged": configuration.planned.value - judged,
    }


def _violations(
    view: RunView, rows: Sequence[Row], kinds: Sequence[int], figure: Figure, is_narrow: bool
) -> None:
    shape = (len(kinds), 1) if is_narrow else (1, len(kinds))
    axes = figure.subplots(*shape, sharey=True, squeeze=False).ravel()
    thick, middle = (0.25, -0.08) if is_narrow else (0.34, 0.0)  # below the names, or beside them
    half = thick / 2 + 0.02
    for place, (ax, kind) in enumerate(zip(axes, kinds, strict=True)):
        for shift, when in ((middle + half, "first"), (middle - half, "final")):
            found = [row.configuration.violations[kind] for row in rows]
            rates = [one.first if when == "first" else one.final for one in found]
            values = [100 * (rate.value or 0.0) for rate in rates]
            ys = [row.y + shift for row in rows]
            ax.barh(ys, values, height=thick, color=_KIND_COLOURS[when], label=f"{when} answer")
        ax.set_xlim(0, 100)
        ax.set_xticks((0, 50, 100), ("0", "50", "100 "))
        ax.set_title(one_line(view.kinds[kind].label), fontsize=9)
        ax.grid(axis="x")
        if is_narrow or not place:
            _name_rows(ax, rows, is_narrow=is_narrow)
        ax.tick_params(length=0)
    figure.supxlabel("answers with the violation, %", fontsize=9)
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper right", ncols=2, frameon=False)


def _served(ax: Axes, rows: Sequence[Row]) -> None:
    served = [{p.name: p.served.value for p in row.configuration.providers} for row in rows]
    names = list(dict.fromkeys(name for row in served for name in row))
    layers = [
        (name, SHADES[index % len(SHADES)], [row.get(name, 0.0) for row in served])
        for index, name in enumerate(names)
    ]
    unserved = [row.configuration.totals["search_unserved"].value for row in rows]
    if any(unserved):
        layers.append(("no provider", NOBODY, unserved))
    _stack(ax, rows, layers)
    ax.set_xlabel("searches, by the provider that answered")


def _stack(
    ax: Axes, rows: Sequence[Row], layers: Sequence[tuple[str, str, Sequence[float]]]
) -> None:
    left = [0.0] * len(rows)
    for label, colour, values in layers:
        shown = one_line(label)
        ax.barh([r.y for r in rows], values, left=left, height=0.5, color=colour, label=shown)
        left = [start + value for start, value in zip(left, values, strict=True)]
    ax.grid(axis="x")
    _legend(ax, min(3, len(layers)))


def _legend(ax: Axes, columns: int) -> None:
    ax.legend(
        loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=max(1, columns), frameon=False,
        borderaxespad=0.0, fontsize=8,
    )  # fmt: skip


def _inline(svg: str) -> str:
    """Drop what stands before the `svg` element, and the fixed size."""
    body = _METADATA.sub("", svg[svg.index("<svg") :])
    return re.sub(
        r'(<svg[^>]*?) width="[^"]*" height="[^"]*"|(<svg[^>]*?) height="[^"]*"',
        r"\1\2",
        body,
        count=1,
    )


def _own_ids(svg: str, prefix: str) -> str:
    """Give the plot's ids a prefix, since several plots share one page."""
    return _ID.sub(lambda match: match[1] + prefix, svg)
