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
    help="Extract the run into this folder, for `report` and `compare`.",
)
def verify(bundle: Path, out: Path | None) -> int:
    """Check the file BUNDLE that `research-eval report --format zip` wrote.

    Compares every file with its digest, and computes all values of report.json again from the records.
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
