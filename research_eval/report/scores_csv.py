"""The trials as scores.csv: one row a planned trial, a column for every score."""

import csv
import io
from collections.abc import Iterator, Sequence

from research_eval.journal import RunFolder
from research_eval.report.answer import TEXTS, open_answers
from research_eval.report.row import COLUMNS, Fact, score_names
from research_eval.report.trace import fact_text
from research_eval.report.view import RunView

__all__ = ["csv_columns", "csv_lines", "csv_row", "render_csv"]

_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a spreadsheet takes for the begin of a formula, full-width forms included."""


def csv_columns(view: RunView) -> list[str]:
    """Return the columns in the order of the file: identity, scores, then the reasons."""
    present = view.rows.columns
    scores = [name for name in score_names(present) if name in present]
    others = sorted(name for name in present if name not in COLUMNS and name not in scores)
    return [*COLUMNS, *scores, *others]


def render_csv(view: RunView) -> str:
    """Return the rows without the texts of the trials."""
    columns = csv_columns(view)
    return "".join([csv_row(columns), *map(csv_row, _facts(view, columns))])


def csv_lines(view: RunView, folder: RunFolder) -> Iterator[str]:
    """Yield the file's lines; a trial that was not run has a row without scores.

    Raises:
        RecordError: If there is no journal.
    """
    columns = csv_columns(view)
    yield csv_row([*columns, *TEXTS])
    with open_answers(folder) as answers:
        for row, facts in zip(view.rows, _facts(view, columns), strict=True):
            line = row.fact("line")
            number = line if isinstance(line, int) else None
            yield csv_row([*facts, *answers.texts(row.key.case_id, number)])


def _facts(view: RunView, columns: Sequence[str]) -> Iterator[tuple[Fact, ...]]:
    return zip(*(view.rows.columns[name] for name in columns), strict=True)


def csv_row(facts: Sequence[Fact]) -> str:
    """Return one line; words are written so that no spreadsheet takes them for a formula."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([_cell(fact) for fact in facts])
    return out.getvalue()


def _cell(fact: Fact) -> str:
    if fact is None:
        return ""
    if isinstance(fact, tuple):
        fact = " ".join(fact)
    return _plain(fact) if isinstance(fact, str) else fact_text(fact)


def _plain(text: str) -> str:
    """Return words that a spreadsheet does not take for a formula: an apostrophe before says so."""
    text = text.replace("\r", " ")  # which the csv module leaves unquoted
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
