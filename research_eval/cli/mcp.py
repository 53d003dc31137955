"""`research-eval mcp`: offer the tools of one trial to an MCP client that connects by itself."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from research_eval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from research_eval.experiment import Configuration, Experiment
    from research_eval.runner.execute import Prepared

__all__ = ["mcp"]

SOURCE = click.Choice(["replay", "record", "live"])


@click.command()
@click.argument("experiment", type=click.Path(path_type=Path))
@click.option("--case", "case", required=True, metavar="ID", help="The case whose question it is.")
@click.option(
    "--configuration",
    "name",
    metavar="NAME",
    help="The configuration, if more than one has agent.mcp_client = [].",
)
@click.option(
    "--http",
    "port",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    help="Offer http://127.0.0.1:PORT/mcp in place of standard input and output.",
)
@click.option(
    "--web",
    "web_mode",
    type=SOURCE,
    default="replay",
    show_default=True,
    help="Where searches and pages come from.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="The run's folder; default: reports/NAME."
)
@click.option("--overwrite", is_flag=True, help="Replace an earlier run in the folder.")
def mcp(experiment: Path, **options: Any) -> int:  # noqa: ANN401  # click hands over every option
    """Offer web_search, fetch and submit_answer for one trial of EXPERIMENT, by MCP.

    A coding assistant or any other MCP client connects, answers the question of the case and hands its
    answer in. A rejected answer comes back with what is wrong, until one passes or no retry is left.
    The configuration has agent.mcp_client = []. The next trial of the case that the folder lacks is run.
    Exits 1 if the answer did not pass, 3 if the trial ended in an error.
    """
    from rich.console import Console

    from research_eval.cli.run import bundled_web, read_and_choose, remove_old_run
    from research_eval.runner import RunOptions, execute, prepare, progress_for

    names = (options["name"],) if options["name"] else None
    read, cases, every = read_and_choose(experiment, {"cases": (options["case"],), "names": names})
    configurations = every if names else _connecting(read, every)
    if len(cases) * len(configurations) != 1:
        found = ", ".join([*(one.id for one in cases), *(one.name for one in configurations)])
        raise UsageError(f"mcp: --case and --configuration name one each; named: {found}")
    port: int | None = options["port"]
    settings = RunOptions(
        out=options["out"] or Path("reports", read.settings.name),
        model_mode="live",
        web_mode=options["web_mode"],
        overwrite=options["overwrite"],
        mcp_place=port or "stdio",
        command=tuple(sys.argv[1:]),
    )
    with bundled_web(read, is_asked=settings.web_mode != "replay") as world:
        prepared = _next_trial(prepare(read, cases, configurations, settings, world=world))
        if settings.overwrite:
            remove_old_run(settings.out)
        where = f"http://127.0.0.1:{port}/mcp" if port else "standard input and output"
        click.echo(
            f"research-eval: {_name(prepared)}: an MCP client may connect: {where}", err=True
        )
        console = Console(stderr=True, force_terminal=False)
        summary = execute(
            prepared, lambda planned, done, waits: progress_for(console, planned, done, waits)
        )
    return _ending(prepared, summary.stopped)


def _connecting(read: "Experiment", every: "Sequence[Configuration]") -> "list[Configuration]":
    """Return the configurations whose client connects by itself.

    Raises:
        UsageError: If there is none.
    """
    found = [one for one in every if one.agent.mcp_client == ()]
    if not found:
        raise UsageError(f"{read.path}: no configuration has agent.mcp_client = []")
    return found


def _next_trial(prepared: "Prepared") -> "Prepared":
    """Return the run with the first trial alone that its folder lacks.

    Raises:
        UsageError: If it lacks none.
    """
    from research_eval.journal import RunFolder
    from research_eval.runner.plan import remaining

    folder = RunFolder(prepared.options.out)
    is_there = prepared.whole.earlier is not None
    done = {record.key for record in folder.trials()} if is_there else set()
    plan = remaining(prepared.plan, done)
    if not plan:
        key = "/".join(map(str, prepared.plan[-1]))
        raise UsageError(f"{folder.path}: holds {key} already; give another --out, or --overwrite")
    return prepared._replace(plan=plan[:1])


def _name(prepared: "Prepared") -> str:
    return "/".join(map(str, prepared.plan[0]))


def _ending(prepared: "Prepared", stopped: str | None) -> int:
    """Say how the trial ended, and return the exit status."""
    from research_eval.journal import RunFolder

    out = prepared.options.out
    for record in RunFolder(out).trials():
        if record.key == prepared.plan[0]:
            why = f": {record.failure.message}" if record.failure else ""
            click.echo(
                f"research-eval: {_name(prepared)}: {record.status}{why}; in {out}", err=True
            )
            return {"completed": 0, "error": 3}.get(record.status, 1)
    click.echo(f"research-eval: stopped: {stopped}; the trial is not kept", err=True)
    return 3
