"""Files of whole lines: appended to, replaced whole, and read line by line by their place."""

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NamedTuple

__all__ = [
    "Line",
    "LineFile",
    "clear_leftovers",
    "cut_last_line",
    "lines_of",
    "read_lines",
    "size_of",
    "write_whole",
]

BLOCK_BYTES = 65_536
"""Read at once where the end of the last whole line is looked for."""


class Line(NamedTuple):
    """Where a line stands."""

    path: Path
    start: int
    size: int


class LineFile:
    """A file that grows by whole lines: one that the disk does not take is taken back."""

    def __init__(self, path: Path) -> None:
        """Open the file for appending; a last line that a crash cut short is dropped."""
        cut_last_line(path)
        self.path = path
        self._file = path.open("ab", buffering=0)
        self._size = self._file.tell()

    def append(self, line: bytes) -> Line:
        """Append `line` and return its place."""
        start = self._size
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            self._file.truncate(start)
            raise
        self._size = start + len(line)
        return Line(self.path, start, len(line))

    def close(self) -> None:
        """Bring it to the disk and close it."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()


def cut_last_line(path: Path) -> None:
    """Drop a last line that a crash cut short."""
    if path.exists() and (end := _end_of_lines(path)) != size_of(path):
        os.truncate(path, end)


def _end_of_lines(path: Path) -> int:
    """Return where the last whole line of a file ends."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - BLOCK_BYTES)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
    return 0


def lines_of(path: Path) -> Iterator[tuple[Line, bytes]]:
    """Yield the whole lines of a file with their places; none if there is no file."""
    if not path.exists():
        return
    start = 0
    with path.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                yield Line(path, start, len(line)), line
            start += len(line)


def read_lines(lines: Iterable[Line]) -> Iterator[bytes]:
    """Yield the content of each line; every file is opened once."""
    files: dict[Path, BinaryIO] = {}
    with ExitStack() as stack:
        for path, start, size in lines:
            if path not in files:
                files[path] = stack.enter_context(path.open("rb"))
            files[path].seek(start)
            yield files[path].read(size)


def size_of(path: Path) -> int:
    """Return the size of a file; 0 if there is none."""
    return path.stat().st_size if path.exists() else 0


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


def clear_leftovers(path: Path) -> None:
    """Remove what one that was killed while it replaced `path` left behind."""
    for left in path.parent.glob(f".{path.name}.*.tmp"):
        left.unlink(missing_ok=True)
