"""`research-eval show`: one trial of a run as a text for a terminal."""

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import click

from research_eval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from research_eval.schema import TrialRecord

__all__ = ["show"]


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("case")
@click.option("--configuration", metavar="NAME", help="Of this configuration; default: the first.")
@click.option(
    "--trial", type=click.IntRange(1), metavar="N", help="This repetition; default: the first."
)
def show(run: Path, case: str, configuration: str | None, trial: int | None) -> int:
    """Print a trial of CASE in the run in folder RUN: turns, searches, pages, attempts, ending.

    Characters that would steer the terminal are replaced. The last lines name the other trials of
    the case that the options allow.
    """
    from research_eval.cli.show_text import trial_lines
    from research_eval.journal import RunFolder

    folder = RunFolder(run)
    manifest = folder.manifest()
    names = [one.name for one in manifest.configurations]
    _known(run, "case", case, manifest.case_ids)
    if configuration is not None:
        _known(run, "configuration", configuration, names)
    of_case = [one for one in folder.trials() if one.case_id == case]
    found = [
        one
        for one in of_case
        if configuration in {None, one.configuration} and trial in {None, one.trial}
    ]
    if not found:
        raise UsageError(f"{run}: {_why_none(of_case, case, configuration, trial)}")
    places = {name: place for place, name in enumerate(names)}
    found.sort(key=lambda one: (places.get(one.configuration, len(places)), one.trial))
    for line in trial_lines(found[0]):
        click.echo(line)
    for line in _others(found[1:]):
        click.echo(line)
    return 0


def _known(run: Path, what: str, name: str, known: "Iterable[str]") -> None:
    """Refuse a name that the run does not have, with the nearest one."""
    names = list(known)
    if name in names:
        return
    near = get_close_matches(name, names, n=1, cutoff=0)
    hint = f"; the nearest of {len(names)} is {near[0]!r}" if near else ""
    raise UsageError(f"{run}: no {what} {name!r}{hint}")


def _why_none(
    of_case: "list[TrialRecord]", case: str, configuration: str | None, trial: int | None
) -> str:
    """Return why no trial of a case that the run knows can be shown."""
    if not of_case:
        return f"no trial of {case!r} is in the journal: it did not run yet"
    there = [one for one in of_case if configuration in {None, one.configuration}]
    if not there:
        return f"no trial of {case!r} under {configuration!r} is in the journal: it did not run yet"
    numbers = ", ".join(map(str, sorted({one.trial for one in there})))
    return f"no trial {trial} of {case!r} is in the journal; there are: {numbers}"


def _others(found: "list[TrialRecord]") -> "Iterable[str]":
    """Yield the other trials, a configuration a line."""
    from research_eval.schema.display import one_line

    if not found:
        return
    yield ""
    yield "other trials of this case (--configuration, --trial):"
    for name in dict.fromkeys(one.configuration for one in found):
        ends = (f"{one.trial} {one.status}" for one in found if one.configuration == name)
        yield f"  {one_line(name)}: {', '.join(ends)}"
