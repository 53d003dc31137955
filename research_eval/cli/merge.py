"""`research-eval merge`: put the shards of one experiment together."""

from pathlib import Path

import click

__all__ = ["merge"]


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The new run's folder.")
def merge(runs: tuple[Path, ...], out: Path) -> int:
    """Merge RUNS, the folders of `run --shard I/N`, into one run.

    Exits 3 when trials of the plan are still missing.
    """
    from research_eval.runner.merge import merge_runs

    planned, done = merge_runs(runs, out)
    click.echo(f"{done} of {planned} trials are in {out}")
    return 0 if done == planned else 3
