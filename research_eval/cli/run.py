"""`research-eval run`, `record` and `demo`: execute an experiment and write its report."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from research_eval.cli.finish import finish
from research_eval.cli.notice import warn_of_no_search, warn_of_retired
from research_eval.cli.selection import gone, limits, selection
from research_eval.errors import UsageError

if TYPE_CHECKING:
    import httpx

    from research_eval.dataset import Case
    from research_eval.experiment import Configuration, Experiment
    from research_eval.runner import RunOptions, RunSummary

__all__ = [
    "bundled_web",
    "demo",
    "execute_options",
    "read_and_choose",
    "record",
    "remove_old_run",
    "run",
]

MODES = click.Choice(["replay", "record", "live"])


@click.command()
@click.argument("experiment", type=click.Path(path_type=Path), default="bundled")
@selection
@click.option(
    "--out", type=click.Path(path_type=Path), help="The run's folder; default: reports/NAME."
)
@click.option(
    "--model",
    "model_mode",
    type=MODES,
    default="replay",
    show_default=True,
    help="Where replies of models come from.",
)
@click.option(
    "--web",
    "web_mode",
    type=MODES,
    default="replay",
    show_default=True,
    help="Where searches and pages come from.",
)
@gone("--resume", "run goes on with the run in its folder by itself")
@click.option(
    "--retry-errors",
    is_flag=True,
    help="Run trials again that failed by a provider or the network.",
)
@click.option("--overwrite", is_flag=True, help="Replace an earlier run in the folder.")
@click.option("--shard", default="1/1", metavar="I/N", help="Run only part I of N of the plan.")
@limits
@click.option(
    "--scheduler", metavar="ADDRESS", help="Run on a Dask cluster: tcp://HOST:PORT, or local."
)
@click.option("--real-time", is_flag=True, help="Replay at the recorded speed.")
@click.option("--no-report", is_flag=True, help="Write the records alone, no report.")
def run(experiment: Path, **options: Any) -> int:  # noqa: ANN401  # click hands over every option
    """Run EXPERIMENT (a TOML file, `bundled`, the default, or `calibration`) and report on it.

    Replays recordings by default: no key, no network.
    A run in the folder is brought up to the experiment: what is done stays, new cases, configurations
    and trials are added. Where anything else changed it is refused, and left as it is.
    Exits 1 when a [[require]] of the experiment does not hold, 3 when trials are missing (of the
    shard, with --shard) or too few were judged, 4 when a recording does not hold what a trial asked for.
    """
    return _run(experiment, options)


@click.command()
@click.argument("experiment", type=click.Path(path_type=Path))
@selection
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The run's folder; default: reports/NAME-recording.",
)
@click.option("--overwrite", is_flag=True, help="Replace an earlier run in the folder.")
@gone("--resume", "record goes on by itself")
@gone("--missing", "record asks only for what is missing by itself")
@gone("--all", "remove the recordings, or name another folder with --set cassettes=FOLDER")
@click.option(
    "--retry-errors",
    is_flag=True,
    help="Run trials again that failed by a provider or the network.",
)
@click.option("--shard", default="1/1", metavar="I/N", help="Run only part I of N of the plan.")
@limits
@click.option(
    "--stale",
    "refresh",
    flag_value="stale",
    help="Ask again where a recording no longer fits, too.",
)
@click.option("--no-report", is_flag=True, help="Write the records alone, no report.")
def record(experiment: Path, **options: Any) -> int:  # noqa: ANN401  # click hands over every option
    """Run EXPERIMENT against the real services and keep every HTTP exchange.

    With record_from = "world" searches and pages come from the bundled web.
    Asks only for what has no recording. Where one no longer fits, its trial ends in an error that says
    so; --stale asks again from there. A run in the folder is gone on with, as `run` does.
    The terms of a search API may forbid to keep its results: read them first.
    """
    return _run(experiment, {**options, "model_mode": "record", "web_mode": "record"})


@click.command()
@click.argument("name", type=click.Choice(["bundled", "calibration"]), default="bundled")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The run's folder; default: reports/demo, or reports/demo-calibration.",
)
def demo(name: str, out: Path | None) -> int:
    """Compare the bundled models, offline, and write the report.

    `demo calibration` compares the reference agents: scripts whose true values are known.
    """
    usual = Path("reports", "demo" if name == "bundled" else f"demo-{name}")
    return _run(Path(name), {"out": out or usual, "overwrite": True})


def _run(path: Path, options: dict[str, Any]) -> int:
    return execute_options(path, options)[1]


def execute_options(path: Path, options: dict[str, Any]) -> tuple[Path, int]:
    """Execute the experiment at `path` as the command line's options say.

    Returns:
        The run's folder and the exit status.

    Raises:
        UsageError: If something cannot be done as asked.
    """
    experiment, cases, configurations = read_and_choose(path, options)
    settings = _run_options(experiment, options)
    if settings.overwrite and settings.retry_errors:
        raise UsageError("--overwrite replaces a run that --retry-errors goes on with")
    if options.get("dry_run"):
        from research_eval.cli.dry_run import print_plan

        pilot = options.get("pilot")
        return settings.out, print_plan(experiment, cases, configurations, settings, pilot)
    with (
        bundled_web(experiment, is_asked=settings.web_mode != "replay") as world,
        _place(experiment, cases, configurations, settings, options) as placed,
    ):
        summary = _execute(experiment, cases, configurations, placed, world, options)
        code = finish(placed, summary, wants_report=not options.get("no_report"))
    return settings.out, code


@contextmanager
def _place(
    experiment: "Experiment",
    cases: "Sequence[Case]",
    configurations: "Sequence[Configuration]",
    settings: "RunOptions",
    options: dict[str, Any],
) -> "Iterator[RunOptions]":
    """Yield where the run goes: of a recording whose usual folder holds another run, a passing place."""
    from research_eval.runner import find_other_run

    is_asked = options.get("out") is not None or settings.overwrite or settings.retry_errors
    other = None
    if settings.model_mode == "record" and not is_asked:
        other = find_other_run(experiment, cases, configurations, settings)
    if other is None:
        yield settings
        return
    click.echo(f"research-eval: {other}: what is recorded is kept, and no report", err=True)
    with TemporaryDirectory(prefix="research-eval-") as folder:
        yield settings.model_copy(update={"out": Path(folder) / settings.out.name})


def read_and_choose(
    path: Path, options: dict[str, Any]
) -> "tuple[Experiment, Sequence[Case], Sequence[Configuration]]":
    """Return the experiment at `path`, or a bundled one, and what the command line selects of it.

    Raises:
        UsageError: With every mistake, each with file and key.
    """
    from research_eval.experiment import BUNDLED, bundled_experiment
    from research_eval.runner.reading import read_experiment

    return read_experiment(
        bundled_experiment(str(path)) if str(path) in BUNDLED else path,
        options.get("overrides") or (),
        ids=options.get("cases"),
        tags=options.get("tags"),
        limit=options.get("limit"),
        names=options.get("names"),
        excluded=options.get("excluded"),
    )


def _run_options(experiment: "Experiment", options: dict[str, Any]) -> "RunOptions":
    from research_eval.runner import BudgetSettings, RunOptions, parse_shard

    return RunOptions(
        out=options.get("out") or _usual_folder(experiment.settings.name, options),
        model_mode=options.get("model_mode", "replay"),
        web_mode=options.get("web_mode", "replay"),
        refresh=options.get("refresh") or "missing",
        concurrency=options.get("concurrency", 16),
        overwrite=options.get("overwrite", False),
        retry_errors=options.get("retry_errors", False),
        shard=parse_shard(options.get("shard", "1/1")),
        budget=BudgetSettings(
            max_tokens=options.get("max_tokens"),
            max_cost_usd=options.get("max_cost"),
            max_time_s=options.get("max_time"),
            unbounded=options.get("unbounded") or (),
        ),
        real_time=options.get("real_time", False),
        scheduler=options.get("scheduler"),
        command=tuple(sys.argv[1:]),
    )


def _usual_folder(name: str, options: dict[str, Any]) -> Path:
    """Return where a run goes that is told nothing."""
    is_recorded = options.get("model_mode") == "record"
    return Path("reports", f"{name}-recording" if is_recorded else name)


@contextmanager
def bundled_web(
    experiment: "Experiment", *, is_asked: bool
) -> "Iterator[httpx.AsyncBaseTransport | None]":
    """Serve the bundled web while the block runs, where the experiment asks for it."""
    if not is_asked or experiment.settings.record_from != "world":
        yield None
        return
    from research_eval.world import WorldTransport, serve_world

    with serve_world() as server:
        yield WorldTransport(server.base_url)


def _execute(
    experiment: "Experiment",
    cases: "Sequence[Case]",
    configurations: "Sequence[Configuration]",
    settings: "RunOptions",
    world: "httpx.AsyncBaseTransport | None",
    options: dict[str, Any],
) -> "RunSummary":
    from rich.console import Console

    from research_eval.journal import write_whole
    from research_eval.runner import execute, prepare, progress_for
    from research_eval.tool.search import recording_notes

    if settings.retry_errors and not (settings.out / "manifest.json").exists():
        raise UsageError(f"--retry-errors: {settings.out} holds no run")
    console = Console(stderr=True)
    if settings.web_mode == "record" and world is None:
        notes = (note for item in configurations for note in recording_notes(item.search))
        for note in dict.fromkeys(notes):
            click.echo(note, err=True)
    if settings.model_mode != "replay":
        warn_of_no_search(configurations)
    if settings.web_mode != "replay" and world is None:
        warn_of_retired(item.search for item in configurations)
    prepared = prepare(experiment, cases, configurations, settings, world=world)
    for words in prepared.growth:
        click.echo(f"{settings.out}: {words}", err=True)
    if settings.overwrite:  # once the new run is known to start
        remove_old_run(settings.out)
    summary = execute(
        prepared, lambda planned, done, waits: progress_for(console, planned, done, waits)
    )
    played: Path | None = options.get("played")
    if played is not None:
        lines = "".join(f"{name}\n" for name in prepared.channels.web.played())
        write_whole(played, lines.encode("utf-8"))
    return summary


def remove_old_run(out: Path) -> None:
    """Remove an earlier run, and nothing that is not one.

    Raises:
        UsageError: If it is no run, or cannot be removed.
    """
    import shutil

    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not (out / "manifest.json").is_file():
        raise UsageError(f"{out}: holds no run, so it is not overwritten; give another --out")
    try:
        shutil.rmtree(out)
    except OSError as exc:
        raise UsageError(f"{out}: cannot be replaced: {exc.strerror}") from exc
