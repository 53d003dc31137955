"""Failures of trials in, the few causes behind them out: what failed, in whose words, how often."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from research_eval.schema.display import one_line
from research_eval.schema.trial import Failure, TrialKey, TrialRecord

__all__ = ["Cause", "Causes", "causes_of", "failure_words"]

MAX_WORDS = 240
"""Characters of a provider's text that a cause shows."""

_VARYING = re.compile(r"\b(?=\w*\d)[\w-]+\b")
"""Words with a digit: ids of requests, times and counts differ from trial to trial."""


class Cause(NamedTuple):
    """What several trials failed of."""

    kind: str
    """The stable word of their failures."""
    words: str
    """The text of the first of them, one line."""
    trials: int
    first: TrialKey
    """The first trial that met it."""
    configurations: tuple[str, ...]

    @property
    def line(self) -> str:
        """The cause on one line, with its number of trials."""
        trials = "1 trial" if self.trials == 1 else f"{self.trials} trials"
        return f"{trials} of {', '.join(self.configurations)}: {self.words}"


class Causes:
    """Groups failures while trials are read one by one."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], list[tuple[TrialKey, str]]] = {}

    def add(self, key: TrialKey, failure: Failure) -> None:
        """Take note of one failed trial."""
        words = failure_words(failure)
        alike = _VARYING.sub("#", words.replace(failure.kind, ""))
        self._found.setdefault((failure.kind, alike), []).append((key, words))

    def found(self) -> tuple[Cause, ...]:
        """Return the causes, the most frequent first, then in the order of their names."""
        made = [self._cause(kind, met) for (kind, _), met in self._found.items()]
        return tuple(sorted(made, key=lambda cause: (-cause.trials, cause.kind, cause.first)))

    @staticmethod
    def _cause(kind: str, met: list[tuple[TrialKey, str]]) -> Cause:
        first, words = min(met)
        names = tuple(sorted({key.configuration for key, _ in met}))
        return Cause(kind, words, len(met), first, names)


def causes_of(trials: Iterable[TrialRecord]) -> tuple[Cause, ...]:
    """Return what the trials that ended in an error failed of, the most frequent cause first."""
    causes = Causes()
    for trial in trials:
        if trial.status == "error" and trial.failure is not None:
            causes.add(trial.key, trial.failure)
    return causes.found()


def failure_words(failure: Failure) -> str:
    r"""Return the first line of what failed, cleaned and bounded, with its kind where it lacks it.

    >>> failure_words(Failure(kind="auth", message="openai:m: auth (HTTP 401): Bad key\nmore"))
    'openai:m: auth (HTTP 401): Bad key'
    """
    lines = failure.message.strip().splitlines()
    words = one_line(lines[0], MAX_WORDS) if lines else ""
    if failure.kind.replace("_", " ") in words.replace("_", " "):
        return words
    return f"{failure.kind}: {words}" if words else failure.kind
