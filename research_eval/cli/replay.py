"""`research-eval replay`: what recordings still decide after something was changed."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from research_eval.cli.run import execute_options
from research_eval.cli.selection import selection

if TYPE_CHECKING:
    from research_eval.schema import TrialRecord

__all__ = ["replay"]


@click.command()
@click.argument("experiment", type=click.Path(path_type=Path), default="bundled")
@selection
@click.option(
    "--out", type=click.Path(path_type=Path), help="The run's folder; default: reports/NAME."
)
@click.option("--overwrite", is_flag=True, help="Replace an earlier run in the folder.")
@click.option(
    "--until-divergence",
    is_flag=True,
    help="Show what each trial that diverged decided before it diverged.",
)
@click.option(
    "--played",
    type=click.Path(path_type=Path),
    help="Write the names of the replayed searches and pages to this file, for `cassette verify`.",
)
def replay(experiment: Path, until_divergence: bool, **options: Any) -> int:  # noqa: ANN401  # click hands over every option
    """Replay EXPERIMENT and list the trials that diverged from their recordings, and where.

    Exits 4 when one did.
    """
    from research_eval.journal import RunFolder

    out, code = execute_options(experiment, {**options, "no_report": True})
    if not until_divergence:
        return code
    for record in RunFolder(out).trials():
        if record.failure is not None and record.failure.kind.startswith("cassette_"):
            click.echo(_line(record))
    return code


def _line(record: "TrialRecord") -> str:
    """Return where a trial diverged from its recording and what was decided before."""
    verdicts = [
        f"attempt {event.attempt} "
        + ("passed" if event.verdict.passed else "/".join(v.kind for v in event.verdict.violations))
        for event in record.attempts
    ]
    failure = record.failure
    turn, message = (failure.turn, failure.message) if failure else (None, "")
    decided = ", ".join(verdicts) or "no attempt was judged"
    return f"{'/'.join(map(str, record.key))}: left at turn {turn}; before: {decided}; {message}"
