"""`research-eval score`: add scores to a stored run, without model or network but for a judge."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from research_eval.errors import UsageError

if TYPE_CHECKING:
    from research_eval.journal import RunFolder
    from research_eval.schema import RunRecord
    from research_eval.scorer import Scorer, Tally
    from research_eval.scorer.confidence import ConfidenceTable
    from research_eval.scorer.rescore import ScoredPiece

__all__ = ["score"]


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    metavar="NAME",
    help="A built-in name, an entry point, package.module:name, or judge; default: all built in.",
)
@click.option(
    "--judge-model",
    metavar="NAME",
    help="Ask this model, for instance openai:gpt-5-mini, whether cited pages support sentences.",
)
@click.option(
    "--judge-set",
    "judge_overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting of the judge, as in base_url=http://127.0.0.1:8000/v1; repeatable.",
)
@click.option(
    "--judge-mode",
    type=click.Choice(["record", "replay", "live"]),
    default="record",
    show_default=True,
    help="Ask what was not asked before and keep it, ask nothing, or ask everything and keep nothing.",
)
@click.option(
    "--judge-cassettes",
    type=click.Path(path_type=Path),
    help="Where the judge's replies are kept; default: RUN/judge.",
)
@click.option(
    "--judge-concurrency",
    type=click.IntRange(1, 1000),
    default=8,
    show_default=True,
    help="Questions to the judge at the same time.",
)
@click.option(
    "--coverage-floor",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="Share of the planned trials below which a value is marked INCONCLUSIVE.",
)
@click.option(
    "--scheduler", metavar="ADDRESS", help="Score on a Dask cluster: tcp://HOST:PORT, or local."
)
@click.option("--json", "as_json", is_flag=True, help="Print the summaries as JSON lines.")
@click.option("--quiet", is_flag=True, help="Print no summary and no progress.")
def score(
    run: Path,
    scorers: tuple[str, ...],
    coverage_floor: float,
    scheduler: str | None,
    as_json: bool,
    quiet: bool,
    **judge: Any,  # noqa: ANN401  # click's options
) -> int:
    """Score the trials of the run in folder RUN and keep the scores in RUN/scores.jsonl.

    Scores of other scorers in that file stay; those of the same scorer are replaced. The journal
    streams through: memory does not grow with it.
    No model or network is asked, but for --judge-model; exits 4 when a recording lacks its reply.
    """
    from research_eval.journal import RunFolder
    from research_eval.scorer import BUILT_IN
    from research_eval.scorer.rescore import Sums, leave_out_not_run
    from research_eval.scorer.store import scores_path

    folder = RunFolder(run)
    manifest = folder.manifest()
    planned = len(manifest.case_ids) * manifest.trials
    sums = {c.name: Sums(planned) for c in manifest.configurations}
    names = scorers or (("judge",) if judge["judge_model"] else tuple(BUILT_IN))
    if scheduler is not None and "judge" in names:
        raise UsageError(
            "--scheduler: a judge is asked by one process alone; leave out --scheduler for it"
        )
    ready, missed = _judge(folder, names, judge)

    def add(piece: "ScoredPiece") -> None:
        for name, part in piece.sums.items():
            sums.setdefault(name, Sums(planned)).merge(part)

    path = scores_path(folder)
    before = _state(path)
    try:
        _score(folder, names, ready, add, scheduler=scheduler, quiet=quiet)
        leave_out_not_run(folder, sums, names)
        tallies = _together({name: one.tally for name, one in sums.items()})
        if as_json:
            _print_json(tallies, coverage_floor)
        elif not quiet:
            _print_table(tallies, manifest, coverage_floor)
            _print_confidence({name: one.confidence for name, one in sums.items()})
            click.echo(f"wrote {path}")
    except KeyboardInterrupt:
        what = "nothing was added to" if _state(path) == before else "the scores are in"
        click.echo(f"research-eval: interrupted: {what} {path}", err=True)
        return 130
    if missed:
        click.echo(f"research-eval: {missed} questions to the judge have no recording", err=True)
    return 4 if missed else 0


def _state(path: Path) -> tuple[int, int] | None:
    """Return what tells one file from another that replaced it; `None` if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _together(tallies: "dict[str, Tally]") -> "dict[str, Tally]":
    """Have all configurations agree on what the measures are."""
    from research_eval.scorer.measure import merged

    kinds = merged(tally.kinds for tally in tallies.values())
    for tally in tallies.values():
        tally.kinds = kinds
    return tallies


def _score(
    folder: "RunFolder",
    names: tuple[str, ...],
    ready: "dict[str, Scorer]",
    add: "Callable[[ScoredPiece], None]",
    *,
    scheduler: str | None,
    quiet: bool,
) -> None:
    """Score the journal here or on a cluster, and say on the way how far it is."""
    from research_eval.cli.pieces import JournalProgress, stopped_by_sigterm, workers
    from research_eval.scorer.rescore import add_scores

    def seen(piece: "ScoredPiece") -> None:
        add(piece)
        progress.add(piece.trials, piece.end)

    with (
        stopped_by_sigterm(),
        workers(scheduler) as spread,
        JournalProgress(folder.trials_path, "scored", quiet=quiet) as progress,
    ):
        add_scores(folder, names, seen=seen, ready=ready, spread=spread)


def _judge(
    folder: "RunFolder", names: tuple[str, ...], options: dict[str, Any]
) -> "tuple[dict[str, Scorer], int]":
    """Ask the judge, where one is wanted; return it by its name, and what a replay did not find.

    Raises:
        UsageError: If a judge is wanted and no model named, or the other way round.
    """
    if "judge" not in names:
        if options["judge_model"]:
            raise UsageError("--judge-model is for --scorer judge, which is not asked for")
        return {}, 0
    if not options["judge_model"]:
        raise UsageError("--scorer judge needs a model to ask: --judge-model NAME")
    from research_eval.cli.judge_model import JudgeOptions, ask_judge, judge_settings

    scorer, replies = ask_judge(
        folder,
        JudgeOptions(
            model=judge_settings(options["judge_model"], options["judge_overrides"]),
            mode=options["judge_mode"],
            cassettes=options["judge_cassettes"] or folder.path / "judge",
            concurrency=options["judge_concurrency"],
        ),
    )
    return {"judge": scorer}, replies.missed


def _print_json(tallies: "dict[str, Tally]", floor: float) -> None:
    import json

    from research_eval.stats import clopper_pearson

    for configuration, tally in tallies.items():
        for name in tally.names:
            summary = tally.summary(name)
            interval, by_case = summary.wilson, _by_case(tally, name)
            row = {
                "configuration": configuration,
                **summary._asdict(),
                "coverage": summary.coverage,
                "wilson": list(interval) if interval else None,
                "by_case": list(by_case) if by_case else None,
                "is_conclusive": summary.coverage >= floor,
            }
            if interval and summary.unit == "yes_no":
                row["exact"] = list(clopper_pearson(round(summary.total), summary.scored))
            click.echo(json.dumps(row))


def _print_table(tallies: "dict[str, Tally]", manifest: "RunRecord", floor: float) -> None:
    from research_eval.cli.score_text import (
        print_correction,
        print_f_score,
        print_reliability,
        print_support_errors,
        print_worthiness_error,
    )
    from research_eval.report.wording import power_note
    from research_eval.schema.display import visible

    synthetic = " (synthetic dataset)" if manifest.dataset_is_synthetic else ""
    click.echo(f"{visible(manifest.experiment)}{synthetic}: {manifest.planned} trials planned")
    click.echo(
        "95 % intervals: Wilson over trials as if independent; by case: of shares, Wilson over the"
        " effective number of trials; of means, Student's t over cases"
    )
    for configuration, tally in tallies.items():
        planned = len(manifest.case_ids) * manifest.trials
        click.echo(f"\n{visible(configuration)}: {tally.run} of {planned} planned trials ran")
        click.echo(
            f"  {'measure':36} {'value':>9}  {'Wilson':17} {'by case':19}"
            f" {'strict':>9}  scored/planned, coverage"
        )
        for name in tally.names:
            click.echo(f"  {name:36} {_row(tally, name, floor)}")
        print_reliability(tally, manifest.trials)
        print_f_score(tally)
        print_correction(tally)
    if len(tallies) > 1 and len(manifest.case_ids) > 1:
        click.echo(f"\n{power_note(len(manifest.case_ids))}")
    names = {name for tally in tallies.values() for name in tally.names}
    if names & {"support_red", "citation_recall", "correct_grounded"}:
        print_support_errors()
    if names & {"cited_claim_share", "citation_recall_needed"}:
        print_worthiness_error()


def _print_confidence(tables: "dict[str, ConfidenceTable]") -> None:
    """Print how far stated confidence matches truth, of the answers that state one."""
    from research_eval.schema.display import one_line

    for configuration, table in tables.items():
        for what, value in table.measures().items():
            click.echo(f"{one_line(configuration)}: {what} {_number(value)} ({len(table)} answers)")


def _by_case(tally: "Tally", name: str) -> "tuple[float, float] | None":
    """Return the interval with cases as the units, within the measure's bounds."""
    from research_eval.stats import Cluster, clustered_interval

    clusters = [Cluster(case.total, case.weight) for case in tally.by_case(name).values()]
    measure = tally.measure(name)
    return clustered_interval(clusters, is_rate=measure.is_rate, lowest=measure.lowest)


def _row(tally: "Tally", name: str, floor: float) -> str:
    summary = tally.summary(name)
    counts = f"{summary.scored}/{summary.planned}"
    if summary.coverage < 1:
        counts += f" {summary.coverage:.0%}"
    if summary.coverage < floor:
        counts += " INCONCLUSIVE"
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
        f"{_number(summary.value):>9}  {_interval(summary.wilson):17}"
        f" {_interval(_by_case(tally, name)):19} {_number(summary.strict):>9}  {counts}{notes}"
    )


def _interval(interval: "tuple[float, float] | None") -> str:
    return f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else ""


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
