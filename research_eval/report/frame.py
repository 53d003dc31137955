"""A stored run in one line: typed records and pandas tables, for people who go on in a notebook."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from research_eval.analysis.store import run_cases
from research_eval.dataset import Case
from research_eval.journal import RunFolder
from research_eval.report.aggregate import load_view
from research_eval.report.answer import TEXTS, open_answers
from research_eval.report.row import UNSCORED, WEIGHT, score_names
from research_eval.report.scores_csv import csv_columns
from research_eval.report.view import RunView
from research_eval.schema import AnswerChecked, RunRecord, TrialRecord

__all__ = ["StoredRun", "load_run", "make_trials_frame"]

_KEY = ("case_id", "configuration", "trial")


class StoredRun:
    """Reads one run; each table is made when it is first asked for, and kept."""

    def __init__(self, path: Path | str) -> None:
        """Open the run in a folder.

        Args:
            path: The run's folder.

        Raises:
            RecordError: If there is no readable manifest.
        """
        self.folder = RunFolder(Path(path))
        self.manifest: RunRecord = self.folder.manifest()

    def records(self) -> Iterator[TrialRecord]:
        """Yield the trial records one by one.

        Raises:
            RecordError: If a line is not a trial record of a known schema version.
        """
        return self.folder.trials()

    @cached_property
    def cases(self) -> dict[str, Case]:
        """The cases that the run was planned with, by id; none if it did not keep them."""
        return run_cases(self.folder)

    @cached_property
    def view(self) -> RunView:
        """Everything that a report shows: rates with counts and intervals."""
        return load_view(self.folder)

    @cached_property
    def trials(self) -> pd.DataFrame:
        """One row a planned trial: identity, ending, every score, question, answer, expected facts.

        A score that could not be given is missing (`NaN`), never 0.
        """
        return make_trials_frame(self.view, self.folder)

    @cached_property
    def attempts(self) -> pd.DataFrame:
        """One row an answer that was put to the gate."""
        columns = ("attempt", "answer", "gate", "passed", "citations", "violations", "corrective")
        return _frame(columns, (_attempt(trial, one) for trial, one in self._checked()))

    @cached_property
    def citations(self) -> pd.DataFrame:
        """One row a citation of an attempt, with the kind of its violation where it has one."""
        columns = ("attempt", "url", "start", "end", "form", "violation")
        return _frame(columns, (row for pair in self._checked() for row in _citations(*pair)))

    @cached_property
    def events(self) -> pd.DataFrame:
        """One row an event of a transcript: its number, kind, and fields that are single values."""
        return _frame(("event", "kind"), (row for one in self.records() for row in _events(one)))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """One row a trial and measure: value and weight, or the cause why there is no value."""
        columns = ("measure", "value", "weight", "unscored")
        return _frame(columns, _scores(self.view))

    def _checked(self) -> Iterator[tuple[TrialRecord, AnswerChecked]]:
        return ((trial, one) for trial in self.records() for one in trial.attempts)


def load_run(path: Path | str) -> StoredRun:
    """Return the run in a folder, as typed records and as pandas tables.

    Args:
        path: The run's folder, for instance `reports/demo`.

    Raises:
        RecordError: If there is no readable manifest.
    """
    return StoredRun(path)


def make_trials_frame(view: RunView, folder: RunFolder) -> pd.DataFrame:
    """Return one row a planned trial, with its texts.

    Raises:
        RecordError: If there is no journal.
    """
    names = csv_columns(view)
    frame = pd.DataFrame({name: list(view.rows.columns[name]) for name in names})
    with open_answers(folder) as answers:
        texts = [
            answers.texts(
                row.key.case_id, line if isinstance(line := row.fact("line"), int) else None
            )
            for row in view.rows
        ]
    return pd.concat([frame, pd.DataFrame(texts, columns=list(TEXTS))], axis=1)


def _frame(columns: tuple[str, ...], rows: Iterator[dict[str, Any]]) -> pd.DataFrame:
    """Return a table that has the named columns first, even where there is no row."""
    found = pd.DataFrame(list(rows))
    first = [*_KEY, *columns]
    return found.reindex(columns=[*first, *(name for name in found.columns if name not in first)])


def _attempt(trial: TrialRecord, one: AnswerChecked) -> dict[str, Any]:
    return {
        **trial.key._asdict(),
        "attempt": one.attempt,
        "answer": one.answer,
        "gate": one.verdict.gate,
        "passed": one.verdict.passed,
        "citations": len(one.verdict.citations),
        "violations": len(one.verdict.violations),
        "corrective": one.corrective,
    }


def _citations(trial: TrialRecord, one: AnswerChecked) -> Iterator[dict[str, Any]]:
    kinds = {(v.start, v.end): v.kind for v in one.verdict.violations}
    for citation in one.verdict.citations:
        yield {
            **trial.key._asdict(),
            "attempt": one.attempt,
            **citation.model_dump(include={"url", "start", "end", "form"}),
            "violation": kinds.get((citation.start, citation.end)),
        }


def _events(trial: TrialRecord) -> Iterator[dict[str, Any]]:
    for number, event in enumerate(trial.transcript, start=1):
        fields = event.model_dump()
        single = {k: v for k, v in fields.items() if not isinstance(v, dict | list | tuple)}
        yield {**trial.key._asdict(), "event": number, **single}


def _scores(view: RunView) -> Iterator[dict[str, Any]]:
    for name in score_names(view.rows.columns):
        for row in view.rows:
            value, cause = row.fact(name), row.fact(UNSCORED + name)
            if value is not None or cause is not None:
                weight = row.fact(WEIGHT + name)
                yield {
                    **row.key._asdict(),
                    "measure": name,
                    "value": value,
                    "weight": (1 if weight is None else weight) if value is not None else None,
                    "unscored": cause,
                }
