"""Question, answer and expected facts of a trial, read from the journal when a row is written."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import msgspec

from research_eval.analysis.store import run_cases
from research_eval.journal import RunFolder

__all__ = ["TEXTS", "Answers", "open_answers"]

TEXTS = ("question", "answer", "expected")
"""Columns that are read from the journal, and from the run's cases."""


class _Line(msgspec.Struct):
    question: str
    answer: str | None = None


_LINE = msgspec.json.Decoder(_Line)


class Answers:
    """Reads the lines of a journal by number; only their places are held in memory."""

    def __init__(self, folder: RunFolder, lines: BinaryIO) -> None:
        self._cases = run_cases(folder)
        self._lines = lines
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line))

    def texts(self, case_id: str, line: int | None) -> tuple[str, str, str]:
        """Return question, answer and expected facts; an empty text where there is none.

        Args:
            case_id: The trial's case.
            line: The trial's line in the journal, from 1; `None` where it did not run.
        """
        case = self._cases.get(case_id)
        expected = "; ".join(fact.value for fact in case.expected) if case else ""
        if line is None:
            return case.question if case else "", "", expected
        self._lines.seek(self._starts[line - 1])
        found = _LINE.decode(self._lines.readline())
        return found.question, found.answer or "", expected


@contextmanager
def open_answers(folder: RunFolder) -> Iterator[Answers]:
    """Hold the journal open for reading answers.

    Raises:
        RecordError: If there is no journal.
        DatasetError: If the run's own cases can't be read.
    """
    with folder.open_trials() as lines:
        yield Answers(folder, lines)
