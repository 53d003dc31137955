"""`research-eval score`: add scores to a stored run, without model or network but for a judge."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from research_eval.errors import UsageError

if TYPE_CHECKING:
    from research_eval.analysis.output import ScoreOutput
    from research_eval.analysis.scoring import ScoredPiece
    from research_eval.journal import RunFolder
    from research_eval.scorer import Scorer

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
    help="record: send new questions and keep the replies; replay: send none; live: send all and keep nothing.",
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
@click.option(
    "--all", "is_whole", is_flag=True, help="Print every measure, not the main ones alone."
)
@click.option("--json", "as_json", is_flag=True, help="Print every measure as one JSON object.")
@click.option("--quiet", is_flag=True, help="Print no summary and no progress.")
def score(
    run: Path,
    scorers: tuple[str, ...],
    coverage_floor: float,
    scheduler: str | None,
    as_json: bool,
    is_whole: bool,
    quiet: bool,
    **judge: Any,  # noqa: ANN401  # click's options
) -> int:
    """Score the trials of the run in folder RUN and keep the scores in RUN/scores.jsonl.

    Scores of other scorers in that file stay; those of the same scorer are replaced. The journal
    streams through: memory does not grow with it.
    No model or network is asked, but for --judge-model; exits 4 when a recording lacks its reply.
    Exits 1 when a requirement of the run's experiment does not hold, 3 when nothing was scored.
    """
    from research_eval.analysis.requirement import rule_requirements
    from research_eval.analysis.store import scores_path
    from research_eval.cli.closing import close, most_serious, print_rulings, requirement_status
    from research_eval.journal import RunFolder
    from research_eval.scorer import BUILT_IN

    folder = RunFolder(run)
    folder.manifest()
    names = scorers or (("judge",) if judge["judge_model"] else tuple(BUILT_IN))
    if scheduler is not None and "judge" in names:
        raise UsageError(
            "--scheduler: a judge is asked by one process alone; leave out --scheduler for it"
        )
    ready, missed = _judge(folder, names, judge)
    path = scores_path(folder)
    before = _state(path)
    try:
        found = _score(folder, names, ready, coverage_floor, scheduler=scheduler, quiet=quiet)
        if as_json:
            click.echo(found.model_dump_json())
        elif not quiet:
            _show(found, folder, is_whole=is_whole)
            click.echo(f"wrote {path}")
    except KeyboardInterrupt:
        what = "nothing was added to" if _state(path) == before else "the scores are in"
        click.echo(f"research-eval: interrupted: {what} {path}", err=True)
        return 130
    if missed:
        click.echo(f"research-eval: {missed} questions to the judge have no recording", err=True)
    rulings = rule_requirements(folder)
    if not as_json and not quiet:
        print_rulings(rulings)
    scored = sum(one.run for one in found.configurations)
    status = most_serious(requirement_status(rulings), 4 if missed else 0, 0 if scored else 3)
    return status if quiet else close(status, f"{scored} trials are scored", rulings)


def _state(path: Path) -> tuple[int, int] | None:
    """Return what tells one file from another that replaced it; `None` if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _score(
    folder: "RunFolder",
    names: tuple[str, ...],
    ready: "dict[str, Scorer]",
    floor: float,
    *,
    scheduler: str | None,
    quiet: bool,
) -> "ScoreOutput":
    """Score the journal here or on a cluster, and say on the way how far it is."""
    from research_eval.analysis.output import score_output
    from research_eval.analysis.scoring import add_not_run, add_scores
    from research_eval.analysis.store import registry_of, run_cases
    from research_eval.analysis.table import Table
    from research_eval.cli.pieces import JournalProgress, stopped_by_sigterm, workers
    from research_eval.scorer import BUILT_IN

    table, stated = Table(by_case=True), Table()

    def seen(piece: "ScoredPiece") -> None:
        table.merge(piece.table)
        stated.merge(piece.stated)
        progress.add(piece.trials, piece.end)

    with (
        stopped_by_sigterm(),
        workers(scheduler) as spread,
        JournalProgress(folder.trials_path, "scored", quiet=quiet) as progress,
    ):
        add_scores(folder, names, seen=seen, ready=ready, spread=spread)
    manifest = folder.manifest()
    asked = [BUILT_IN[name] for name in names if name in BUILT_IN]
    add_not_run(table, manifest, run_cases(folder), asked)
    return score_output(table, stated, manifest, registry_of(folder), floor)


def _show(found: "ScoreOutput", folder: "RunFolder", *, is_whole: bool) -> None:
    from research_eval.cli.score_text import every_measure, main_measures
    from research_eval.scorer import registry

    if is_whole:
        lines = every_measure(found)
    else:
        first = [measure.name for measure in registry() if measure.headline]
        lines = main_measures(found, first, folder.manifest(), shutil.get_terminal_size().columns)
    click.echo("\n".join(lines))


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
