"""Read from a journal what judging needs and nothing else: keys, hits, pages and answers.

A whole trial record is mostly prompts, replies and calls; to leave them unread, and to build no
validated record of what is read, makes judging a stored run several times as fast.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from research_eval.journal.folder import RunFolder
from research_eval.journal.piece import Piece
from research_eval.schema import Evidence, TrialKey, TrialRecord, Verdict, Violation

__all__ = [
    "Answer",
    "StoredHit",
    "StoredPage",
    "StoredTrial",
    "read_piece",
    "told_by",
]


class StoredHit(msgspec.Struct):
    """What judging needs of a `SearchHit`."""

    url: str
    title: str = ""
    snippet: str = ""


class StoredPage(msgspec.Struct, tag_field="kind", tag="fetch"):
    """What judging needs of a `Fetched`."""

    url: str
    ok: bool
    error: str | None = None
    final_url: str | None = None
    canonical: str | None = None
    title: str | None = None
    evidence: Evidence = "ok"
    content_sha256: str | None = None
    content_chars: int | None = None


class StoredViolation(msgspec.Struct):
    """What a comparison needs of a `Violation`."""

    kind: str
    url: str | None = None
    start: int | None = None
    end: int | None = None
    nearest: str | None = None
    difference: str | None = None


class StoredVerdict(msgspec.Struct):
    """What a comparison needs of a `Verdict`."""

    gate: str
    violations: tuple[StoredViolation, ...] = ()


class Answer(NamedTuple):
    """One attempt."""

    attempt: int
    text: str
    verdict: StoredVerdict
    """What the gate of the run said."""

    def recorded(self) -> Verdict:
        """Return the verdict of the run's gate, without its citations."""
        violations = (msgspec.to_builtins(one) for one in self.verdict.violations)
        return Verdict(
            gate=self.verdict.gate, violations=tuple(Violation(**one) for one in violations)
        )


Step = StoredHit | StoredPage | Answer
"""What changes a ledger, or is judged against it."""


class StoredTrial(NamedTuple):
    """A trial as far as judging it goes."""

    key: TrialKey
    question: str
    steps: list[Step]


class _Prompt(msgspec.Struct, tag_field="kind", tag="prompt"):
    pass


class _Called(msgspec.Struct, tag_field="kind", tag="model"):
    pass


class _Used(msgspec.Struct, tag_field="kind", tag="tool"):
    pass


class _Searched(msgspec.Struct, tag_field="kind", tag="search"):
    hits: tuple[StoredHit, ...] = ()


class _Checked(msgspec.Struct, tag_field="kind", tag="gate"):
    attempt: int
    answer: str
    verdict: StoredVerdict


class _Line(msgspec.Struct):
    schema_version: Literal[1]
    case_id: str
    configuration: str
    trial: int
    question: str
    transcript: list[_Prompt | _Called | _Used | _Searched | StoredPage | _Checked]


_LINE = msgspec.json.Decoder(_Line)


def told_by(trial: TrialRecord) -> StoredTrial:
    """Return what judging needs of a whole record."""
    return _told(trial.model_dump_json().encode())


def read_piece(piece: Piece) -> Iterator[StoredTrial]:
    """Yield the trials of a piece of a journal; a last line that was cut is left out.

    Raises:
        RecordError: If a line is not a trial record of a known schema version.
    """
    folder = RunFolder(Path(piece.path))
    with folder.open_trials() as lines:
        lines.seek(piece.start)
        for line in lines.read(piece.end - piece.start).splitlines(keepends=True):
            if line.endswith(b"\n"):
                yield _read(line, folder, piece)


def _read(line: bytes, folder: RunFolder, piece: Piece) -> StoredTrial:
    try:
        return _told(line)
    except (ValueError, RecursionError):
        return told_by(folder.trial_in(line, piece.start))


def _told(line: bytes) -> StoredTrial:
    read = _LINE.decode(line)
    steps: list[Step] = []
    for event in read.transcript:
        if isinstance(event, StoredPage):
            steps.append(event)
        elif isinstance(event, _Searched):
            steps += event.hits
        elif isinstance(event, _Checked):
            steps.append(Answer(event.attempt, event.answer, event.verdict))
    key = TrialKey(read.case_id, read.configuration, read.trial)
    return StoredTrial(key, read.question, steps)
