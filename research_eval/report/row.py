"""The trials of a run as columns: what a report counts, filters and writes to scores.csv."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from research_eval.analysis.scoring import ScoredRun
from research_eval.analysis.table import CAUSES, Row
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

Fact = str | int | float | tuple[str, ...] | None
"""A value of a row; `None` where a trial has none."""

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


@dataclass
class Facts:
    """What is noted of the trials as they are read, beside their scores."""

    of: dict[TrialKey, dict[str, Fact]] = field(default_factory=dict)
    notes: dict[TrialKey, Mapping[str, str]] = field(default_factory=dict)
    failures: dict[TrialKey, str] = field(default_factory=dict)
    served: dict[str, Counter[str]] = field(default_factory=dict)
    _causes: Causes = field(default_factory=Causes)
    _shared: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = field(default_factory=dict)

    def see(self, line: int, trial: TrialRecord, scores: Sequence[Score]) -> None:
        """Take note of one trial; equal notes are one object, since most trials have the same."""
        self.of[trial.key] = {
            "line": line,
            "language": trial.language,
            "tags": trial.tags,
            "status": trial.status,
            "failure": trial.failure.kind if trial.failure else None,
            "attempts": len(trial.attempts),
            "violations": sum(len(attempt.verdict.violations) for attempt in trial.attempts),
            "unmeasured_requests": trial.usage.unmeasured_requests,
            "replay_hits": trial.replay.hits,
            "replay_misses": trial.replay.misses,
            "replay_unplayed": trial.replay.unplayed,
            **_provider_tries(trial),
        }
        said = ((s.name, s.detail if s.status == "scored" else s.reason) for s in scores)
        notes = tuple((score_column(name), text) for name, text in said if text)
        self.notes[trial.key] = self._shared.setdefault(notes, dict(notes))
        if trial.status == "error" and trial.failure is not None:
            self.failures[trial.key] = failure_words(trial.failure)
            self._causes.add(trial.key, trial.failure)
        calls = (event.model for event in trial.transcript if isinstance(event, ModelCalled))
        self.served.setdefault(trial.configuration, Counter()).update(filter(None, calls))

    def causes(self) -> tuple[Cause, ...]:
        """Return what trials failed of, the most frequent cause first."""
        return self._causes.found()


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One trial among the rows."""

    rows: "Rows"
    place: int

    @property
    def key(self) -> TrialKey:
        """Which trial it is."""
        return self.rows.keys[self.place]

    @property
    def notes(self) -> Mapping[str, str]:
        """What scorers said beside a value, or in place of one, by the score's column."""
        return self.rows.notes.get(self.key, {})

    def fact(self, column: str) -> Fact:
        """Return the value in `column`; `None` where this trial has none."""
        return self.rows.fact(self.place, column)


@dataclass(frozen=True)
class Rows:
    """One row a planned trial, in the order of the plan, as columns."""

    keys: tuple[TrialKey, ...]
    columns: dict[str, list[Fact]]
    notes: Mapping[TrialKey, Mapping[str, str]]

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
    manifest = run.manifest
    keys = tuple(
        TrialKey(case_id, summary.name, number)
        for case_id in manifest.case_ids
        for summary in manifest.configurations
        for number in range(1, manifest.trials + 1)
    )
    noted = [{**_identity(key), **facts.of.get(key, {"status": "not_run"})} for key in keys]
    tries = sorted({name for one in noted for name in one if name not in COLUMNS})
    columns = {name: [one.get(name) for one in noted] for name in (*COLUMNS, *tries)}
    return Rows(keys, columns | _score_columns(run, keys), facts.notes)


def _identity(key: TrialKey) -> dict[str, Fact]:
    return {"case_id": key.case_id, "configuration": key.configuration, "trial": key.trial}


def _score_columns(run: ScoredRun, keys: Sequence[TrialKey]) -> dict[str, list[Fact]]:
    """Return the columns of every measure: values, weights other than 1, causes of there being none."""
    places = [run.table.place(Row(key.configuration, key.case_id, key.trial)) for key in keys]
    columns: dict[str, list[Fact]] = {}
    every = run.table.rows
    has_run = [p is not None and every[p] in run.statuses for p in places]
    for name in run.table.names:
        column, shown = run.table.column(name), score_column(name)
        values, weights = column.sums[3].tolist(), column.weight.tolist()
        scored, *causes = column.counts.tolist()
        held = [p if p is not None and scored[p] else None for p in places]
        if any(p is not None for p in held):
            columns[shown] = [None if p is None else _number(values[p]) for p in held]
        if any(p is not None and weights[p] != 1 for p in held):
            columns[WEIGHT + shown] = [
                None if p is None or weights[p] == 1 else _number(weights[p]) for p in held
            ]
        if column.counts[1:].any():
            said = [
                next((c for c, found in zip(CAUSES, row, strict=True) if found), None)
                for row in zip(*causes, strict=True)
            ]
            columns[UNSCORED + shown] = [
                said[p] if p is not None and ran else None
                for p, ran in zip(places, has_run, strict=True)
            ]
    return columns


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
