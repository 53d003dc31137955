"""The trials of a run as columns: what a report counts, filters and writes to scores.csv."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from research_eval.analysis.column import CAUSES, CodedColumn
from research_eval.analysis.scoring import ScoredRun
from research_eval.analysis.table import Row
from research_eval.report.fact import Fact, FactColumn, FactNotes, coded
from research_eval.schema import (
    ENDINGS,
    Cause,
    Causes,
    ModelCalled,
    Score,
    Searched,
    TrialKey,
    TrialRecord,
    failure_words,
)

__all__ = [
    "COLUMNS",
    "UNSCORED",
    "WEIGHT",
    "Fact",
    "Facts",
    "Rows",
    "TrialRow",
    "make_rows",
    "score_column",
    "score_names",
]

UNSCORED = "unscored:"
"""Begins the column that says why a scorer gave no value: error, not_applicable, undecided."""
WEIGHT = "weight:"
"""Begins the column that holds the weight of a score, where it is not 1."""

APART = "score:"
"""Begins the column of a score that is called like a column that is none."""

_NO_SCORE = (WEIGHT, "tries:")

COLUMNS: dict[str, str] = {
    "line": "line of trials.jsonl on which the trial stands",
    "case_id": "the case",
    "configuration": "the configuration",
    "trial": "the repetition, from 1",
    "language": "language of the question",
    "tags": "the case's tags",
    "status": f"how the trial ended: {', '.join(ENDINGS)}, not_run",
    "failure": "the error that ended the trial, in a word",
    "attempts": "answers put to the gate",
    "violations": "violations over all attempts",
    "unmeasured_requests": "replies without usage: token totals are lower bounds",
    "replay_hits": "exchanges answered from cassettes",
    "replay_misses": "requests without a recording",
    "replay_unplayed": "recorded exchanges that were not asked for",
}
"""What the columns beside the scores mean."""


MOST_SAID = 20_000
"""Different scores of which it is held what they say."""


class Facts:
    """What is noted of the trials as they are read, beside their scores."""

    def __init__(self) -> None:
        self.failures: dict[TrialKey, str] = {}
        self.served: dict[str, Counter[str]] = {}
        self.numbers: dict[TrialKey, int] = {}
        """Of each trial, by which number its facts are noted."""
        self.notes: list[Mapping[str, str]] = []
        """By that number: what scorers said beside a value, or in place of one, by the score's column."""
        self.columns = {name: FactNotes() for name in COLUMNS if name not in _IDENTITY}
        self._causes = Causes()
        self._shared: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
        self._said: dict[int, tuple[Score, tuple[str, str] | None]] = {}
        """By the identity of a score, which is its own as long as it is held here."""

    def see(self, line: int, trial: TrialRecord, scores: Sequence[Score]) -> None:
        """Take note of one trial; equal notes are one object, since most trials have the same."""
        number = self.numbers.setdefault(trial.key, len(self.numbers))
        for name, fact in _facts_of(line, trial).items():
            if name not in self.columns:
                self.columns[name] = FactNotes()
            self.columns[name].note(number, fact)
        if len(self._said) > MOST_SAID:
            self._said.clear()
        for score in [one for one in scores if id(one) not in self._said]:
            self._hear(score)
        notes = tuple([said for one in scores if (said := self._said[id(one)][1])])
        self.notes[number:] = [self._shared.setdefault(notes, dict(notes))]
        if trial.status == "error" and trial.failure is not None:
            self.failures[trial.key] = failure_words(trial.failure)
            self._causes.add(trial.key, trial.failure)
        calls = (event.model for event in trial.transcript if isinstance(event, ModelCalled))
        self.served.setdefault(trial.configuration, Counter()).update(filter(None, calls))

    def _hear(self, score: Score) -> None:
        """Hold what a score says in words, with its column; `None` if nothing."""
        text = score.detail if score.status == "scored" else score.reason
        self._said[id(score)] = score, (score_column(score.name), text) if text else None

    def note_of(self, key: TrialKey) -> Mapping[str, str]:
        """Return what scorers said of a trial, by the score's column."""
        number = self.numbers.get(key)
        return {} if number is None else self.notes[number]

    def causes(self) -> tuple[Cause, ...]:
        """Return what trials failed of, the most frequent cause first."""
        return self._causes.found()


_IDENTITY = ("case_id", "configuration", "trial")


def _facts_of(line: int, trial: TrialRecord) -> dict[str, Fact]:
    attempts = trial.attempts
    return {
        "line": line,
        "language": trial.language,
        "tags": trial.tags,
        "status": trial.status,
        "failure": trial.failure.kind if trial.failure else None,
        "attempts": len(attempts),
        "violations": sum(len(attempt.verdict.violations) for attempt in attempts),
        "unmeasured_requests": trial.usage.unmeasured_requests,
        "replay_hits": trial.replay.hits,
        "replay_misses": trial.replay.misses,
        "replay_unplayed": trial.replay.unplayed,
        **_provider_tries(trial),
    }


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One trial among the rows."""

    rows: "Rows"
    place: int

    @property
    def key(self) -> TrialKey:
        """Which trial it is."""
        return self.rows.keys[self.place]

    def fact(self, column: str) -> Fact:
        """Return the value in `column`; `None` where this trial has none."""
        return self.rows.fact(self.place, column)


@dataclass(frozen=True)
class Rows:
    """One row a planned trial, in the order of the plan, as columns."""

    keys: tuple[TrialKey, ...]
    columns: dict[str, FactColumn]
    places: npt.NDArray[np.intp]
    """Where each row stands in the table of scores; -1 where it does not."""
    facts: Facts

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[TrialRow]:
        return (TrialRow(self, place) for place in range(len(self.keys)))

    def fact(self, place: int, column: str) -> Fact:
        """Return a value; `None` where the trial has none, or there is no such column."""
        values = self.columns.get(column)
        return None if values is None else values[place]


def make_rows(run: ScoredRun, facts: Facts) -> Rows:
    """Return the rows of a run: what was noted of each trial, then what its table holds."""
    manifest, table = run.manifest, run.table
    keys = tuple(
        TrialKey(case_id, summary.name, number)
        for case_id in manifest.case_ids
        for summary in manifest.configurations
        for number in range(1, manifest.trials + 1)
    )
    numbers = np.array([facts.numbers.get(key, -1) for key in keys], np.intp)
    rows = (Row(key.configuration, key.case_id, key.trial) for key in keys)
    places = np.array([-1 if (p := table.place(row)) is None else p for row in rows], np.intp)
    noted = {name: notes.column(numbers) for name, notes in facts.columns.items()}
    noted["status"] = _with_not_run(noted["status"], numbers < 0)
    tries = sorted(name for name in noted if name not in COLUMNS)
    every = noted | _identity(run)
    columns = {name: every[name] for name in (*COLUMNS, *tries)}
    return Rows(keys, columns | _score_columns(run, places, numbers >= 0), places, facts)


def _with_not_run(status: FactColumn, has_not: npt.NDArray[np.bool_]) -> FactColumn:
    codes = np.where(has_not, len(status.different), status.codes)
    return FactColumn(codes, [*status.different, "not_run"])


def _identity(run: ScoredRun) -> dict[str, FactColumn]:
    """Return which trial each row of the plan is."""
    manifest = run.manifest
    names = [summary.name for summary in manifest.configurations]
    shape = len(manifest.case_ids), len(names), manifest.trials
    places = np.indices(shape).reshape(3, -1)
    every: tuple[Sequence[Fact], ...] = (manifest.case_ids, names, range(1, manifest.trials + 1))
    return {
        name: coded((None, *facts), codes + 1)
        for name, facts, codes in zip(_IDENTITY, every, places, strict=True)
    }


def _score_columns(
    run: ScoredRun, places: npt.NDArray[np.intp], has_run: npt.NDArray[np.bool_]
) -> dict[str, FactColumn]:
    """Return the columns of every measure: values, weights other than 1, causes of there being none."""
    columns: dict[str, FactColumn] = {}
    for name in run.table.names:
        column, shown = run.table.column(name), score_column(name)
        if not isinstance(column, CodedColumn):
            raise TypeError("rows of single trials need a table by trial")
        codes = np.append(column.codes.astype(np.uint32), np.uint32(0))[places]
        values, weights, causes = zip(*map(_cell_facts, column.different), strict=True)
        found = coded(values, codes)
        if found.codes.any():
            columns[shown] = found
        found = coded(weights, codes)
        if found.codes.any():
            columns[WEIGHT + shown] = found
        if coded(causes, column.codes).codes.any():
            columns[UNSCORED + shown] = coded(causes, np.where(has_run, codes, 0))
    return columns


def _cell_facts(cell: tuple[float, float, float]) -> tuple[Fact, Fact, Fact]:
    """Return the value, the weight if it is not 1, and the cause of there being no value."""
    value, weight, state = cell
    if state == 0:
        return _number(value), None if weight == 1 else _number(weight), None
    return None, None, CAUSES[int(state) - 1] if state > 0 else None


def score_names(columns: Mapping[str, object]) -> list[str]:
    """Return the scores among the columns: in the scorers' order, then those that name a thing."""
    bases = [name.removeprefix(UNSCORED) for name in columns]
    scores = [n for n in dict.fromkeys(bases) if n not in COLUMNS and not n.startswith(_NO_SCORE)]
    return sorted(scores, key=lambda name: (":" in name, name if ":" in name else ""))


def _provider_tries(trial: TrialRecord) -> dict[str, Fact]:
    tries = Counter(
        f"tries:{one.provider}:{one.outcome}"
        for event in trial.transcript
        if isinstance(event, Searched)
        for one in event.tries
    )
    return dict(sorted(tries.items()))


def score_column(name: str) -> str:
    """Return the column of a score; one that is called like another column is told apart."""
    return APART + name if name in COLUMNS else name


def _number(value: float) -> float:
    return int(value) if value.is_integer() else value
