"""`research-eval verify`: check a results bundle that somebody published."""

import tempfile
from pathlib import Path

import click

__all__ = ["verify"]


@click.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Keep the run that is in it, to report on it and to compare it with another.",
)
def verify(bundle: Path, out: Path | None) -> int:
    """Check the file BUNDLE that `research-eval report --format zip` wrote.

    Holds every file to its digest, and makes all values of report.json anew from the records.
    Exits 1 when something does not agree.
    """
    from research_eval.report.bundle import check_bundle

    with tempfile.TemporaryDirectory() as scratch:
        found = check_bundle(bundle, out or Path(scratch) / "run")
    for problem in found.problems:
        click.echo(problem)
    if found.problems:
        return 1
    click.echo(f"verified: {found.files} files agree; {found.trials} trials give the same values")
    if out is not None:
        click.echo(f"wrote {out}")
    return 0
