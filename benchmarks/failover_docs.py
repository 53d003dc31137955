"""Make the pictures in docs/failover/ and the tables in docs/failover.md.

Run: python benchmarks/failover_docs.py [--check]
With `--check` nothing is written, and a difference is a failure.
"""

import argparse
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from research_eval.failover import (
    COMPARED,
    Metrics,
    Scenario,
    bundled_scenarios,
    compare,
    measure,
    options,
    parse_sweep,
    run_scenario,
    sweep,
    variant,
)
from research_eval.failover.picture import draw_sweep, draw_timeline
from research_eval.failover.report import write_files
from research_eval.failover.table import COLUMNS, markdown_table

DOCS = Path(__file__).parent.parent / "docs"
SWEEPS = (("flapping", "failure_threshold=1..10"), ("outage", "cooldown_s=5,10,20,30,45,60,90"))
SHOWN = (
    "served",
    "wasted",
    "p95 s",
    "p99 s",
    "openings",
    "to recover s",
    "probes",
    "cost $",
    "answers passed",
)


def scenarios_part() -> tuple[str, dict[str, bytes]]:
    """Return picture and table of every scenario."""
    parts, pictures = [], {}
    for scenario in bundled_scenarios().values():
        rows = []
        for trace, metrics in compare([scenario], COMPARED):
            rows.append(metrics)
            if metrics.variant == "default":
                pictures[f"{scenario.name}.svg"] = draw_timeline(trace)
        parts.append(
            f"### {scenario.name}\n\n{scenario.title}.\n\n"
            f"![{scenario.title}](failover/{scenario.name}.svg)\n\n{markdown_table(rows)}"
        )
    return "\n".join(parts), pictures


def options_part() -> str:
    """Return what each refinement changes, where it changes anything."""
    columns = [(name, show) for name, show in COLUMNS if name in SHOWN]
    lines = [
        "| refinement | scenario | " + " | ".join(name for name, _ in columns) + " |",
        "| --- " * (len(columns) + 2) + "|",
    ]
    by_scenario = {
        name: {option: _without_calm(scenario, option) for option in options()}
        for name, scenario in bundled_scenarios().items()
    }
    for option in options()[1:]:
        rows = [_change(name, option, rows, columns) for name, rows in by_scenario.items()]
        changed = [row for row in rows if row]
        title = (
            option.removeprefix("original + ") if option != "default" else "all of them (default)"
        )
        nothing = f"| {title} | none | " + " | ".join("" for _ in columns) + " |"
        lines += [f"| {title} {row}" for row in changed] or [nothing]
    return "\n".join(lines) + "\n"


def _without_calm(scenario: Scenario, name: str) -> Metrics:
    """Return the numbers of one run; those that compare it with a calm one are not shown here."""
    trace = run_scenario(scenario, variant(scenario, name), variant=name)
    return measure(trace, trace)


def _change(name: str, option: str, rows: dict[str, Metrics], columns: Iterable) -> str:
    before, after = rows["original"], rows[option]
    cells = []
    for _, show in columns:
        old, new = show(before), show(after)
        cells.append(old if old == new else f"{old} → {new}")
    return f"| {name} | " + " | ".join(cells) + " |" if any("→" in cell for cell in cells) else ""


def sweeps_part() -> tuple[str, dict[str, bytes]]:
    """Return the trade-off curves."""
    parts, pictures = [], {}
    for name, setting in SWEEPS:
        scenario = bundled_scenarios()[name]
        key, values = parse_sweep(setting)
        rows = [metrics for _, metrics in sweep([scenario], key, values)]
        picture = f"sweep-{name}-{key}.svg"
        pictures[picture] = draw_sweep(key, values, rows, f"{scenario.title}: {key}")
        parts.append(
            f"`research-eval failover sweep {name} --set {setting}`\n\n"
            f"![{key} over {name}](failover/{picture})\n"
        )
    return "\n".join(parts), pictures


def filled(page: str, name: str, content: str) -> str:
    """Return the page with what stands between the marks called `name` replaced.

    The marks stay.
    """
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    if not pattern.search(page):
        sys.exit(f"docs/failover.md has no marks called {name!r}")
    return pattern.sub(lambda found: f"{found[1]}\n{content}\n{found[2]}", page)


def main() -> None:
    """Make everything, then write it or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    is_check = parser.parse_args().check
    scenarios, pictures = scenarios_part()
    sweeps, curves = sweeps_part()
    page = (DOCS / "failover.md").read_text(encoding="utf-8")
    for name, content in (
        ("scenarios", scenarios),
        ("options", options_part()),
        ("sweeps", sweeps),
    ):
        page = filled(page, name, content)
    files = {f"failover/{name}": data for name, data in {**pictures, **curves}.items()}
    made = {**files, "failover.md": page.encode()}
    if not is_check:
        (DOCS / "failover").mkdir(exist_ok=True)
        write_files(DOCS, made)
        return
    stale = [name for name, data in made.items() if not _is_same(DOCS / name, data)]
    if stale:
        sys.exit(f"stale: {', '.join(stale)}; run python benchmarks/failover_docs.py")


def _is_same(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data


if __name__ == "__main__":
    main()
