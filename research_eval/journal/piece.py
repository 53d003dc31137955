"""Pieces of a run's journal: any process can work on one, alone or on a cluster."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from research_eval.journal.folder import RunFolder
from research_eval.schema import TrialRecord

__all__ = ["Piece", "pieces_of", "seldom_collecting", "trials_in"]

PIECE_BYTES = 4_000_000
"""Of a journal that are read together, by one worker."""


class Piece(NamedTuple):
    """Whole lines of a run's journal."""

    path: str
    """The run's folder."""
    start: int
    end: int


def pieces_of(folder: RunFolder, size: int = PIECE_BYTES) -> Iterator[Piece]:
    """Yield the journal in pieces of about `size` bytes that end with a line.

    Raises:
        RecordError: If there is no journal.
    """
    with folder.open_trials() as lines:
        start = 0
        while True:
            lines.seek(start + size)
            lines.readline()
            end = lines.tell()
            lines.seek(start)
            if not lines.read(1):
                return
            yield Piece(str(folder.path), start, end)
            start = end


def trials_in(piece: Piece) -> Iterator[TrialRecord]:
    """Yield the trials of a piece; a last line that was cut is left out.

    Raises:
        RecordError: If a line is not a trial record of a known schema version.
    """
    folder = RunFolder(Path(piece.path))
    with folder.open_trials() as lines:
        place = lines.seek(piece.start)
        while place < piece.end and (line := lines.readline()).endswith(b"\n"):
            yield folder.trial_in(line, place)
            place += len(line)


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Look for cycles of garbage seldom while the block runs: judging makes many values and no cycle."""
    usual = gc.get_threshold()
    gc.set_threshold(500_000, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
