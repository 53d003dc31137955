"""Write what the laboratory found: a page, tables, numbers, a picture a scenario."""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from research_eval.errors import UsageError
from research_eval.failover.comparison import broken
from research_eval.failover.measure import Metrics
from research_eval.failover.scenario import Scenario
from research_eval.failover.table import csv_table, markdown_table

__all__ = ["files_of", "page_of", "results_json", "write_files"]


def page_of(
    scenarios: Sequence[Scenario], rows: Sequence[Metrics], *, has_pictures: bool = True
) -> str:
    """Return the page: for each scenario its picture, its table, and whether what must hold holds."""
    parts = ["# Failover laboratory\n"]
    for scenario in scenarios:
        mine = [metrics for metrics in rows if metrics.scenario == scenario.name]
        parts.append(f"## {scenario.name}\n\n{scenario.title}.\n")
        if has_pictures:
            parts.append(f"![{scenario.title}]({scenario.name}.svg)\n")
        parts.append(markdown_table(mine))
        default = next((metrics for metrics in mine if metrics.variant == "default"), None)
        if default is not None and scenario.expect:
            parts.append(_verdicts(scenario, default))
    return "\n".join(parts)


def write_files(folder: Path, files: Mapping[str, bytes | str]) -> list[Path]:
    """Write each file whole or not at all, and return where they are.

    Raises:
        UsageError: If the folder cannot be written to.
    """
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            written.append(_replace(folder / name, data))
    except OSError as exc:
        raise UsageError(f"{folder}: cannot be written: {exc}") from exc
    return written


def results_json(rows: Sequence[Metrics]) -> str:
    """Return every number as JSON."""
    return json.dumps([metrics.model_dump(mode="json") for metrics in rows], indent=1) + "\n"


def files_of(
    scenarios: Sequence[Scenario], rows: Sequence[Metrics], pictures: Mapping[str, bytes]
) -> dict[str, bytes | str]:
    """Return all files of a report by name."""
    named: dict[str, bytes | str] = {f"{name}.svg": data for name, data in pictures.items()}
    return {
        "report.md": page_of(scenarios, rows, has_pictures=bool(pictures)),
        "metrics.csv": csv_table(rows),
        "metrics.json": results_json(rows),
        **named,
    }


def _verdicts(scenario: Scenario, default: Metrics) -> str:
    failed = {expected.words: value for expected, value in broken(scenario, default)}
    lines = [
        f"- {expected.words}: "
        + (f"**no**, it is {failed[expected.words]}" if expected.words in failed else "holds")
        for expected in scenario.expect
    ]
    return "What must hold under the default settings:\n\n" + "\n".join(lines) + "\n"


def _replace(path: Path, data: bytes) -> Path:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".tmp-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path
