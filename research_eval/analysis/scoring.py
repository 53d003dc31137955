"""Score a run: pieces of its journal in, lines of `scores.jsonl` and tables out.

Any process can score a piece, and the pieces are put together in the journal's order: whoever scored
them, the bytes are the same.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from research_eval.analysis.store import (
    ScoreLines,
    keep_measures,
    read_scores,
    registry_of,
    run_cases,
    scores_path,
    stored_scores,
)
from research_eval.analysis.table import Row, Table
from research_eval.dataset import Case
from research_eval.errors import ConfigError, UsageError
from research_eval.journal import RunFolder, write_whole
from research_eval.journal.piece import Piece, pieces_of, seldom_collecting, trials_in
from research_eval.schema import Failure, RunRecord, Score, TrialRecord, Unscored
from research_eval.scorer import (
    DEFAULT_SCORERS,
    Registry,
    Scorer,
    load_scorer,
    no_pages,
    score_trial,
    scorers_for,
)
from research_eval.scorer.confidence import NAMES as CONFIDENCE
from research_eval.scorer.custom import CustomScorer
from research_eval.scorer.measure import measures_of
from research_eval.secret import clean_json

__all__ = [
    "ScoredPiece",
    "ScoredRun",
    "add_not_run",
    "add_scores",
    "score_piece",
    "score_run",
    "tabulate",
]


class ScoredPiece(NamedTuple):
    """A piece of a journal, scored."""

    lines: bytes
    """For `scores.jsonl`: one trial and scorer a line."""
    end: int
    """The byte of the journal where the piece ends; the last may end beyond it."""
    table: Table
    """By case."""
    stated: Table
    """By trial: what answers that state a confidence stated, and whether it came true."""

    @property
    def trials(self) -> int:
        """How many trials were scored."""
        return self.table.run


Seen = Callable[[ScoredPiece], None]
"""Is handed each piece, in the journal's order, once its lines are written."""

Spread = Callable[[Callable[[Piece], ScoredPiece], Iterator[Piece]], Iterator[ScoredPiece]]
"""Does the work on each piece, wherever, and yields what comes out in their order."""


def add_scores(
    folder: RunFolder,
    names: Iterable[str],
    *,
    seen: Seen | None = None,
    ready: Mapping[str, Scorer] | None = None,
    spread: Spread = map,
) -> Path:
    """Score a stored run without model or network, and keep the scores beside earlier ones.

    Lines of the same scorers are replaced, those of others stay. Trials stream through, so that
    memory does not grow with the run; the file is replaced whole or not at all.

    Args:
        folder: The run.
        names: Scorers, as `load_scorer` takes them.
        seen: Is handed each piece of the journal with its sums.
        ready: Scorers that no name alone makes, such as a judge, by the name to keep them under.
        spread: Has the pieces scored; by default here, one after the other.

    Raises:
        ConfigError: If a scorer is unknown, here or where a piece is scored.
        RecordError: If the journal or the earlier scores cannot be read.
        UsageError: If the file cannot be written.
    """
    wanted = tuple(dict.fromkeys(names))
    scorers = _scorers(wanted, ready or {}).values()
    path = scores_path(folder)
    work = partial(score_piece, names=wanted, ready=ready)
    own = (one for each in scorers if isinstance(each, CustomScorer) for one in measures_of(each))
    try:
        keep_measures(folder, own)
        write_whole(path, _lines(folder, wanted, spread(work, pieces_of(folder)), seen))
    except OSError as exc:
        raise UsageError(f"{path}: cannot be written: {exc.strerror}") from exc
    return path


def _lines(
    folder: RunFolder, names: tuple[str, ...], pieces: Iterator[ScoredPiece], seen: Seen | None
) -> Iterator[bytes]:
    """Yield the lines of other scorers as they were, then the new ones."""
    for row in read_scores(folder):
        if row.scorer not in names:
            yield clean_json(row.model_dump_json()).encode() + b"\n"
    for piece in pieces:
        yield piece.lines
        if seen is not None:
            seen(piece)


def score_piece(
    piece: Piece, names: tuple[str, ...], ready: Mapping[str, Scorer] | None = None
) -> ScoredPiece:
    """Score a piece of a run's journal; any process can do it that sees the run's folder.

    Raises:
        ConfigError: If this process has no such scorer.
        RecordError: If a line is not a trial record, or the manifest cannot be read.
    """
    try:
        scorers = _scorers(names, ready or {})
    except ConfigError as exc:
        raise ConfigError(f"a worker lacks a scorer that is known here: {exc}") from exc
    folder = RunFolder(Path(piece.path))
    cases, scorers = _cases(folder), _for_run(folder, scorers)
    writer, lines = ScoreLines(), list[bytes]()
    table, stated = Table(by_case=True), Table(CONFIDENCE)
    with seldom_collecting():
        for trial in trials_in(piece):
            case = cases.get(trial.case_id)
            said = {
                name: score_trial(case, trial, folder.page, [scorer])
                for name, scorer in scorers.items()
            }
            lines.append(writer.of(trial.key, said))
            every = tuple(chain.from_iterable(said.values()))
            row = Row(trial.configuration, trial.case_id, trial.trial)
            table.add(row, every)
            if any(one.name == CONFIDENCE[0] and one.status == "scored" for one in every):
                stated.add(row, every)
    return ScoredPiece(b"".join(lines), piece.end, table, stated)


def add_not_run(
    table: Table, manifest: RunRecord, cases: Mapping[str, Case], scorers: Iterable[Scorer]
) -> None:
    """Add the planned trials that did not run: measures that do not apply to their cases say so.

    Args:
        table: Of the trials that ran.
        manifest: What was planned.
        cases: By id.
        scorers: Those that say of a trial that broke before it began what does not apply; scorers of
            the user's own are not asked.
    """
    asked = [one for one in scorers_for(manifest, scorers) if not isinstance(one, CustomScorer)]
    planned = range(1, manifest.trials + 1)
    for case_id in manifest.case_ids:
        said: list[Score] | None = None
        for configuration in manifest.configurations:
            row = Row(configuration.name, case_id)
            if table.by_case:
                missing = [(row, manifest.trials - table.run_of(row))]
            else:
                each = (row._replace(trial=number) for number in planned)
                missing = [(one, 1 - table.run_of(one)) for one in each]
            for one, times in missing:
                if times > 0:
                    if said is None:
                        every = score_trial(cases.get(case_id), _not_run(case_id), no_pages, asked)
                        said = [s for s in every if s.status == "unscored" and _is_apart(s)]
                    table.add(one, said, times=times, has_run=False)


def _is_apart(score: Unscored) -> bool:
    return score.cause == "not_applicable"


class ScoredRun(NamedTuple):
    """A run with the table of its scores, a row a planned trial."""

    manifest: RunRecord
    known: Registry
    """Every measure that it may have."""
    table: Table
    statuses: dict[Row, str]
    """How the trials ended that ran."""
    strays: frozenset[Row]
    """Trials that went on after a request that was never recorded; one that it stopped is an error."""
    questions: dict[str, str]
    """What was asked in the cases that ran, by their ids."""
    folder: RunFolder | None = None
    """Where the records stand, if they do."""

    @property
    def name(self) -> str:
        """The run, for people."""
        return str(self.folder.path) if self.folder else self.manifest.experiment


ScoreTrial = Callable[[TrialRecord], Sequence[Score]]
"""Gives the scores of a trial."""

SeenTrial = Callable[[int, TrialRecord, Sequence[Score]], None]
"""Is handed each trial with its line in the journal, from 1, and its scores."""


def score_run(
    folder: RunFolder,
    *,
    scorers: Sequence[Scorer] = DEFAULT_SCORERS,
    names: frozenset[str] | None = None,
    seen: SeenTrial | None = None,
) -> ScoredRun:
    """Return the table of a run: scores of `scorers`, and those that were added to it.

    Args:
        folder: The run.
        scorers: Whose scores are made here.
        names: The measures that are asked for; `None` takes all.
        seen: Is handed each trial.

    Raises:
        RecordError: If the manifest, a trial or an added score cannot be read.
    """
    manifest = folder.manifest()
    own = (one for scorer in scorers for one in measures_of(scorer))
    known = Registry([*registry_of(folder), *own])
    bound = [one for one in scorers_for(manifest, scorers) if _gives(one, names)]
    cases, added = _cases(folder), stored_scores(folder, names)
    pages = lru_cache(maxsize=KEPT_PAGES)(folder.page)

    def score(trial: TrialRecord) -> tuple[Score, ...]:
        found = score_trial(cases.get(trial.case_id), trial, pages, bound)
        later = added.get(trial.key)
        return tuple({one.name: one for one in (*found, *later)}.values()) if later else found

    table = Table(names)
    found = tabulate(manifest, folder.trials(), score, known, table=table, seen=seen)
    add_not_run(table, manifest, cases, bound)
    return found._replace(folder=folder)


def tabulate(
    manifest: RunRecord,
    trials: Iterable[TrialRecord],
    score: ScoreTrial,
    known: Registry,
    *,
    table: Table | None = None,
    seen: SeenTrial | None = None,
) -> ScoredRun:
    """Return the table of some trials, which are read once, in the journal's order."""
    table = Table() if table is None else table
    statuses, strays, questions = dict[Row, str](), set[Row](), dict[str, str]()
    with seldom_collecting():
        for line, trial in enumerate(trials, start=1):
            row, found = Row(trial.configuration, trial.case_id, trial.trial), score(trial)
            table.add(row, found)
            statuses[row] = trial.status
            questions[trial.case_id] = trial.question
            if trial.status != "error" and trial.replay.misses + trial.replay.unrecorded > 0:
                strays.add(row)
            if seen is not None:
                seen(line, trial, found)
    return ScoredRun(manifest, known, table, statuses, frozenset(strays), questions)


def _gives(scorer: Scorer, names: frozenset[str] | None) -> bool:
    """Return whether a scorer gives one of the measures that are asked for."""
    declared = measures_of(scorer)
    if names is None or not declared:
        return True
    own = Registry(declared)
    return any(name in own for name in names)


def _not_run(case_id: str) -> TrialRecord:
    return TrialRecord(
        case_id=case_id,
        configuration="",
        trial=0,
        question="",
        status="error",
        failure=Failure(kind="not_run", message="the trial did not run"),
    )


KEPT_PAGES = 64
"""Pages kept in memory while trials are scored, since many trials read the same ones."""


def _scorers(names: Iterable[str], ready: Mapping[str, Scorer]) -> dict[str, Scorer]:
    return {name: ready.get(name) or load_scorer(name) for name in names}


def _for_run(folder: RunFolder, scorers: Mapping[str, Scorer]) -> dict[str, Scorer]:
    """Return the scorers with what they need to know of a run; one without a manifest says nothing."""
    if not (folder.path / "manifest.json").is_file():
        return dict(scorers)
    return dict(zip(scorers, scorers_for(folder.manifest(), scorers.values()), strict=True))


def _cases(folder: RunFolder) -> dict[str, Case]:
    """Return the cases of a run, which a process reads once for all its pieces."""
    path = folder.cases_path
    if not path.is_file():
        return {}
    state = path.stat()
    return _cases_as_of(folder.path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1)
def _cases_as_of(path: Path, modified_ns: int, size_bytes: int) -> dict[str, Case]:
    del modified_ns, size_bytes
    return run_cases(RunFolder(path))
