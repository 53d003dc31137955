"""One row a trial: what a report counts, filters and writes to scores.csv."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from research_eval.schema import Score, Scored, Searched, TrialKey, TrialRecord
from research_eval.scorer.measure import Kinds, Measure

__all__ = [
    "COLUMNS",
    "UNSCORED",
    "WEIGHT",
    "Columns",
    "Fact",
    "TrialRow",
    "missing_row",
    "score_names",
    "trial_row",
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
    "status": "how the trial ended: completed, rejected, refused, limit, error, not_run",
    "failure": "the error that ended the trial, in a word",
    "attempts": "answers put to the gate",
    "violations": "violations over all attempts",
    "unmeasured_requests": "replies without usage: token totals are lower bounds",
    "replay_hits": "exchanges answered from cassettes",
    "replay_misses": "requests without a recording",
    "replay_unplayed": "recorded exchanges that were not asked for",
}
"""What the columns beside the scores mean."""


class Columns(dict[str, int]):
    """The columns of a set of rows, in the order in which they were first met."""

    def __init__(self) -> None:
        super().__init__()
        self._notes: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
        self.kinds = Kinds()
        """What the scores are, over all rows."""

    def share(self, notes: dict[str, str]) -> Mapping[str, str]:
        """Return equal notes as one object, since most trials have the same."""
        return self._notes.setdefault(tuple(notes.items()), notes)

    def measure(self, column: str) -> Measure:
        """Return what the score in `column` is."""
        return self.kinds.of(column.removeprefix(APART))

    def place(self, name: str) -> int:
        """Return the column's index; a new column gets the next one."""
        return self.setdefault(name, len(self))


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A trial as values in the columns that all rows share."""

    key: TrialKey
    columns: Columns
    values: tuple[Fact, ...]
    notes: Mapping[str, str]
    """What scorers said beside a value, or in place of one, by the score's name."""

    def fact(self, column: str) -> Fact:
        """Return the value in `column`; `None` where this trial has none."""
        index = self.columns.get(column, len(self.values))
        return self.values[index] if index < len(self.values) else None


def trial_row(
    columns: Columns, trial: TrialRecord, line: int | None, scores: Iterable[Score] = ()
) -> TrialRow:
    """Return the row of one trial; columns that it is the first to have are added."""
    facts: dict[str, Fact] = {
        **_identity(trial.key, line),
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
    }
    scores = tuple(scores)
    for score in scores:
        if isinstance(score, Scored):
            columns.kinds.add(score)
    facts |= _provider_tries(trial) | _score_facts(scores)
    return _row(columns, trial.key, facts, columns.share(_notes(scores)))


def score_names(columns: Columns) -> list[str]:
    """Return the scores among the columns: in the scorers' order, then those that name a thing."""
    bases = [name.removeprefix(UNSCORED) for name in columns]
    scores = [n for n in dict.fromkeys(bases) if n not in COLUMNS and not n.startswith(_NO_SCORE)]
    return sorted(scores, key=lambda name: (":" in name, name if ":" in name else ""))


def missing_row(columns: Columns, key: TrialKey) -> TrialRow:
    """Return the row of a trial that was planned and is not in the journal."""
    return _row(columns, key, {**_identity(key, None), "status": "not_run"}, {})


def _identity(key: TrialKey, line: int | None) -> dict[str, Fact]:
    return {
        "line": line,
        "case_id": key.case_id,
        "configuration": key.configuration,
        "trial": key.trial,
    }


def _row(
    columns: Columns, key: TrialKey, facts: Mapping[str, Fact], notes: Mapping[str, str]
) -> TrialRow:
    places = {columns.place(name): value for name, value in facts.items()}
    values = tuple(places.get(place) for place in range(len(columns)))
    return TrialRow(key, columns, values, notes)


def _provider_tries(trial: TrialRecord) -> dict[str, Fact]:
    tries = Counter(
        f"tries:{one.provider}:{one.outcome}"
        for event in trial.transcript
        if isinstance(event, Searched)
        for one in event.tries
    )
    return dict(sorted(tries.items()))


def _score_facts(scores: Iterable[Score]) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    for score in scores:
        name = score_column(score.name)
        if not isinstance(score, Scored):
            facts[UNSCORED + name] = score.cause
            continue
        facts[name] = _number(score.value)
        if score.weight != 1:
            facts[WEIGHT + name] = _number(score.weight)
    return facts


def _notes(scores: Iterable[Score]) -> dict[str, str]:
    said = (
        (score_column(score.name), score.detail if isinstance(score, Scored) else score.reason)
        for score in scores
    )
    return {sys.intern(name): sys.intern(text) for name, text in said if text}


def score_column(name: str) -> str:
    """Return the column of a score; one that is called like another column is told apart."""
    return APART + name if name in COLUMNS else name


def _number(value: float) -> float:
    return int(value) if value.is_integer() else value
