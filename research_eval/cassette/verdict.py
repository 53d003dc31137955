"""Verdicts: how much of a trial, or of a run, came from its recordings."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from typing_extensions import override

from research_eval.schema import ReplayTally

__all__ = ["Divergence", "ReplayVerdict", "replay_verdict", "run_verdict"]

ReplayWord = Literal["hit", "partial", "recorded", "stale", "miss", "live"]

_WORST_FIRST: tuple[ReplayWord, ...] = ("miss", "stale", "live", "recorded", "partial", "hit")


class ReplayVerdict(NamedTuple):
    """What a tally amounts to."""

    word: ReplayWord
    """`hit`: all came from recordings. `partial`: some recordings were not asked for, or some
    pages were not recorded. `recorded`: some requests went out and were kept. `stale`: the recording
    no longer fits. `miss`: there was none. `live`: requests went out and were not kept."""
    hits: int
    asked: int

    @override
    def __str__(self) -> str:
        return f"{self.word} {self.hits}/{self.asked}"


class Divergence(NamedTuple):
    """Where a trial diverged from its recording, and how."""

    exchange: int
    """Number of the exchange that did not fit, from 1; for a model the turn's number among all requests."""
    recorded_exchanges: int
    """How many the recording holds."""
    path: str | None
    """The first field that differs from the nearest recording, for instance `messages[1].content`."""
    recorded: str | None
    now: str | None
    command: str
    """What to type to record just what is missing."""


def replay_verdict(tally: ReplayTally) -> ReplayVerdict:
    """Return what the tally of one trial amounts to."""
    asked = tally.hits + tally.recorded + tally.live + tally.unrecorded + tally.misses
    if tally.misses:
        word: ReplayWord = "stale" if tally.stale else "miss"
    elif tally.live:
        word = "live"
    elif tally.recorded:
        word = "recorded"
    elif tally.unplayed or tally.unrecorded:
        word = "partial"
    else:
        word = "hit"
    return ReplayVerdict(word, tally.hits, asked)


def run_verdict(tallies: Iterable[ReplayTally]) -> ReplayVerdict:
    """Return the worst verdict of many trials, over all their requests."""
    verdicts = [replay_verdict(tally) for tally in tallies]
    words = {verdict.word for verdict in verdicts}
    word: ReplayWord = next((word for word in _WORST_FIRST if word in words), "hit")
    return ReplayVerdict(
        word, sum(verdict.hits for verdict in verdicts), sum(verdict.asked for verdict in verdicts)
    )
