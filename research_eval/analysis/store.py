"""Scores that were added to a run: `scores.jsonl`, one trial and scorer a line, and what they measure."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from research_eval.dataset import Case, load_cases
from research_eval.errors import RecordError
from research_eval.journal import RunFolder, write_whole
from research_eval.schema import Record, Score, Scored, TrialKey
from research_eval.scorer import Measure, Registry, registry

__all__ = [
    "ScoreLines",
    "StoredScores",
    "keep_measures",
    "read_scores",
    "registry_of",
    "run_cases",
    "scores_path",
    "stored_scores",
]

_SCORE: TypeAdapter[Score] = TypeAdapter(Score)
_TEXT = TypeAdapter(str)
_MEASURES = TypeAdapter(tuple[Measure, ...])


class StoredScores(Record):
    """What one scorer said of one trial."""

    schema_version: Literal[1] = 1
    case_id: str
    configuration: str
    trial: int
    scorer: str
    """The name under which the scorer was asked for."""
    scores: tuple[Score, ...]

    @property
    def key(self) -> TrialKey:
        """The trial that was scored."""
        return TrialKey(self.case_id, self.configuration, self.trial)


class ScoreLines:
    """Writes the lines of many trials; a score that trials share is put into words once."""

    _END = b'"","scores":[]}'
    """How a line ends that names no scorer."""

    def __init__(self) -> None:
        self._words: dict[int, tuple[Score, bytes]] = {}
        """By the score's identity, which is its own as long as it is held here."""

    def of(self, key: TrialKey, scores: Mapping[str, Iterable[Score]]) -> bytes:
        """Return what each scorer said of a trial, a line each."""
        empty = StoredScores(**key._asdict(), scorer="", scores=())
        head = empty.model_dump_json().encode().removesuffix(self._END)
        return b"".join(
            b'%b%b,"scores":[%b]}\n'
            % (head, _TEXT.dump_json(scorer), b",".join(map(self._said, some)))
            for scorer, some in scores.items()
        )

    def _said(self, score: Score) -> bytes:
        if id(score) not in self._words:
            self._words[id(score)] = score, _SCORE.dump_json(_SCORE.validate_python(score))
        return self._words[id(score)][1]


def scores_path(folder: RunFolder) -> Path:
    """Return where the added scores of a run stand."""
    return folder.path / "scores.jsonl"


def keep_measures(folder: RunFolder, measures: Iterable[Measure]) -> None:
    """Keep what scorers of the user's own declare, beside what is kept already.

    Raises:
        RecordError: If what is kept cannot be read.
        OSError: If the file cannot be written.
    """
    found = {one.name: one for one in (*_custom_measures(folder), *measures)}
    if found:
        rows = [asdict(one) for one in found.values()]
        text = json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
        write_whole(_measures_path(folder), text.encode(errors="replace"))


def registry_of(folder: RunFolder) -> Registry:
    """Return every measure that a run may have: built in, of its gates, of its added scores.

    Raises:
        RecordError: If the manifest or the declarations cannot be read.
    """
    has_manifest = (folder.path / "manifest.json").is_file()
    return registry(folder.manifest() if has_manifest else None, _custom_measures(folder))


def _measures_path(folder: RunFolder) -> Path:
    return folder.path / "measures.json"


def _custom_measures(folder: RunFolder) -> tuple[Measure, ...]:
    path = _measures_path(folder)
    if not path.is_file():
        return ()
    try:
        return _MEASURES.validate_json(path.read_bytes())
    except ValidationError as exc:
        raise RecordError(f"{path}: {_first_error(exc)}") from exc


def run_cases(folder: RunFolder) -> dict[str, Case]:
    """Return the cases that a run was planned with, by id; none if it did not keep them.

    Raises:
        DatasetError: If the file is there and holds no cases.
    """
    if not folder.cases_path.is_file():
        return {}
    return {case.id: case for case in load_cases(folder.cases_path)}


def read_scores(folder: RunFolder) -> Iterator[StoredScores]:
    """Yield the added scores of a run one by one; none if there are none.

    Raises:
        RecordError: If a line is not such a record.
    """
    path = scores_path(folder)
    if not path.is_file():
        return
    known = registry_of(folder)
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = StoredScores.model_validate_json(line)
            except ValidationError as exc:
                raise RecordError(f"{path}:{number}: {_first_error(exc)}") from exc
            for score in row.scores:
                if isinstance(score, Scored) and (
                    problem := known.of(score.name).problem(score.value, score.weight)
                ):
                    raise RecordError(f"{path}:{number}: {problem}")
            yield row


def _first_error(exc: ValidationError) -> str:
    first = exc.errors(include_url=False)[0]
    place = ".".join(map(str, first["loc"])) or "line"
    if place == "schema_version":
        return f"schema_version {first['input']!r:.40} is not one that this version reads (1)"
    return f"{place}: {first['msg']}"


def stored_scores(
    folder: RunFolder, names: Collection[str] | None = None
) -> dict[TrialKey, tuple[Score, ...]]:
    """Return the added scores of a run by trial, all scorers together; of `names` alone if given.

    Raises:
        RecordError: If a line cannot be read.
    """
    found: dict[TrialKey, tuple[Score, ...]] = {}
    for row in read_scores(folder):
        kept = [score for score in row.scores if names is None or score.name in names]
        if kept:
            found[row.key] = (*found.get(row.key, ()), *kept)
    return found
