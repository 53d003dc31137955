"""Score a stored run: pieces of its journal in, lines of `scores.jsonl` and their sums out.

Any process can score a piece, and the pieces are put together in the journal's order: whoever scored
them, the bytes are the same.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from research_eval.dataset import Case
from research_eval.errors import ConfigError, UsageError
from research_eval.gate.stored import Chunk, chunks_of, seldom_collecting
from research_eval.journal import RunFolder, write_whole
from research_eval.schema import Failure, Score, TrialRecord
from research_eval.scorer.aggregate import Tally
from research_eval.scorer.catalog import BUILT_IN, load_scorer
from research_eval.scorer.confidence import ConfidenceTable
from research_eval.scorer.efficiency import at_prices_of
from research_eval.scorer.protocol import Scorer, no_pages, score_trial
from research_eval.scorer.store import ScoreLines, read_scores, run_cases, scores_path
from research_eval.secret import clean_json

__all__ = ["ScoredPiece", "Sums", "add_scores", "leave_out_not_run", "score_piece"]


class Sums:
    """What is added up over the trials of one configuration."""

    def __init__(self, planned: int) -> None:
        self.tally = Tally(planned)
        self.confidence = ConfidenceTable()

    def add(self, case_id: str, scores: Iterable[Score]) -> None:
        """Take in all scores of one trial."""
        every = tuple(scores)
        self.tally.add(case_id, every)
        self.confidence.add(every)

    def merge(self, other: "Sums") -> None:
        """Take in all trials that `other` took in."""
        self.tally.merge(other.tally)
        self.confidence.merge(other.confidence)


class ScoredPiece(NamedTuple):
    """A piece of a journal, scored."""

    lines: bytes
    """For `scores.jsonl`: one trial and scorer a line."""
    end: int
    """The byte of the journal where the piece ends; the last may end beyond it."""
    sums: dict[str, Sums]
    """By configuration."""

    @property
    def trials(self) -> int:
        """How many trials were scored."""
        return sum(one.tally.run for one in self.sums.values())


Seen = Callable[[ScoredPiece], None]
"""Is handed each piece, in the journal's order, once its lines are written."""

Spread = Callable[[Callable[[Chunk], ScoredPiece], Iterator[Chunk]], Iterator[ScoredPiece]]
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
    _scorers(wanted, ready or {})
    path = scores_path(folder)
    work = partial(score_piece, names=wanted, ready=ready)
    try:
        write_whole(path, _lines(folder, wanted, spread(work, chunks_of(folder)), seen))
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
    chunk: Chunk, names: tuple[str, ...], ready: Mapping[str, Scorer] | None = None
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
    folder = RunFolder(Path(chunk.path))
    cases, scorers = _cases(folder), _priced(folder, scorers)
    writer, lines, sums = ScoreLines(), list[bytes](), dict[str, Sums]()
    with seldom_collecting():
        for trial in _trials(folder, chunk):
            case = cases.get(trial.case_id)
            said = {
                name: score_trial(case, trial, folder.page, [scorer])
                for name, scorer in scorers.items()
            }
            lines.append(writer.of(trial.key, said))
            every = chain.from_iterable(said.values())
            sums.setdefault(trial.configuration, Sums(0)).add(trial.case_id, every)
    return ScoredPiece(b"".join(lines), chunk.end, sums)


def leave_out_not_run(folder: RunFolder, sums: Mapping[str, Sums], names: Iterable[str]) -> None:
    """Leave planned trials that did not run out of the measures that do not apply to their cases.

    Of scorers built in, which say so of a trial that broke before it began; others are not asked.

    Raises:
        RecordError: If the manifest cannot be read.
    """
    manifest, cases = folder.manifest(), _cases(folder)
    scorers = [BUILT_IN[name] for name in names if name in BUILT_IN]
    for case_id in manifest.case_ids:
        runs = {name: one.tally.run_of(case_id) for name, one in sums.items()}
        if min(runs.values(), default=manifest.trials) >= manifest.trials:
            continue
        found = score_trial(cases.get(case_id), _not_run(case_id), no_pages, scorers)
        missing = [score for score in found if score.status == "unscored"]
        left_out = [score.name for score in missing if score.cause == "not_applicable"]
        for name, run in runs.items():
            sums[name].tally.leave_out(left_out, max(0, manifest.trials - run))


def _not_run(case_id: str) -> TrialRecord:
    return TrialRecord(
        case_id=case_id,
        configuration="",
        trial=0,
        question="",
        status="error",
        failure=Failure(kind="not_run", message="the trial did not run"),
    )


def _scorers(names: Iterable[str], ready: Mapping[str, Scorer]) -> dict[str, Scorer]:
    return {name: ready.get(name) or load_scorer(name) for name in names}


def _priced(folder: RunFolder, scorers: Mapping[str, Scorer]) -> dict[str, Scorer]:
    """Return the scorers with the run's prices; those of a run without a manifest have none."""
    if not (folder.path / "manifest.json").is_file():
        return dict(scorers)
    return dict(zip(scorers, at_prices_of(folder.manifest(), scorers.values()), strict=True))


def _trials(folder: RunFolder, chunk: Chunk) -> Iterator[TrialRecord]:
    """Yield the trials of a piece; a last line that was cut is left out."""
    with folder.open_trials() as lines:
        place = lines.seek(chunk.start)
        while place < chunk.end and (line := lines.readline()).endswith(b"\n"):
            yield folder.trial_in(line, place)
            place += len(line)


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
