"""The last line of a command: what came of it, in words that agree with its exit status."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable

    from research_eval.schema import RequirementRuling, Requirements

__all__ = [
    "OUTCOMES",
    "close",
    "most_serious",
    "print_rulings",
    "read_rulings",
    "requirement_status",
]

OUTCOMES = {
    130: "interrupted",
    4: "replay miss",
    1: "failed",
    3: "inconclusive",
    0: "done",
}
"""The word of each exit status; the first of those that apply wins. 2 and 141 end a command at once."""

BY_VERDICT = {"failed": 1, "inconclusive": 3, "skipped": 3, "holds": 0}


def most_serious(*statuses: int) -> int:
    """Return the exit status that wins over the others."""
    return next(status for status in OUTCOMES if status in {*statuses, 0})


def requirement_status(found: "Requirements | None") -> int:
    """Return the exit status that the requirements of a run decide; 0 where there are none."""
    return 0 if found is None else BY_VERDICT[found.verdict]


def print_rulings(found: "Requirements | None") -> None:
    """Print one line a ruling, and tell GitHub where it runs this."""
    from research_eval.cli.github import tell_rulings

    for one in found.rulings if found else ():
        click.echo(f"require: {_line(one)}")
    tell_rulings(found)


def _line(one: "RequirementRuling") -> str:
    return f"{one.verdict.upper()} {one.configuration}: {one.requirement}: {one.reason}"


def close(status: int, detail: str, found: "Requirements | None" = None) -> int:
    """Say on standard error how the command ends, and return its exit status."""
    word = "holds" if status == 0 and found is not None else OUTCOMES[status]
    parts = [part for part in (detail, *_of_requirements(found)) if part]
    text = f": {'; '.join(parts)}" if parts else ""
    click.echo(f"result: {word} (exit {status}){text}", err=True)
    return status


def _of_requirements(found: "Requirements | None") -> "Iterable[str]":
    if found is None:
        return
    asked = [one for one in found.rulings if one.verdict != "skipped"]
    holds = sum(one.verdict == "holds" for one in asked)
    yield f"{holds} of {len(asked)} requirements hold"
    worst = [one for one in asked if one.verdict == found.verdict != "holds"]
    if worst:
        yield f"first {_line(worst[0])}"


def read_rulings(out: Path) -> "Requirements | None":
    """Return the rulings that a report left in a run's folder."""
    from research_eval.schema import Requirements

    path = out / "requirements.json"
    return Requirements.model_validate_json(path.read_bytes()) if path.is_file() else None
