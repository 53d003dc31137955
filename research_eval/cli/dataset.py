"""`research-eval dataset`: list, check and count the cases of a dataset."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from research_eval.dataset import Case, Hit
    from research_eval.world import World

__all__ = ["dataset"]

_PATH = click.argument("path", type=click.Path(path_type=Path), required=False)


@click.group()
def dataset() -> None:
    """List, check and count the cases of a dataset; without PATH, of the bundled one."""


@dataset.command()
@_PATH
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only cases with this tag.")
def ls(path: Path | None, tags: tuple[str, ...]) -> None:
    """Print one line a case: id, language, tags, question."""
    from research_eval.dataset import select_cases
    from research_eval.schema.display import one_line

    for case in select_cases(_cases(path), tags=tags):
        click.echo(
            "\t".join((case.id, case.language, ",".join(case.tags), one_line(case.question)))
        )


@dataset.command()
@_PATH
@click.option(
    "--world/--no-world",
    "against_world",
    default=None,
    help="Check against the pages of the bundled web. Default: only for the bundled dataset.",
)
def lint(path: Path | None, against_world: bool | None) -> int:
    """Check that each case is valid, and can be answered if it says so.

    Exits 1 if one is not.
    """
    from research_eval.dataset import find_faults, lint_cases
    from research_eval.errors import DatasetError
    from research_eval.schema.display import one_line

    faults = find_faults(path) if path else []
    for fault in faults[:-1]:
        click.echo(one_line(fault))
    if faults:
        raise DatasetError(faults[-1])
    cases = _cases(path)
    web = None
    if against_world or (against_world is None and path is None):
        from research_eval.world import load_world

        web = _WorldView(load_world())
    findings = lint_cases(cases, web)
    for finding in findings:
        click.echo(f"{finding.case_id}: {one_line(finding.message)}")
    click.echo(f"{len(cases)} cases, {len(findings)} findings")
    return 1 if findings else 0


@dataset.command()
@_PATH
def card(path: Path | None) -> None:
    """Print the counts for the dataset's card, as Markdown."""
    from research_eval.dataset import count_cases

    click.echo(count_cases(_cases(path)), nl=False)


def _cases(path: Path | None) -> "tuple[Case, ...]":
    from research_eval.dataset import load_cases

    if path is not None:
        return load_cases(path)
    from research_eval.experiment.bundled import bundled_experiment

    return load_cases(bundled_experiment().with_name("cases.jsonl"))


class _WorldView:
    """The bundled web as the check of a dataset asks for it."""

    def __init__(self, world: "World") -> None:
        self._world = world

    def page_name(self, url: str) -> str | None:
        page = self._world.destination(url)
        return page.url if page else None

    def text(self, url: str) -> str | None:
        return self._world.text(url)

    def hits(self, query: str, limit: int) -> "Sequence[Hit]":
        from research_eval.dataset import Hit

        found = self._world.index.search(query, limit)
        return [Hit(self.page_name(hit.url) or hit.url, hit.snippet) for hit in found]
