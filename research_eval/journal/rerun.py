"""Trials that ran again: kept apart while the run lasts, then put in place of the earlier records.

The new records grow a file of their own, whose name says how large `superseded.jsonl` was before. To
merge them, first the earlier records are added to `superseded.jsonl`, then the journal is replaced,
then the file goes. Whoever finds it after a crash does the same again: earlier records that were
added already are told by the size, and the journal comes out the same however often it is replaced.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from research_eval.journal.lines import (
    Line,
    LineFile,
    lines_of,
    read_lines,
    size_of,
    write_whole,
)
from research_eval.schema import TrialKey

__all__ = ["find_reruns", "open_reruns", "supersede"]

PREFIX, SUFFIX = ".again-", ".jsonl"


def find_reruns(folder: Path) -> Path | None:
    """Return the file of the trials that ran again and are not in the journal yet, if there is one."""
    return next(iter(sorted(folder.glob(f"{PREFIX}*{SUFFIX}"))), None)


def open_reruns(superseded: Path) -> LineFile:
    """Begin the file of the trials that run again, beside the one that keeps their earlier records."""
    return LineFile(superseded.with_name(f"{PREFIX}{size_of(superseded)}{SUFFIX}"))


def supersede(
    superseded: Path, earlier: Mapping[TrialKey, Line], reruns: Iterable[tuple[TrialKey, Line]]
) -> None:
    """Add the earlier records of the trials that ran again to `superseded`, unless that was done.

    Args:
        superseded: The file that keeps them.
        earlier: The journal's lines.
        reruns: The trials that ran again, in this order, and their new lines, all of one file.
    """
    newest, gone = dict(earlier), list[Line]()
    for key, line in reruns:
        if key in newest:
            gone.append(newest[key])
        newest[key] = line
    if gone and size_of(superseded) == _size_before(line.path):
        write_whole(superseded, chain(_content(superseded), read_lines(gone)))


def _size_before(reruns: Path) -> int:
    return int(reruns.name.removeprefix(PREFIX).removesuffix(SUFFIX))


def _content(path: Path) -> Iterator[bytes]:
    return (line for _, line in lines_of(path))
