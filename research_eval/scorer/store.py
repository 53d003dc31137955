"""Scores that were added to a run: `scores.jsonl` beside the journal, one trial and scorer a line."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from research_eval.dataset import Case, load_cases
from research_eval.errors import RecordError, UsageError
from research_eval.journal import RunFolder, write_whole
from research_eval.schema import Record, Score, TrialKey, TrialRecord
from research_eval.scorer.catalog import load_scorer
from research_eval.scorer.protocol import Scorer, score_trial

__all__ = ["StoredScores", "add_scores", "read_scores", "run_cases", "scores_path", "stored_scores"]

Seen = Callable[[TrialRecord, tuple[Score, ...]], None]
"""Is handed each trial with its new scores."""


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


def scores_path(folder: RunFolder) -> Path:
    """Return where the added scores of a run stand."""
    return folder.path / "scores.jsonl"


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
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield StoredScores.model_validate_json(line)
            except ValidationError as exc:
                raise RecordError(f"{path}:{number}: {_first_error(exc)}") from exc


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


def add_scores(
    folder: RunFolder,
    names: Iterable[str],
    *,
    seen: Seen | None = None,
    ready: Mapping[str, Scorer] | None = None,
) -> Path:
    """Score a stored run without model or network, and keep the scores beside earlier ones.

    Lines of the same scorers are replaced, those of others stay. Trials stream through, so that
    memory does not grow with the run; the file is replaced whole or not at all.

    Args:
        folder: The run.
        names: Scorers, as `load_scorer` takes them.
        seen: Is handed each trial with its new scores.
        ready: Scorers that no name alone makes, such as a judge, by the name to keep them under.

    Raises:
        ConfigError: If a scorer is unknown.
        RecordError: If the journal or the earlier scores cannot be read.
        UsageError: If the file cannot be written.
    """
    made = dict(ready or {})
    scorers = {name: made.get(name) or load_scorer(name) for name in dict.fromkeys(names)}
    path = scores_path(folder)
    try:
        write_whole(path, _lines(folder, scorers, seen or _ignore))
    except OSError as exc:
        raise UsageError(f"{path}: cannot be written: {exc.strerror}") from exc
    return path


def _ignore(trial: TrialRecord, scores: tuple[Score, ...]) -> None:
    del trial, scores


def _lines(folder: RunFolder, scorers: dict[str, Scorer], seen: Seen) -> Iterator[bytes]:
    """Yield the lines of other scorers as they were, then the new ones."""
    cases = run_cases(folder)
    for row in read_scores(folder):
        if row.scorer not in scorers:
            yield _line(row)
    for trial in folder.trials():
        every: list[Score] = []
        for name, scorer in scorers.items():
            scores = score_trial(cases.get(trial.case_id), trial, folder.page, [scorer])
            every += scores
            yield _line(_row(trial.key, name, scores))
        seen(trial, tuple(every))


def _row(key: TrialKey, scorer: str, scores: tuple[Score, ...]) -> StoredScores:
    return StoredScores(
        case_id=key.case_id,
        configuration=key.configuration,
        trial=key.trial,
        scorer=scorer,
        scores=scores,
    )


def _line(row: StoredScores) -> bytes:
    return row.model_dump_json().encode() + b"\n"
