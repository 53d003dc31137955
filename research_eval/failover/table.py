"""Tables of the laboratory as text: metrics in, Markdown and CSV out."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence

from research_eval.failover.measure import Metrics

__all__ = ["COLUMNS", "csv_table", "markdown_table"]


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _served_by(metrics: Metrics) -> str:
    total = metrics.searches
    return ", ".join(f"{name} {count / total:.0%}" for name, count in metrics.served_by.items())


COLUMNS: Sequence[tuple[str, Callable[[Metrics], str]]] = (
    ("served", lambda m: _share(m.served_share)),
    ("by", _served_by),
    ("cached (in outage)", lambda m: f"{m.cached} ({m.cached_in_outage})"),
    ("p50 s", lambda m: _seconds(m.latency_p50_s)),
    ("p95 s", lambda m: _seconds(m.latency_p95_s)),
    ("p99 s", lambda m: _seconds(m.latency_p99_s)),
    ("added p95 s", lambda m: _seconds(m.added_p95_s)),
    ("added p99 s", lambda m: _seconds(m.added_p99_s)),
    ("requests", lambda m: str(m.requests)),
    ("wasted", lambda m: str(m.wasted_requests)),
    ("retries", lambda m: str(m.request_retries)),
    ("openings", lambda m: str(m.openings)),
    ("to open s", lambda m: _seconds(m.time_to_open_s)),
    ("to recover s", lambda m: _seconds(m.time_to_recover_s)),
    ("probes", lambda m: str(m.probes)),
    ("cost $", lambda m: f"{m.cost_usd:.3f}"),
    ("answers passed", lambda m: f"{m.answers_passed}/{m.answers}" if m.answers else "-"),
)
"""What a table shows of a run, and how."""


def markdown_table(rows: Iterable[Metrics], *, first: str = "variant") -> str:
    """Return a table with one line a run, named after its variant or its scenario."""
    lines = [
        f"| {first} | " + " | ".join(name for name, _ in COLUMNS) + " |",
        "| --- " * (len(COLUMNS) + 1) + "|",
    ]
    for metrics in rows:
        name = metrics.variant if first == "variant" else metrics.scenario
        lines.append(f"| {name} | " + " | ".join(show(metrics) for _, show in COLUMNS) + " |")
    return "\n".join(lines) + "\n"


def csv_table(rows: Iterable[Metrics]) -> str:
    """Return every metric of every run, one line a run."""
    out = io.StringIO()
    names = list(Metrics.model_fields)
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    for metrics in rows:
        row = metrics.model_dump()
        row["served_by"] = ";".join(f"{name}={count}" for name, count in metrics.served_by.items())
        writer.writerow({name: "" if row[name] is None else row[name] for name in names})
    return out.getvalue()
