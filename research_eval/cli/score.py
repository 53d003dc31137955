"""`research-eval score`: add scores to a stored run, without model or network."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from research_eval.schema import RunRecord
    from research_eval.scorer import Summary, Tally

__all__ = ["score"]


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    metavar="NAME",
    help="A built-in name, an entry point or package.module:name; default: all built-in ones.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summaries as JSON lines.")
@click.option("--quiet", is_flag=True, help="Print no summary.")
def score(run: Path, scorers: tuple[str, ...], as_json: bool, quiet: bool) -> int:
    """Score the trials of the run in folder RUN and keep the scores in RUN/scores.jsonl.

    Scores of other scorers in that file stay; those of the same scorer are replaced.
    """
    from research_eval.journal import RunFolder
    from research_eval.scorer import BUILT_IN, Tally
    from research_eval.scorer.store import add_scores

    folder = RunFolder(run)
    manifest = folder.manifest()
    planned = len(manifest.case_ids) * manifest.trials
    tallies = {c.name: Tally(planned) for c in manifest.configurations}
    path = add_scores(
        folder,
        scorers or tuple(BUILT_IN),
        seen=lambda trial, scores: tallies.setdefault(trial.configuration, Tally(planned)).add(
            trial.case_id, scores
        ),
    )
    if as_json:
        _print_json(tallies)
    elif not quiet:
        _print_table(tallies, manifest)
        click.echo(f"wrote {path}")
    return 0


def _print_json(tallies: "dict[str, Tally]") -> None:
    import json

    for configuration, tally in tallies.items():
        for name in tally.names:
            summary = tally.summary(name)
            row = {"configuration": configuration, **summary._asdict()}
            interval = summary.wilson
            row |= {
                "coverage": summary.coverage,
                "wilson": list(interval) if interval else None,
            }
            click.echo(json.dumps(row))


def _print_table(tallies: "dict[str, Tally]", manifest: "RunRecord") -> None:
    from research_eval.scorer.support_error import MEASURED

    synthetic = " (synthetic dataset)" if manifest.dataset_is_synthetic else ""
    click.echo(f"{manifest.experiment}{synthetic}: {manifest.planned} trials planned")
    for configuration, tally in tallies.items():
        click.echo(f"\n{configuration}")
        click.echo(
            f"  {'measure':36} {'value':>9}  {'95 % interval':17} {'strict':>9}  scored/planned"
        )
        for name in tally.names:
            click.echo(f"  {name:36} {_row(tally.summary(name))}")
    if any("support_red" in tally.names for tally in tallies.values()):
        click.echo("\nThe support check against people:")
        for errors in MEASURED:
            click.echo(
                f"  {errors.labelled_set}: RED is unsupported in {errors.red_precision:.0%} of "
                f"{errors.red.total}, GREEN is supported in {errors.green_precision:.0%} of "
                f"{errors.green.total}"
            )


def _row(summary: "Summary") -> str:
    interval = summary.wilson
    between = f"{interval.low:.3f} to {interval.high:.3f}" if interval else ""
    counts = f"{summary.scored}/{summary.planned}"
    missing = [
        f"{count} {what}"
        for count, what in (
            (summary.errors, "errors"),
            (summary.not_applicable, "not applicable"),
            (summary.undecided, "undecided"),
        )
        if count
    ]
    notes = f"  {', '.join(missing)}" if missing else ""
    return (
        f"{_number(summary.value):>9}  {between:17} {_number(summary.strict):>9}  {counts}{notes}"
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
