"""Pictures of the laboratory: what happened over virtual time, and what a setting trades for what."""

import io
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from research_eval.failover.measure import Metrics
from research_eval.failover.trace import LabTrace, SearchDone, outages

__all__ = ["draw_sweep", "draw_timeline"]

_STYLE: Any = {
    "svg.hashsalt": "research-eval",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "path.simplify": False,
}
_PALETTE = ("#2f6db3", "#d9822b", "#3c8d5a", "#8b5fb0")
_UNSERVED = "#b3261e"
_STATES = {"closed": "#cfe6d4", "half_open": "#f4d58d", "open": "#e7a19c"}


def draw_timeline(trace: LabTrace) -> bytes:
    """Return an SVG of one run: breaker states, who served, how long it took."""
    names = [entry.provider for entry in trace.scenario.provider]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(9, 4.6), layout="constrained")
        top, middle, bottom = figure.subplots(
            3, 1, sharex=True, gridspec_kw={"height_ratios": [len(names), len(names) + 2, 4]}
        )
        _draw_states(top, trace, names)
        _draw_served(middle, trace, names)
        _draw_latency(bottom, trace, names)
        bottom.set_xlabel("virtual time, seconds")
        bottom.set_xlim(0, trace.scenario.load.over_s)
        figure.suptitle(f"{trace.scenario.title} ({trace.variant})", fontsize=10)
        return _svg(figure)


def draw_sweep(
    name: str, values: Sequence[object], metrics: Sequence[Metrics], title: str
) -> bytes:
    """Return an SVG of what one setting trades: waste, latency and service over its values."""
    shown: tuple[tuple[str, Sequence[float]], ...] = (
        ("wasted requests", [m.wasted_requests for m in metrics]),
        ("latency p95, s", [m.latency_p95_s for m in metrics]),
        ("to recover, s", [m.time_to_recover_s or 0.0 for m in metrics]),
        ("served, %", [100 * m.served_share for m in metrics]),
    )
    labels = ["none" if value is None else str(value) for value in values]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(9, 4.2), layout="constrained")
        for axes, (what, numbers), colour in zip(
            figure.subplots(2, 2).flat, shown, _PALETTE, strict=True
        ):
            axes.plot(range(len(labels)), numbers, marker="o", markersize=3, color=colour)
            axes.set_title(what, fontsize=9)
            axes.set_xticks(range(len(labels)), labels)
            axes.set_xlabel(name)
        figure.suptitle(title, fontsize=10)
        return _svg(figure)


def _draw_states(axes: Axes, trace: LabTrace, names: Sequence[str]) -> None:
    end = trace.scenario.load.over_s
    for row, name in enumerate(names):
        turns = [(0.0, "closed"), *((t.at_s, t.state) for t in trace.turns if t.provider == name)]
        for (start, state), (stop, _) in zip(turns, [*turns[1:], (end, "")], strict=True):
            axes.broken_barh(
                [(start, max(0.0, stop - start))], (row - 0.4, 0.8), color=_STATES[state]
            )
        for start, stop in outages(trace.scenario, name):
            axes.plot([start, stop], [row, row], color="#333333", linewidth=1.2, linestyle=":")
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_title(
        "breaker: green closed, yellow half-open, red open; dotted: the provider fails",
        fontsize=8,
        loc="left",
    )


def _draw_served(axes: Axes, trace: LabTrace, names: Sequence[str]) -> None:
    servers = ["cache", *names, "nobody"]
    colours = ["#777777", *_PALETTE, *_PALETTE][: len(names) + 1]
    for row, (server, colour) in enumerate(zip(servers, [*colours, _UNSERVED], strict=True)):
        times = [search.at_s for search in trace.searches if _server_of(search) == server]
        axes.eventplot(times, lineoffsets=row, linelengths=0.7, linewidths=0.6, colors=colour)
    axes.set_yticks(range(len(servers)), servers)
    axes.set_ylim(len(servers) - 0.5, -0.5)
    axes.set_title("each search, by who served it", fontsize=8, loc="left")


def _draw_latency(axes: Axes, trace: LabTrace, names: Sequence[str]) -> None:
    colours: dict[str | None, str] = dict(zip(names, [*_PALETTE, *_PALETTE], strict=False))
    asked = [search for search in trace.searches if not search.is_cached]
    axes.scatter(
        [search.at_s for search in asked],
        [search.took_s for search in asked],
        s=5,
        c=[colours.get(search.served_by, _UNSERVED) for search in asked],
        linewidths=0,
    )
    axes.set_ylabel("latency, s")
    axes.set_ylim(bottom=0)


def _server_of(search: SearchDone) -> str:
    if search.is_cached:
        return "cache"
    return search.served_by or "nobody"


def _svg(figure: Figure) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()
