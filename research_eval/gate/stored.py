"""Read from a journal what judging needs and nothing else: keys, hits, pages and answers.

A whole trial record is mostly prompts, replies and calls; to leave them unread makes judging a stored
run several times as fast.
"""

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from research_eval.journal import RunFolder
from research_eval.schema import AnswerChecked, Fetched, Searched, SearchHit, TrialKey, TrialRecord

__all__ = [
    "Answer",
    "Chunk",
    "StoredTrial",
    "chunks_of",
    "read_chunk",
    "seldom_collecting",
    "told_by",
]

CHUNK_BYTES = 4_000_000
"""Of a journal that are read together, by one worker."""


class Answer(NamedTuple):
    """One attempt."""

    attempt: int
    text: str


Step = SearchHit | Fetched | Answer
"""What changes a ledger, or is judged against it."""


class StoredTrial(NamedTuple):
    """A trial as far as judging it goes."""

    key: TrialKey
    steps: list[Step]


class Chunk(NamedTuple):
    """Whole lines of a run's journal."""

    path: str
    """The run's folder."""
    start: int
    end: int


class _Skipped(TypedDict):
    kind: Literal["prompt", "model", "tool"]


class _Searched(TypedDict):
    kind: Literal["search"]
    hits: tuple[SearchHit, ...]


class _Checked(TypedDict):
    kind: Literal["gate"]
    attempt: int
    answer: str


_Event = Annotated[_Skipped | _Searched | Fetched | _Checked, Field(discriminator="kind")]


class _Line(TypedDict):
    schema_version: Literal[1]
    case_id: str
    configuration: str
    trial: int
    transcript: list[_Event]


_LINE = TypeAdapter(_Line)


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Look for cycles of garbage seldom while the block runs: judging makes many values and no cycle."""
    usual = gc.get_threshold()
    gc.set_threshold(500_000, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def told_by(trial: TrialRecord) -> StoredTrial:
    """Return what judging needs of a whole record."""
    steps: list[Step] = []
    for event in trial.transcript:
        if isinstance(event, Searched):
            steps += event.hits
        elif isinstance(event, Fetched):
            steps.append(event)
        elif isinstance(event, AnswerChecked):
            steps.append(Answer(event.attempt, event.answer))
    return StoredTrial(trial.key, steps)


def chunks_of(folder: RunFolder, size: int = CHUNK_BYTES) -> Iterator[Chunk]:
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
            yield Chunk(str(folder.path), start, end)
            start = end


def read_chunk(chunk: Chunk) -> Iterator[StoredTrial]:
    """Yield the trials of a piece of a journal; a last line that was cut is left out.

    Raises:
        RecordError: If a line is not a trial record of a known schema version.
    """
    folder = RunFolder(Path(chunk.path))
    with folder.open_trials() as lines:
        lines.seek(chunk.start)
        for line in lines.read(chunk.end - chunk.start).splitlines(keepends=True):
            if line.endswith(b"\n"):
                yield _read(line, folder, chunk)


def _read(line: bytes, folder: RunFolder, chunk: Chunk) -> StoredTrial:
    try:
        data = _LINE.validate_json(line)
    except ValidationError:
        return told_by(folder.trial_in(line, chunk.start))
    key = TrialKey(data["case_id"], data["configuration"], data["trial"])
    return StoredTrial(key, _steps(data["transcript"]))


def _steps(events: Iterable[_Event]) -> list[Step]:
    steps: list[Step] = []
    for event in events:
        if isinstance(event, Fetched):
            steps.append(event)
        elif event["kind"] == "search":
            steps += event["hits"]
        elif event["kind"] == "gate":
            steps.append(Answer(event["attempt"], event["answer"]))
    return steps
