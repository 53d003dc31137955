"""What a run says on the console beside its results: a warning before it, errors and blocked pages after it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

if TYPE_CHECKING:
    from research_eval.experiment import Configuration
    from research_eval.schema import TrialRecord
    from research_eval.tool.search import SearchSettings

__all__ = ["print_notices", "warn_of_no_search", "warn_of_retired"]

SHOWN_CAUSES = 5
"""Causes of errors that the end of a run tells; the report has them all."""

SHOWN_HOSTS = 3
"""Blocked hosts that the end of a run tells."""


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


def warn_of_retired(chains: "Iterable[SearchSettings]") -> None:
    """Say before the first search which providers are closed, each once."""
    from research_eval.tool.search import retired_notes

    for note in dict.fromkeys(note for chain in chains for note in retired_notes(chain)):
        click.echo(f"research-eval: warning: {note}", err=True)


def print_notices(out: Path) -> None:
    """Say of what trials ended in an error, each cause once, and which pages our own guard blocked."""
    from research_eval.journal import RunFolder
    from research_eval.schema import causes_of

    blocked: Counter[str] = Counter()
    causes = causes_of(_counting_blocked(RunFolder(out).trials(), blocked))
    for cause in causes[:SHOWN_CAUSES]:
        click.echo(f"errors: {cause.line}", err=True)
    if len(causes) > SHOWN_CAUSES:
        left = causes[SHOWN_CAUSES:]
        click.echo(
            f"errors: {sum(cause.trials for cause in left)} trials of {len(left)} more causes,"
            " in report.md",
            err=True,
        )
    if blocked:
        hosts = ", ".join(host for host, _ in blocked.most_common(SHOWN_HOSTS))
        more = ", …" if len(blocked) > SHOWN_HOSTS else ""
        click.echo(
            f"blocked: {sum(blocked.values())} fetches of {hosts}{more}: the SSRF guard opens public "
            "hosts on ports 80 and 443, as far as fetch.allow_hosts and fetch.deny_hosts go; "
            'see also fetch.allow_private = ["HOST"] and fetch.ports = "any"',
            err=True,
        )


def _counting_blocked(
    trials: "Iterator[TrialRecord]", blocked: Counter[str]
) -> "Iterator[TrialRecord]":
    """Yield the trials, and count the hosts that `fetch` was not allowed to open."""
    from research_eval.schema.display import one_line

    for trial in trials:
        for event in trial.transcript:
            if event.kind == "fetch" and event.error == "blocked":
                blocked[one_line(_authority((*event.hops, event.url)[0]), 80)] += 1
        yield trial


def _authority(url: str) -> str:
    try:
        return urlsplit(url).netloc or url
    except ValueError:
        return url
