"""The plots of a report as SVG text: the same bytes wherever and whenever they are drawn."""

import io
import re
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from research_eval.report.view import ConfigurationView, Rate, RunView
from research_eval.schema.display import one_line

__all__ = ["INK", "draw_files", "draw_plots"]

INK = "#101418"
"""Colour of text and axes; the page repaints it to suit a dark screen."""
GRID = "#d5dade"
FIRST, FINAL = "#c77700", "#0a6c74"
SHADES = ("#0a6c74", "#e0a030", "#b3402e", "#7a4a8c", "#5a6a3a", "#3a5a8c")
DEPTHS = ("#b9d9da", "#63a9ae", "#0a6c74", "#06424a")
"""More retries, darker."""
NOBODY = "#9aa3aa"
_KIND_COLOURS = {"first": "#e0a030", "final": "#b3402e"}
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


def draw_plots(view: RunView) -> dict[str, str]:
    """Return the SVG of each plot by its name; a plot without anything to show is left out."""
    drawn = draw_files(view, "svg")
    return {name: _own_ids(_inline(svg.decode()), f"plot-{name}-") for name, svg in drawn.items()}


def draw_files(view: RunView, form: Literal["svg", "png"]) -> dict[str, bytes]:
    """Return each plot as a file of its own, by its name; on white where it is no SVG."""
    if not view.configurations:
        return {}
    draw = partial(_draw, view, form)
    plots = {"pass": draw(_pass_rates), "retries": draw(_retries)}
    if any(v.first.k or v.final.k for c in view.configurations for v in c.violations):
        plots["violations"] = draw(partial(_violations, view), columns=len(view.kinds), extra=0.5)
    if any(c.totals["searches"].value for c in view.configurations):
        plots["served"] = draw(_served)
    return plots


def _draw(
    view: RunView,
    form: str,
    paint: Callable[[Sequence[Axes], Sequence[ConfigurationView]], None],
    *,
    columns: int = 1,
    extra: float = 0.0,
) -> bytes:
    configurations = view.configurations[::-1]
    height = 1.3 + extra + 0.3 * len(configurations)
    with mpl.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name may hold letters that the font lacks
        figure = Figure(figsize=(8.6, height), layout="constrained")
        _CANVASES[form](figure)
        axes = figure.subplots(1, columns, sharey=True, squeeze=False)[0]
        paint(list(axes), configurations)
        names = [_label(c) for c in configurations]
        axes[0].set_yticks(range(len(names)), names)
        for ax in axes:
            ax.tick_params(length=0)
            ax.set_ylim(-0.6, len(names) - 0.4)
        out = io.BytesIO()
        nothing = {"Date": None} if form == "svg" else {"Software": None}
        figure.savefig(out, format=form, metadata=nothing, dpi=200)
    return out.getvalue()


def _label(configuration: ConfigurationView) -> str:
    name = one_line(configuration.name)
    return f"{name} (reference agent)" if configuration.summary.is_reference_agent else name


def _pass_rates(axes: Sequence[Axes], configurations: Sequence[ConfigurationView]) -> None:
    ax = axes[0]
    series = (
        ("first attempt", FIRST, 0.14, "o", [c.first_pass.conditional for c in configurations]),
        ("final", FINAL, -0.14, "s", [c.final_pass.conditional for c in configurations]),
    )
    for label, colour, shift, marker, rates in series:
        _intervals(ax, rates, label=label, colour=colour, shift=shift, marker=marker)
    ax.set_xlim(-2, 102)
    ax.set_xlabel("judged trials that passed, % (interval)")
    ax.grid(axis="x")
    _legend(ax, 2)


def _intervals(
    ax: Axes, rates: Sequence[Rate], *, label: str, colour: str, shift: float, marker: str
) -> None:
    shown = [(y + shift, rate) for y, rate in enumerate(rates) if rate.value is not None]
    ax.hlines(
        [y for y, _ in shown],
        [100 * rate.low for _, rate in shown],
        [100 * rate.high for _, rate in shown],
        color=colour,
        linewidth=2.2,
    )
    values = [100 * (rate.value or 0.0) for _, rate in shown]
    ax.plot(values, [y for y, _ in shown], marker, color=colour, markersize=5.5, label=label)


def _retries(axes: Sequence[Axes], configurations: Sequence[ConfigurationView]) -> None:
    longest = max(len(c.retry_distribution) for c in configurations)
    layers = [
        (f"{n} retries" if n != 1 else "1 retry", DEPTHS[min(n, len(DEPTHS) - 1)],
         [_at(c, n) for c in configurations])
        for n in range(longest)
    ]  # fmt: skip
    _stack(axes[0], layers)
    axes[0].set_xlabel("judged trials")


def _at(configuration: ConfigurationView, retries: int) -> float:
    return float(
        sum(number.value for n, number in configuration.retry_distribution if n == retries)
    )


def _violations(
    view: RunView, axes: Sequence[Axes], configurations: Sequence[ConfigurationView]
) -> None:
    for index, ax in enumerate(axes):
        found = [c.violations[index] for c in configurations]
        for shift, when, rates in (
            (0.19, "first", [v.first for v in found]),
            (-0.19, "final", [v.final for v in found]),
        ):
            values = [100 * (rate.value or 0.0) for rate in rates]
            ys = [y + shift for y in range(len(found))]
            ax.barh(ys, values, height=0.34, color=_KIND_COLOURS[when], label=f"{when} answer")
        ax.set_xlim(0, 100)
        ax.set_xticks((0, 50, 100), ("0", "50", "100 "))
        ax.set_title(one_line(view.kinds[index].label), fontsize=9)
        ax.grid(axis="x")
    axes[0].figure.supxlabel("answers with the violation, %", fontsize=9)
    handles, names = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(handles, names, loc="outside upper right", ncols=2, frameon=False)


def _served(axes: Sequence[Axes], configurations: Sequence[ConfigurationView]) -> None:
    served = [{p.name: p.served.value for p in c.providers} for c in configurations]
    names = list(dict.fromkeys(name for row in served[::-1] for name in row))
    layers = [
        (name, SHADES[index % len(SHADES)], [row.get(name, 0.0) for row in served])
        for index, name in enumerate(names)
    ]
    unserved = [c.totals["search_unserved"].value for c in configurations]
    if any(unserved):
        layers.append(("no provider", NOBODY, unserved))
    _stack(axes[0], layers)
    axes[0].set_xlabel("searches, by the provider that answered")


def _stack(ax: Axes, layers: Sequence[tuple[str, str, Sequence[float]]]) -> None:
    left = [0.0] * len(layers[0][2])
    for label, colour, values in layers:
        shown = one_line(label)
        ax.barh(range(len(values)), values, left=left, height=0.62, color=colour, label=shown)
        left = [start + value for start, value in zip(left, values, strict=True)]
    ax.grid(axis="x")
    _legend(ax, len(layers))


def _legend(ax: Axes, columns: int) -> None:
    ax.legend(
        loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=min(columns, 6), frameon=False,
        borderaxespad=0.0,
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
