"""Make the reports of a run folder and put them there, each whole or not at all."""

import functools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, get_args

from research_eval.errors import UsageError
from research_eval.journal import RunFolder, write_whole
from research_eval.report.fold import ScoreTrial, build_view
from research_eval.report.junit import render_junit
from research_eval.report.markdown import render_markdown
from research_eval.report.scores_csv import render_csv
from research_eval.report.view import ReportSettings, RunView
from research_eval.schema import Score, TrialRecord
from research_eval.scorer import DEFAULT_SCORERS, Scorer, score_trial
from research_eval.scorer.efficiency import at_prices_of
from research_eval.scorer.store import run_cases, stored_scores
from research_eval.secret import last_scrub

__all__ = ["FORMATS", "ReportFormat", "load_view", "write_report"]

ReportFormat = Literal["md", "html", "csv", "junit", "json"]
"""What a report can be written as."""

FORMATS: tuple[ReportFormat, ...] = get_args(ReportFormat)

KEPT_PAGES = 64
"""Pages kept in memory while trials are scored, since many trials read the same ones."""

_NAMES: dict[str, str] = {
    "md": "report.md",
    "html": "report.html",
    "csv": "scores.csv",
    "junit": "junit.xml",
    "json": "report.json",
}


def load_view(
    folder: RunFolder,
    *,
    scorers: Sequence[Scorer] = DEFAULT_SCORERS,
    settings: ReportSettings | None = None,
) -> RunView:
    """Return the view of the run in `folder`, with the scores that were added to it later.

    Raises:
        RecordError: If the manifest or a trial can't be read.
        DatasetError: If the run's own cases can't be read.
    """
    score = _scoring(folder, scorers)
    return build_view(folder.manifest(), folder.trials(), score=score, settings=settings)


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
    return [_replace(target / _NAMES[name], content) for name, content in contents.items()]


def _scoring(folder: RunFolder, scorers: Sequence[Scorer]) -> ScoreTrial:
    cases, added = run_cases(folder), stored_scores(folder)
    pages = functools.lru_cache(maxsize=KEPT_PAGES)(folder.page)
    priced = at_prices_of(folder.manifest(), scorers)

    def score(trial: TrialRecord) -> tuple[Score, ...]:
        found = score_trial(cases.get(trial.case_id), trial, pages, priced)
        return (*found, *added.get(trial.key, ()))

    return score


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
    whole = {
        "manifest": view.manifest.model_dump(mode="json"),
        "settings": view.settings.model_dump(mode="json"),
        "is_conclusive": view.is_conclusive,
        "configurations": [one.model_dump(mode="json") for one in view.configurations],
        "repeats": [one.model_dump(mode="json") for one in view.repeats],
        "differences": [one.model_dump(mode="json") for one in view.differences],
        "ranks": [one.model_dump(mode="json") for one in view.ranks],
        "resilience": [one.model_dump(mode="json") for one in view.resilience],
    }
    return json.dumps(whole, indent=1, ensure_ascii=False).encode(errors="replace") + b"\n"


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
