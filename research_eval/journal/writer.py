"""Write a run's journal: append each finished trial whole, put the lines in plan order at the end."""

import itertools
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from research_eval.errors import RecordError, UsageError
from research_eval.journal.folder import RunFolder
from research_eval.journal.lines import (
    Line,
    LineFile,
    clear_leftovers,
    cut_last_line,
    lines_of,
    read_lines,
    size_of,
    write_whole,
)
from research_eval.journal.rerun import find_reruns, open_reruns, supersede
from research_eval.schema import RunRecord, TrialKey, TrialRecord
from research_eval.schema.outside import safe_text
from research_eval.secret import clean_json, last_scrub

if sys.platform != "win32":
    import fcntl

__all__ = ["JournalWriter", "write_manifest"]


class JournalWriter:
    """The journal of one run while it runs; a trial that was added survives `kill -9`.

    No trial ever leaves it but for a later record of the same trial.
    """

    def __init__(self, folder: RunFolder) -> None:
        """Open the journal of `folder`, and repair what a crash left: cut lines, reruns kept apart.

        Raises:
            UsageError: If another process writes it.
            RecordError: If a line is no trial record, or a trial stands twice.
            OSError: If the disk does not take it.
        """
        self._folder = folder
        self._lock = _lock(folder.path)
        self._pages: set[str] = set()
        self._lines: dict[TrialKey, Line] = {}
        self._reruns: list[tuple[TrialKey, Line]] = []
        self._rerun_file: LineFile | None = None
        try:
            self._open()
        except BaseException:
            self._unlock()
            raise

    def _open(self) -> None:
        folder = self._folder
        for path in (folder.trials_path, folder.superseded_path):
            clear_leftovers(path)
            cut_last_line(path)
        self._lines = _scan(folder.trials_path)
        if reruns := find_reruns(folder.path):
            self._reruns = [(_key_of(line, str(reruns)), place) for place, line in lines_of(reruns)]
            self._merge(self._lines, reruns)
            self._lines = _scan(folder.trials_path)
        self._trials = LineFile(folder.trials_path)
        self._timing = LineFile(folder.timing_path)

    @property
    def done(self) -> frozenset[TrialKey]:
        """The trials that the journal holds."""
        return frozenset(self._lines)

    def add(self, record: TrialRecord, pages: Mapping[str, str], timing: Mapping[str, Any]) -> None:
        """Append a finished trial; its pages are written first, so that it never points at nothing.

        The record of a trial that the journal holds already replaces the earlier one when the run
        ends; until then a reader finds the earlier one, which is kept in `superseded.jsonl` later.

        Raises:
            UsageError: If the disk does not take it; what was there before stays whole.
        """
        try:
            self._add_pages(pages)
            self._append(record.key, clean_json(record.json_line()).encode() + b"\n")
            if timing:
                self._timing.append(
                    clean_json(json.dumps(timing, ensure_ascii=False)).encode() + b"\n"
                )
        except OSError as exc:
            raise UsageError(f"{self._folder.path}: cannot be written: {exc.strerror}") from exc

    def _append(self, key: TrialKey, line: bytes) -> None:
        if key not in self._lines:
            self._lines[key] = self._trials.append(line)
            return
        if self._rerun_file is None:
            self._rerun_file = open_reruns(self._folder.superseded_path)
        self._reruns.append((key, self._rerun_file.append(line)))

    def _add_pages(self, pages: Mapping[str, str]) -> None:
        for sha256, text in pages.items():
            path = self._folder.page_path(sha256)
            if sha256 not in self._pages and not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, last_scrub().scrub(safe_text(text)).encode())
            self._pages.add(sha256)

    def close(self) -> None:
        """Bring everything to the disk, close, and let other processes write."""
        self._close_files()
        self._unlock()

    def _close_files(self) -> None:
        for file in (self._trials, self._timing, self._rerun_file):
            if file is not None:
                file.close()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def finish(self, order: Iterable[TrialKey]) -> None:
        """Close the files, with the lines in the order of `order`, whatever order the trials ended in.

        Trials that `order` does not name stay, after the others.

        Raises:
            OSError: If the disk has no room for a second copy; nothing that was added is lost.
        """
        self._close_files()
        named = (key for key in order if key in self._lines)
        reruns = self._rerun_file.path if self._rerun_file is not None else None
        self._merge(dict.fromkeys(itertools.chain(named, self._lines)), reruns)

    def _merge(self, order: Iterable[TrialKey], reruns: Path | None) -> None:
        """Replace the journal by the newest line of each trial of `order`; the others are superseded."""
        path = self._folder.trials_path
        supersede(self._folder.superseded_path, self._lines, self._reruns)
        self._lines |= dict(self._reruns)
        newest = [self._lines[key] for key in order]
        if not _is_whole(newest, path):
            write_whole(path, read_lines(newest))
        if reruns is not None:
            reruns.unlink()
        self._reruns, self._rerun_file = [], None


def _is_whole(lines: list[Line], path: Path) -> bool:
    """Return whether the file holds these lines, in this order, and nothing else."""
    return (
        all(line.path == path for line in lines)
        and all(a.start < b.start for a, b in itertools.pairwise(lines))
        and sum(line.size for line in lines) == size_of(path)
    )


def _scan(path: Path) -> dict[TrialKey, Line]:
    """Return the place of each trial's line; one that stands there twice, the same, counts once."""
    found: dict[TrialKey, Line] = {}
    for number, (place, line) in enumerate(lines_of(path), start=1):
        key = _key_of(line, f"{path}:{number}")
        if found.setdefault(key, place) is not place and [line] != list(read_lines([found[key]])):
            name = "/".join(map(str, key))
            raise RecordError(f"{path}:{number}: duplicate trial {name} with different content")
    return found


def _lock(path: Path) -> int | None:
    """Return the folder, open and locked until it is closed or this process ends.

    `None` where the system has no such locks.
    """
    if sys.platform == "win32":
        return None
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as exc:
        os.close(descriptor)
        raise UsageError(f"{path}: another process writes this run") from exc
    except OSError:  # a file system without locks
        os.close(descriptor)
        return None
    return descriptor


def write_manifest(folder: RunFolder, manifest: RunRecord) -> None:
    """Write what the run says of itself."""
    text = json.dumps(
        manifest.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=False
    )
    write_whole(folder.path / "manifest.json", clean_json(text, indent=2).encode() + b"\n")


def _key_of(line: bytes, place: str) -> TrialKey:
    try:
        data = json.loads(line)
        key = TrialKey(data["case_id"], data["configuration"], data["trial"])
        hash(key)
    except (ValueError, KeyError, TypeError, RecursionError) as exc:
        raise RecordError(f"{place}: not a trial record: {exc}") from exc
    return key
