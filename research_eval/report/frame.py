"""A run as a pandas table, for people who go on in a notebook."""

import io
from pathlib import Path

import pandas as pd

from research_eval.journal import RunFolder
from research_eval.report.fold import load_view
from research_eval.report.scores_csv import render_csv

__all__ = ["trials_frame"]


def trials_frame(run: Path | str) -> pd.DataFrame:
    """Return one row a planned trial: identity, status, and a column for every score.

    A score that could not be given is missing (`NaN`), never 0.

    Args:
        run: The run's folder.

    Raises:
        RecordError: If the manifest or a trial cannot be read.
    """
    return pd.read_csv(io.StringIO(render_csv(load_view(RunFolder(Path(run))))))
