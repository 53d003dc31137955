"""Write a run's journal: append each finished trial whole, put the lines in plan order at the end."""

import itertools
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from research_eval.errors import RecordError, UsageError
from research_eval.journal.folder import RunFolder
from research_eval.schema import RunRecord, TrialKey, TrialRecord

if sys.platform != "win32":
    import fcntl

__all__ = ["JournalWriter", "write_manifest", "write_whole"]


class JournalWriter:
    """The journal of one run while it runs; a trial that was added survives `kill -9`."""

    def __init__(self, folder: RunFolder) -> None:
        """Open the journal of `folder`, dropping a last line that was cut by a crash.

        Raises:
            UsageError: If another process writes it.
            RecordError: If a line is no trial record.
        """
        self._folder = folder
        self._lock = _lock(folder.path)
        self._spans: dict[TrialKey, tuple[int, int]] = {}
        self._pages: set[str] = set()
        self._scan()
        self._open()

    def _open(self) -> None:
        self._trials = _LineFile(self._folder.trials_path)
        self._timing = _LineFile(self._folder.path / "timing.jsonl")

    def _scan(self) -> None:
        path = self._folder.trials_path
        for left in path.parent.glob(f".{path.name}.*.tmp"):  # by one that was killed
            left.unlink(missing_ok=True)
        if not path.exists():
            return
        end = 0
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.endswith(b"\n"):
                    break
                self._spans.setdefault(_key_of(line, f"{path}:{number}"), (end, len(line)))
                end += len(line)
        os.truncate(path, end)

    @property
    def done(self) -> frozenset[TrialKey]:
        """The trials that the journal holds."""
        return frozenset(self._spans)

    def add(self, record: TrialRecord, pages: Mapping[str, str], timing: Mapping[str, Any]) -> None:
        """Append a finished trial; its pages are written first, so that it never points at nothing.

        Raises:
            UsageError: If the disk does not take it; what was there before stays whole.
        """
        try:
            self._add_pages(pages)
            line = record.model_dump_json(exclude_none=True).encode() + b"\n"
            self._spans[record.key] = (self._trials.append(line), len(line))
            self._timing.append(json.dumps(timing, ensure_ascii=False).encode() + b"\n")
        except OSError as exc:
            raise UsageError(f"{self._folder.path}: cannot be written: {exc.strerror}") from exc

    def _add_pages(self, pages: Mapping[str, str]) -> None:
        for sha256, text in pages.items():
            path = self._folder.page_path(sha256)
            if sha256 not in self._pages and not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, text.encode())
            self._pages.add(sha256)

    def close(self) -> None:
        """Bring everything to the disk, close, and let other processes write."""
        self._close_files()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _close_files(self) -> None:
        self._trials.close()
        self._timing.close()

    def finish(self, plan: Iterable[TrialKey]) -> None:
        """Close the files, with the lines in the order of `plan`, whatever order the trials ended in.

        Raises:
            OSError: If the disk has no room for the second copy; the journal stays as it is.
        """
        self._close_files()
        wanted = [self._spans[key] for key in plan if key in self._spans]
        if _is_in_order(wanted) and len(wanted) == len(self._spans):
            return
        path = self._folder.trials_path
        with path.open("rb") as source:
            write_whole(path, (_read_span(source, span) for span in wanted))

    def drop(self, keys: Iterable[TrialKey], keep_in: Path) -> None:
        """Move the trials in `keys` out of the journal to the file `keep_in`, which is appended to."""
        self._close_files()
        gone = set(keys)
        path = self._folder.trials_path
        with path.open("rb") as source:
            with keep_in.open("ab") as kept:
                kept.writelines(
                    _read_span(source, self._spans[k]) for k in self._spans if k in gone
                )
                kept.flush()
                os.fsync(kept.fileno())
            remaining = [self._spans[key] for key in self._spans if key not in gone]
            write_whole(path, (_read_span(source, span) for span in remaining))
        self._spans.clear()
        self._scan()
        self._open()


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


class _LineFile:
    """A file that grows by whole lines: one that the disk does not take is taken back."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=0)
        self._size = self._file.tell()

    def append(self, line: bytes) -> int:
        """Append `line` and return where it begins."""
        start = self._size
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            self._file.truncate(start)
            raise
        self._size = start + len(line)
        return start

    def close(self) -> None:
        """Bring it to the disk and close it."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()


def write_whole(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Replace the file at `path`, or leave it as it was."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_manifest(folder: RunFolder, manifest: RunRecord) -> None:
    """Write what the run says of itself."""
    text = json.dumps(
        manifest.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=False
    )
    write_whole(folder.path / "manifest.json", text.encode() + b"\n")


def _key_of(line: bytes, place: str) -> TrialKey:
    try:
        data = json.loads(line)
        key = TrialKey(data["case_id"], data["configuration"], data["trial"])
        hash(key)
    except (ValueError, KeyError, TypeError, RecursionError) as exc:
        raise RecordError(f"{place}: not a trial record: {exc}") from exc
    return key


def _read_span(source: IO[bytes], span: tuple[int, int]) -> bytes:
    source.seek(span[0])
    return source.read(span[1])


def _is_in_order(spans: list[tuple[int, int]]) -> bool:
    return all(a < b for a, b in itertools.pairwise(spans))
