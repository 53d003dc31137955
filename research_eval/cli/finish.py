"""What `run` and `record` say when the last trial has ended: report, costs, causes, exit status."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from research_eval.cli.closing import close, most_serious, read_rulings, requirement_status
from research_eval.cli.notice import print_notices

if TYPE_CHECKING:
    from research_eval.runner import RunOptions, RunSummary

__all__ = ["finish"]

INCONCLUSIVE = 3
"""Exit status of a report that judged too few trials."""


def finish(settings: "RunOptions", summary: "RunSummary", *, wants_report: bool) -> int:
    """Write the reports, say how the run ended, and return the exit status."""
    reported = _report(settings.out) if wants_report else 0
    found = read_rulings(settings.out) if wants_report else None
    if settings.model_mode != "replay":
        _print_costs(summary)
    print_notices(settings.out)
    done = f"{summary.done} of {summary.planned} trials are done"
    if summary.stopped:
        click.echo(f"research-eval: stopped: {summary.stopped}; {_left(summary)}", err=True)
        return close(130 if summary.stopped == "interrupted" else INCONCLUSIVE, done)
    if summary.done == summary.planned and _is_part(settings, summary):
        found = None
        reported = 0 if reported in {1, INCONCLUSIVE} else reported  # other shards have the rest
    if reported not in {0, 1, INCONCLUSIVE}:
        return reported  # the report has said why
    status, why = _exit_status(settings.out)
    return close(
        most_serious(status, reported, requirement_status(found)), "; ".join([done, *why]), found
    )


def _is_part(settings: "RunOptions", summary: "RunSummary") -> bool:
    """Return whether the folder holds a part of the plan alone; say which, and how to get the whole."""
    from research_eval.journal import RunFolder

    shard, folder = settings.shard, RunFolder(settings.out)
    if shard.of == 1:
        return False
    planned = folder.manifest().planned
    with folder.open_trials() as lines:
        is_part = sum(1 for _ in lines) < planned
    if is_part:
        click.echo(
            f"shard {shard.part}/{shard.of}: {summary.done} of {planned} trials of the plan;"
            " merge with: research-eval merge FOLDER… --out WHOLE"
        )
    return is_part


def _left(summary: "RunSummary") -> str:
    """Say what is kept, what is not there, and how to go on."""
    missing = summary.planned - summary.done
    kept = f"{summary.done} of {summary.planned} trials are kept, {missing} are missing"
    if not summary.errors_left:
        return f"{kept}: go on with {'the same command' if missing else '--retry-errors'}"
    return f"{kept}, {summary.errors_left} errors did not run again: go on with --retry-errors"


def _print_costs(summary: "RunSummary") -> None:
    """Say what the model calls cost, who says so, and of how many nobody can tell."""
    from research_eval.runner.budget import dollars

    for name, cost in summary.costs.items():
        calls = {
            "at the provider's word": cost.reported,
            "by usage and price": cost.listed,
            "without usage, so that the sum is a lower bound": cost.unmeasured,
            "WITHOUT A KNOWN PRICE, so that the sum is a lower bound": cost.unpriced,
        }
        words = "; ".join(f"{number} calls {what}" for what, number in calls.items() if number)
        click.echo(f"cost of {name}: {dollars(cost.usd)}: {words}")
    if summary.earlier_usd:
        click.echo(
            "calls of earlier executions that are in no record may have cost"
            f" {dollars(summary.earlier_usd)} more"
        )
    if summary.lost_calls:
        click.echo(
            f"{summary.lost_calls} calls broke off: they may have cost {dollars(summary.lost_usd)} more"
        )


def _report(out: Path) -> int:
    """Write the reports in a process of its own, so that they do not add to the run's memory."""
    import subprocess
    import sys

    words = ["report", str(out), "--format", "html,md,csv,junit", "--no-result"]
    command = [sys.executable, "-m", "research_eval", *words]
    return subprocess.run(command, check=False).returncode  # noqa: S603  # our own command


def _exit_status(out: Path) -> tuple[int, list[str]]:
    """Say how much came from the recordings, and what went wrong.

    Returns:
        4 if a trial diverged from its recording, 3 if no trial could be judged, else 0; and why, in words,
        with the number of pages that the SSRF guard kept closed.
    """
    from research_eval.cassette import run_verdict
    from research_eval.journal import RunFolder

    tallies, errors, blocked = [], [], 0
    for record in RunFolder(out).trials():
        tallies.append(record.replay)
        blocked += sum(
            event.kind == "fetch" and event.error == "blocked" for event in record.transcript
        )
        if record.status == "error" and record.failure is not None:
            errors.append((record.key, record.failure))
    unrecorded = sum(tally.unrecorded for tally in tallies)
    more = f", {unrecorded} requests of the web unrecorded" if unrecorded else ""
    click.echo(f"recordings: {run_verdict(tallies)}{more}")
    closed = [f"{blocked} fetches were blocked"] if blocked else []
    missed = [(key, failure) for key, failure in errors if failure.kind.startswith("cassette_")]
    if missed:
        key, failure = missed[0]
        click.echo(
            f"research-eval: {len(missed)} trials diverged from their recording; the first, "
            f"{'/'.join(map(str, key))}, at turn {failure.turn}: {failure.message}",
            err=True,
        )
        return 4, [f"{len(missed)} trials diverged from their recording", *closed]
    if tallies and len(errors) == len(tallies):
        click.echo(
            f"research-eval: no trial could be judged: all {len(errors)} ended in an error "
            f"({', '.join(dict.fromkeys(failure.kind for _, failure in errors))}): "
            "run them again with --retry-errors",
            err=True,
        )
        return INCONCLUSIVE, ["no trial could be judged", *closed]
    return 0, closed
