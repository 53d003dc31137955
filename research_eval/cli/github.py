"""What a command says where GitHub runs it: annotations beside the code, and a summary of the step.

Both appear by themselves where `GITHUB_ACTIONS` is `true`; the forms are those of GitHub's workflow
commands and of the file that `GITHUB_STEP_SUMMARY` names.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import click

from research_eval.errors import UsageError

if TYPE_CHECKING:
    from research_eval.schema import Requirements

__all__ = ["Annotation", "annotate", "markdown_table", "on_github", "tell", "tell_rulings"]

MOST_ANNOTATIONS = 10
"""GitHub shows no more of one level in one step."""


class Annotation(NamedTuple):
    """A remark at a line of a file."""

    title: str
    message: str
    file: str | None = None
    line: int | None = None
    level: Literal["error", "warning", "notice"] = "error"


def on_github() -> bool:
    """Return whether GitHub runs this."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def annotate(remarks: Sequence[Annotation]) -> None:
    """Print annotations, where GitHub runs this."""
    if not on_github():
        return
    for one in remarks[:MOST_ANNOTATIONS]:
        place = f"file={_property(_in_repository(one.file))}," if one.file else ""
        place += f"line={one.line}," if one.file and one.line else ""
        text = f"::{one.level} {place}title={_property(one.title)}::{_data(one.message)}"
        click.echo(text.encode("utf-8", "replace"), err=True)


def tell(markdown: str, path: Path | None) -> None:
    """Write a summary to a file, if one is named, and to the step's summary, where GitHub runs this.

    Raises:
        UsageError: If the file cannot be written.
    """
    from research_eval.journal import write_whole

    content = markdown.encode("utf-8", "replace")
    if path is not None:
        try:
            write_whole(path, content)
        except OSError as exc:
            raise UsageError(f"{path}: cannot be written: {exc.strerror}") from exc
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if on_github() and summary:
        with Path(summary).open("ab") as file:
            file.write(content + b"\n")


def tell_rulings(found: "Requirements | None") -> None:
    """Tell GitHub which requirements hold: a summary of all, an annotation for each that does not."""
    if found is None or not on_github():
        return
    rows = [(one.verdict, one.configuration, one.requirement, one.reason) for one in found.rulings]
    table = markdown_table(("ruling", "configuration", "requirement", "why"), rows)
    tell(f"### Requirements: {found.verdict}\n\n{table}", None)
    annotate(
        [
            Annotation(
                f"requirement {one.verdict}: {one.configuration}",
                f"{one.requirement}: {one.reason}",
            )
            for one in found.rulings
            if one.verdict in {"failed", "inconclusive"}
        ]
    )


def markdown_table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown in which no word of a model, page or file is markup."""
    from research_eval.report.markdown import escape_markdown

    titles = list(headings)
    lines = [" | ".join(titles), " | ".join("---" for _ in titles)]
    lines += [" | ".join(escape_markdown(cell) for cell in row) for row in rows]
    return "".join(f"| {line} |\n" for line in lines)


def _in_repository(file: str) -> str:
    """Return a path from the root of the repository on, as annotations want it."""
    path = Path(file).resolve()
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
