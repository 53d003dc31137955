"""Make the reports of a run folder and put them there, each whole or not at all."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Literal, get_args

from research_eval.errors import UsageError
from research_eval.journal import RunFolder, write_whole
from research_eval.report.aggregate import load_view
from research_eval.report.bundle import make_bundle
from research_eval.report.junit import render_junit
from research_eval.report.latex import render_latex
from research_eval.report.markdown import render_markdown
from research_eval.report.output import report_output
from research_eval.report.scores_csv import csv_lines
from research_eval.report.view import RunView
from research_eval.secret import last_scrub

__all__ = ["FORMATS", "ReportFormat", "shows_details", "write_report"]

ReportFormat = Literal[
    "md", "html", "csv", "junit", "json", "parquet", "latex", "svg", "png", "zip"
]
"""What a report can be written as."""

FORMATS: tuple[ReportFormat, ...] = get_args(ReportFormat)

REQUIREMENTS = "requirements.json"
"""What came of the experiment's requirements; written beside the reports where there are any."""

_Files = Iterator[tuple[str, Iterable[bytes]]]
"""Names of files within the run's folder, each with its content."""


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
        UsageError: If a file can't be written, or a format needs a package that is not there.
    """
    view = view or load_view(folder, has_details=shows_details(formats))
    target = out or folder.path
    written = [
        _replace(target / name, content)
        for form in formats
        for name, content in _RENDER[form](view, folder)
    ]
    if view.requirements is not None:
        rulings = view.requirements.model_dump_json(indent=1).encode(errors="replace") + b"\n"
        written.append(_replace(target / REQUIREMENTS, [rulings]))
    return written


def shows_details(formats: Iterable[ReportFormat]) -> bool:
    """Return whether one of the formats shows single trials."""
    return not {"html", "zip"}.isdisjoint(formats)


def _markdown(view: RunView, folder: RunFolder) -> _Files:
    del folder
    yield "report.md", [render_markdown(view).encode()]


def _csv(view: RunView, folder: RunFolder) -> _Files:
    yield "scores.csv", (line.encode(errors="replace") for line in csv_lines(view, folder))


def _junit(view: RunView, folder: RunFolder) -> _Files:
    del folder
    yield "junit.xml", [render_junit(view)]


def _latex(view: RunView, folder: RunFolder) -> _Files:
    del folder
    yield "report.tex", [render_latex(view).encode()]


def _json(view: RunView, folder: RunFolder) -> _Files:
    del folder
    found = report_output(view).model_dump_json(indent=1)
    yield "report.json", [found.encode(errors="replace") + b"\n"]


def _html(view: RunView, folder: RunFolder, *, has_pages: bool = True) -> _Files:
    from research_eval.report.html import html_blocks  # noqa: PLC0415  # loads matplotlib

    blocks = html_blocks(view, folder, has_pages=has_pages)
    yield "report.html", (block.encode(errors="replace") for block in blocks)


def _pictures(form: Literal["svg", "png"], view: RunView, folder: RunFolder) -> _Files:
    from research_eval.report.plot import draw_files  # noqa: PLC0415  # loads matplotlib

    del folder
    for name, content in draw_files(view, form).items():
        yield f"plots/{name}.{form}", [content]


def _parquet(view: RunView, folder: RunFolder) -> _Files:
    from research_eval.report.frame import make_trials_frame  # noqa: PLC0415  # loads pandas

    try:
        import_module("pyarrow")
    except ImportError as exc:
        raise UsageError(
            "--format parquet needs the extra parquet: pip install 'research-eval[parquet]'"
        ) from exc
    yield "trials.parquet", [make_trials_frame(view, folder).to_parquet(index=False)]


def _zip(view: RunView, folder: RunFolder) -> _Files:
    makers = (partial(_html, has_pages=False), _markdown, _json, _csv)
    reports = {name: content for make in makers for name, content in make(view, folder)}
    clean = {name: _scrubbed(content) for name, content in reports.items()}
    yield "results.zip", make_bundle(folder, clean)


_RENDER: dict[ReportFormat, Callable[[RunView, RunFolder], _Files]] = {
    "md": _markdown,
    "html": _html,
    "csv": _csv,
    "junit": _junit,
    "json": _json,
    "parquet": _parquet,
    "latex": _latex,
    "svg": partial(_pictures, "svg"),
    "png": partial(_pictures, "png"),
    "zip": _zip,
}
_PACKED = frozenset((".zip", ".png", ".parquet"))
"""Made of what is clean already; bytes replaced in them would break them."""


def _scrubbed(content: Iterable[bytes]) -> Iterator[bytes]:
    scrub = last_scrub()
    return (scrub.scrub_bytes(block) for block in content)


def _replace(path: Path, content: Iterable[bytes]) -> Path:
    """Write `content` whole or not at all.

    Raises:
        UsageError: If the folder or the file can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content if path.suffix in _PACKED else _scrubbed(content))
    except OSError as exc:
        raise UsageError(f"{path}: cannot be written: {exc.strerror}") from exc
    return path
