"""Options that several commands share: which cases and configurations, and how far a run may go."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from research_eval.errors import UsageError

__all__ = ["gone", "limits", "of_experiment", "selection"]


def gone(name: str, instead: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Refuse an option that earlier versions had, and say what takes its place."""

    def refuse(_: click.Context, __: click.Parameter, is_given: bool) -> None:
        if is_given:
            raise UsageError(f"{name} is gone: {instead}")

    return click.option(name, is_flag=True, hidden=True, expose_value=False, callback=refuse)


OF_EXPERIMENT = (
    click.option(
        "--configuration",
        "names",
        multiple=True,
        metavar="NAME",
        help="Run only this configuration, or those of a pattern with * and ?; repeatable.",
    ),
    click.option(
        "--exclude",
        "excluded",
        multiple=True,
        metavar="NAME",
        help="Leave out this case or configuration, or those of a pattern; repeatable.",
    ),
    click.option(
        "--set",
        "overrides",
        multiple=True,
        metavar="KEY=VALUE",
        help="Change a setting, as in defaults.agent.max_retries=0; repeatable.",
    ),
)
"""Which configurations of an experiment, and how they are changed."""


def of_experiment(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose configurations and settings."""
    for option in reversed(OF_EXPERIMENT):
        command = option(command)
    return command


def selection(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose cases, configurations and settings."""
    for option in reversed(
        (
            click.option(
                "--case",
                "cases",
                multiple=True,
                metavar="ID",
                help="Only this case, or those of a pattern with * and ?; repeatable.",
            ),
            click.option(
                "--tag",
                "tags",
                multiple=True,
                metavar="TAG",
                help="Only cases with this tag; repeatable.",
            ),
            click.option(
                "--limit",
                type=click.IntRange(1),
                help="Run at most this many cases, from the first on.",
            ),
            *OF_EXPERIMENT,
            click.option(
                "--concurrency",
                type=click.IntRange(1, 1000),
                default=16,
                show_default=True,
                help="Trials at the same time.",
            ),
        )
    ):
        command = option(command)
    return command


def limits(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that limit what a run consumes, and the one that only tells."""
    for option in reversed(
        (
            click.option(
                "--max-tokens",
                type=click.IntRange(1),
                help="Most tokens of the run; a call that could exceed them is not sent.",
            ),
            click.option(
                "--max-cost",
                type=click.FloatRange(0, min_open=True),
                help="Most US dollars of the run; a call that could exceed them is not sent.",
            ),
            click.option(
                "--max-time",
                type=click.FloatRange(0, min_open=True),
                help="Stop the run, with its open calls, after this many seconds.",
            ),
            click.option(
                "--allow-unbounded",
                "unbounded",
                multiple=True,
                metavar="CONFIGURATION",
                help="Send calls of this configuration under --max-cost and --max-tokens although their size has no limit; repeatable.",
            ),
            click.option(
                "--dry-run", is_flag=True, help="Print the plan and an estimate, and run nothing."
            ),
            click.option(
                "--from",
                "pilot",
                type=click.Path(path_type=Path),
                metavar="RUN",
                help="With --dry-run: estimate calls and tokens of a trial from this run.",
            ),
        )
    ):
        command = option(command)
    return command
