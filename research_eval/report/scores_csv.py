"""The trials as scores.csv: one row a planned trial, a column for every score."""

import csv
import io

from research_eval.report.row import COLUMNS, Fact, score_names
from research_eval.report.trace import fact_text
from research_eval.report.view import RunView

__all__ = ["csv_columns", "render_csv"]

_FORMULA = ("=", "+", "-", "@")


def csv_columns(view: RunView) -> list[str]:
    """Return the columns in the order of the file: identity, scores, then the reasons."""
    present = view.rows.columns
    scores = [name for name in score_names(present) if name in present]
    others = sorted(name for name in present if name not in COLUMNS and name not in scores)
    return [*COLUMNS, *scores, *others]


def render_csv(view: RunView) -> str:
    """Return the file's text; a trial that was not run has a row without scores."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = csv_columns(view)
    writer.writerow([_plain(column) for column in columns])
    writer.writerows(zip(*([_cell(v) for v in view.rows.columns[c]] for c in columns), strict=True))
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
