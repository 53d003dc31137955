"""Make the reports of a run folder and put them there, each whole or not at all."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, get_args

from research_eval.errors import UsageError
from research_eval.journal import RunFolder, write_whole
from research_eval.report.fold import load_view
from research_eval.report.junit import render_junit
from research_eval.report.markdown import render_markdown
from research_eval.report.output import report_output
from research_eval.report.scores_csv import render_csv
from research_eval.report.view import RunView
from research_eval.secret import last_scrub

__all__ = ["FORMATS", "ReportFormat", "write_report"]

ReportFormat = Literal["md", "html", "csv", "junit", "json"]
"""What a report can be written as."""

FORMATS: tuple[ReportFormat, ...] = get_args(ReportFormat)

_NAMES: dict[str, str] = {
    "md": "report.md",
    "html": "report.html",
    "csv": "scores.csv",
    "junit": "junit.xml",
    "json": "report.json",
}


REQUIREMENTS = "requirements.json"
"""What came of the experiment's requirements; written beside the reports where there are any."""


def write_report(
    folder: RunFolder,
    *,
    formats: Sequence[ReportFormat] = ("md", "html", "csv", "junit"),
    out: Path | None = None,
    view: RunView | None = None,
) -> list[Path]:
    """Write reports of a run and return their paths.

    Args:
        folder: The run.
        formats: Which reports.
        out: Where they go; by default beside the journal.
        view: What to show, where the caller has it already.

    Raises:
        RecordError: If the manifest or a trial can't be read.
        UsageError: If a file can't be written.
    """
    view = view or load_view(folder)
    target = out or folder.path
    contents = {name: _RENDER[name](view, folder) for name in formats}
    written = [_replace(target / _NAMES[name], content) for name, content in contents.items()]
    if view.requirements is not None:
        rulings = view.requirements.model_dump_json(indent=1).encode(errors="replace") + b"\n"
        written.append(_replace(target / REQUIREMENTS, rulings))
    return written


def _markdown(view: RunView, folder: RunFolder) -> bytes:
    del folder
    return render_markdown(view).encode()


def _csv(view: RunView, folder: RunFolder) -> bytes:
    del folder
    return render_csv(view).encode()


def _junit(view: RunView, folder: RunFolder) -> bytes:
    del folder
    return render_junit(view)


def _json(view: RunView, folder: RunFolder) -> bytes:
    del folder
    return report_output(view).model_dump_json(indent=1).encode(errors="replace") + b"\n"


def _html(view: RunView, folder: RunFolder) -> bytes:
    from research_eval.report.html import render_html  # noqa: PLC0415  # loads matplotlib

    return render_html(view, folder).encode(errors="replace")


_RENDER: dict[str, Callable[[RunView, RunFolder], bytes]] = {
    "md": _markdown,
    "html": _html,
    "csv": _csv,
    "junit": _junit,
    "json": _json,
}


def _replace(path: Path, content: bytes) -> Path:
    """Write `content` whole or not at all.

    Raises:
        UsageError: If the folder or the file can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, last_scrub().scrub_bytes(content))
    except OSError as exc:
        raise UsageError(f"{path}: cannot be written: {exc.strerror}") from exc
    return path
