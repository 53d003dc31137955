"""What a run says on the console beside its results: a warning before it, causes of errors after it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from research_eval.experiment import Configuration

__all__ = ["print_causes", "warn_of_no_search"]

SHOWN_CAUSES = 5
"""Causes of errors that the end of a run tells; the report has them all."""


def warn_of_no_search(configurations: "Sequence[Configuration]") -> None:
    """Say before the first call which agents cannot search, though their settings do not ask for that."""
    from research_eval.tool.kit import SEARCH_TOOL_ID

    for item in configurations:
        tools = item.agent.tools
        if not item.search.chain and (tools is None or SEARCH_TOOL_ID in tools):
            click.echo(
                f"research-eval: warning: configuration {item.name} has no web_search: search.chain"
                ' is empty; say agent.tools = ["fetch"] if that is meant',
                err=True,
            )


def print_causes(out: Path) -> None:
    """Say of what trials ended in an error: each cause once, in the words of what failed."""
    from research_eval.journal import RunFolder
    from research_eval.schema import causes_of

    causes = causes_of(RunFolder(out).trials())
    for cause in causes[:SHOWN_CAUSES]:
        click.echo(f"errors: {cause.line}", err=True)
    if len(causes) > SHOWN_CAUSES:
        left = causes[SHOWN_CAUSES:]
        click.echo(
            f"errors: {sum(cause.trials for cause in left)} trials of {len(left)} more causes,"
            " in report.md",
            err=True,
        )
