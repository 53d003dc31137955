"""`research-eval report`: reports of a finished or broken-off run, made again from its records."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from research_eval.errors import UsageError

if TYPE_CHECKING:
    from research_eval.report.write import ReportFormat

__all__ = ["report"]


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "formats",
    default="md,html,csv,junit",
    show_default=True,
    help="What to write: md, html, csv, junit, json, parquet, latex, svg, png, zip.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Where to; default: the run's folder.")
@click.option(
    "--coverage-floor",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="Share of the planned trials that must be judged.",
)
@click.option("--quiet", is_flag=True, help="Print no table.")
@click.option("--no-result", is_flag=True, hidden=True)  # the command that called says it
def report(
    run: Path,
    formats: str,
    out: Path | None,
    coverage_floor: float,
    quiet: bool,
    no_result: bool,
) -> int:
    """Write the reports of the run in folder RUN, without model or network.

    Exits 1 when a requirement of its experiment does not hold, 3 when a configuration has too few
    judged trials for a verdict.
    """
    from rich.console import Console

    from research_eval.cli.closing import close, most_serious, print_rulings, requirement_status
    from research_eval.journal import RunFolder
    from research_eval.report import (
        ReportSettings,
        load_view,
        shows_details,
        terminal_table,
        write_report,
    )

    chosen = _formats(formats)
    folder = RunFolder(run)
    settings = ReportSettings(coverage_floor=coverage_floor)
    view = load_view(folder, settings=settings, has_details=shows_details(chosen))
    written = write_report(folder, formats=chosen, out=out, view=view)
    if not quiet:
        console = Console()
        console.print(terminal_table(view, console.width))
    for path in written:
        click.echo(f"wrote {path}")
    print_rulings(view.requirements)
    status = most_serious(requirement_status(view.requirements), 0 if view.is_complete else 3)
    if no_result:
        return status
    ran = sum(one.run.value for one in view.configurations)
    return close(status, f"{ran} of {view.manifest.planned} trials ran", view.requirements)


def _formats(text: str) -> "list[ReportFormat]":
    from research_eval.report.write import FORMATS

    known = {str(name): name for name in FORMATS}
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known:
            raise UsageError(f"--format: unknown {name!r}; known: {', '.join(known)}")
    return [known[name] for name in dict.fromkeys(names)]
