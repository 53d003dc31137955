"""What a scorer is, and how one is applied to a trial."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Protocol

from research_eval.dataset import Case
from research_eval.errors import ScoringError
from research_eval.schema import Score, Scored, TrialRecord, Unscored
from research_eval.scorer.measure import without_ledger

__all__ = [
    "Pages",
    "Scorer",
    "broken",
    "inapplicable",
    "no_pages",
    "score_trial",
    "scored",
    "trial_error",
]

Pages = Callable[[str], str | None]
"""Takes the digest of a page's text and returns the text, if the run kept it."""


class Scorer(Protocol):
    """Judge one finished trial from its record alone; a plain function will do."""

    def __call__(self, case: Case | None, trial: TrialRecord, pages: Pages) -> Iterable[Score]:
        """Return scores, or say why there are none.

        Raises:
            ScoringError: If no verdict can be reached; it becomes an unscored value.
        """
        ...


@lru_cache(maxsize=8192)
def scored(name: str, value: float, weight: float = 1.0) -> Scored:
    """Return a score; trials that score alike share one record, since records never change."""
    return Scored(name=name, value=float(value), weight=float(weight))


@lru_cache(maxsize=2048)
def inapplicable(name: str, reason: str) -> Unscored:
    """Return that there was nothing to measure."""
    return Unscored(name=name, reason=reason, cause="not_applicable")


@lru_cache(maxsize=2048)
def broken(name: str, error: str) -> Unscored:
    """Return that the infrastructure failed before anything could be measured."""
    return Unscored(name=name, reason=error, cause="error")


def no_pages(sha256: str) -> str | None:
    """Return nothing: for runs that kept no page, and for scorers that read none."""
    del sha256
    return None


def trial_error(trial: TrialRecord) -> str | None:
    """Return why the infrastructure failed this trial, or `None` if it did not."""
    if trial.status != "error":
        return None
    return f"error: {trial.failure.kind if trial.failure else 'unknown'}"


def score_trial(
    case: Case | None, trial: TrialRecord, pages: Pages, scorers: Iterable[Scorer]
) -> tuple[Score, ...]:
    """Return what every scorer says of one trial, in the scorers' order."""
    scores: list[Score] = []
    has_ledger = trial.fidelity is None or trial.fidelity.ledger != "none"
    for scorer in scorers:
        try:
            found = scorer(case, trial, pages)
            scores.extend(found if has_ledger else _without_ledger(scorer, found))
        except ScoringError as exc:
            name = getattr(scorer, "__name__", type(scorer).__name__)
            scores.append(Unscored(name=name, reason=str(exc)))
    return tuple(scores)


def _without_ledger(scorer: Scorer, scores: Iterable[Score]) -> Iterable[Score]:
    """Yield what can be told of an answer though nobody knows what was opened."""
    can_be_told = without_ledger(scorer)
    for score in scores:
        if score.name in can_be_told:
            yield score
        else:
            yield inapplicable(score.name, "no ledger: nobody knows what was opened")
