"""The folder of a run: where its manifest, trials, cases and pages stand, and how they are read."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from research_eval.errors import RecordError
from research_eval.schema import SCHEMA_VERSION, Execution, RunRecord, ToolCalled, TrialRecord

__all__ = ["RunFolder"]

BLOCK_BYTES = 1_000_000
"""Read at once where only lines are counted."""


class RunFolder:
    """Reads one run; never writes."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def trials_path(self) -> Path:
        """The journal: one trial record a line."""
        return self.path / "trials.jsonl"

    @property
    def superseded_path(self) -> Path:
        """The earlier records of trials that ran again, one a line."""
        return self.path / "superseded.jsonl"

    @property
    def timing_path(self) -> Path:
        """Wall-clock figures, those of one execution of a trial a line."""
        return self.path / "timing.jsonl"

    @property
    def executions_path(self) -> Path:
        """Where and how the run was executed, one execution a line."""
        return self.path / "executions.jsonl"

    @property
    def spending_path(self) -> Path:
        """What was spent on calls that are in no record, one execution a line; mostly absent."""
        return self.path / "spending.jsonl"

    @property
    def cases_path(self) -> Path:
        """The cases that the run was planned with, in the dataset's own form."""
        return self.path / "cases.jsonl"

    def manifest(self) -> RunRecord:
        """Return what the run says of itself.

        Raises:
            RecordError: If there is no readable manifest.
        """
        path = self.path / "manifest.json"
        try:
            return RunRecord.model_validate_json(path.read_bytes())
        except OSError as exc:
            raise RecordError(f"{path}: not a run folder: {exc.strerror}") from exc
        except ValidationError as exc:
            raise RecordError(f"{path}: {_first_error(exc)}") from exc

    def trials(self) -> Iterator[TrialRecord]:
        """Yield the trials one by one, so that memory does not grow with the run.

        Raises:
            RecordError: If a line is not a trial record of a known schema version.
        """
        return _records(self.trials_path)

    def open_trials(self) -> BinaryIO:
        """Return the journal, open for reading bytes.

        Raises:
            RecordError: If there is none.
        """
        return _open(self.trials_path)

    def trial_in(self, line: bytes, near: int) -> TrialRecord:
        """Return the record in one line of the journal, which stands at or after the byte `near`.

        Raises:
            RecordError: With the line's number, if it is not a trial record of a known version.
        """
        try:
            return _record(line, self.trials_path, 0)
        except RecordError:
            with self.open_trials() as lines:
                number = 1 + _newlines(lines, near)
                number += next((n for n, other in enumerate(lines) if other == line), 0)
            return _record(line, self.trials_path, number)

    def superseded(self) -> Iterator[TrialRecord]:
        """Yield the trials that were run again, as they ended before; none if none was.

        Raises:
            RecordError: If a line is not a trial record of a known schema version.
        """
        path = self.superseded_path
        return _records(path) if path.exists() else iter(())

    def executions(self) -> list[Execution]:
        """Return where and how the run was executed, the last one last; empty for older runs.

        Raises:
            RecordError: If a line is no such record.
        """
        path = self.executions_path
        try:
            lines = path.read_bytes().splitlines() if path.exists() else []
            return [Execution.model_validate_json(line) for line in lines]
        except OSError as exc:
            raise RecordError(f"{path}: {exc.strerror}") from exc
        except ValidationError as exc:
            raise RecordError(f"{path}: {_first_error(exc)}") from exc

    def page(self, sha256: str) -> str | None:
        """Return the extracted text of the page with this digest, if the run kept it."""
        path = self.page_path(sha256)
        return path.read_bytes().decode() if path.is_file() else None

    def result(self, called: ToolCalled) -> str | None:
        """Return what the model read of a tool call's result; `None` if the run did not keep it.

        It is as long as `result_chars` says, unless it was longer than what is kept
        (`research_eval.agent.log.MAX_RESULT_CHARS`) or a secret was taken out.
        """
        return None if called.result_sha256 is None else self.page(called.result_sha256)

    def page_path(self, sha256: str) -> Path:
        """Return where the text with this digest stands."""
        return self.path / "pages" / sha256[:2] / f"{sha256}.txt"


def _newlines(file: BinaryIO, size: int) -> int:
    """Return how many lines end in the next `size` bytes of a file, which may be larger than memory."""
    found = 0
    while size > 0 and (block := file.read(min(size, BLOCK_BYTES))):
        found += block.count(b"\n")
        size -= len(block)
    return found


def _records(path: Path) -> Iterator[TrialRecord]:
    with _open(path) as lines:
        for number, line in enumerate(lines, start=1):
            if line.endswith(b"\n"):
                yield _record(line, path, number)


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as exc:
        raise RecordError(f"{path}: {exc.strerror}") from exc


def _record(line: bytes, path: Path, number: int) -> TrialRecord:
    try:
        return TrialRecord.model_validate_json(line)
    except ValidationError as exc:
        place = f"{path}:{number}"
        raise RecordError(f"{place}: {_version_error(line) or _first_error(exc)}") from exc


def _first_error(exc: ValidationError) -> str:
    first = exc.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place or 'line'}: {first['msg']}"


def _version_error(line: bytes) -> str | None:
    try:
        version = json.loads(line).get("schema_version")
    except (ValueError, AttributeError, RecursionError):
        return None
    if version == SCHEMA_VERSION:
        return None
    return f"schema_version {version!r} is not one that this version reads ({SCHEMA_VERSION})"
