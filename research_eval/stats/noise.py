"""How often the same configuration, measured twice, would be called different: the A/A rates."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from research_eval.stats.paired import paired_permutation

__all__ = ["FlipRates", "aa_flip_rates"]


class FlipRates(NamedTuple):
    """What chance alone does to a comparison of one configuration with itself."""

    case_flips: float
    """Share of pairs of trials of one case that end differently, over all cases."""
    false_alarms: float
    """Share of random splits in which the paired test finds a difference."""
    splits: int
    cases: int
    """Cases with at least two trials, on which all of this rests."""


def aa_flip_rates(
    cases: Sequence[Sequence[float]], *, seed: int, splits: int = 200, alpha: float = 0.05
) -> FlipRates | None:
    """Split the trials of each case at random into two halves and compare them as if they differed.

    `None` if no case has two trials.

    Source: the A/A test of controlled experiments, as in Kohavi et al., Trustworthy Online
    Controlled Experiments (2020), chapter 19.
    """
    repeated = [case for case in cases if len(case) > 1]
    if not repeated:
        return None
    rng = random.Random(seed)
    alarms = sum(
        paired_permutation(_split(repeated, rng), seed=seed, draws=1000) <= alpha
        for _ in range(splits)
    )
    flips = sum(map(_flip_rate, repeated)) / len(repeated)
    return FlipRates(flips, alarms / splits, splits, len(repeated))


def _flip_rate(trials: Sequence[float]) -> float:
    """Return the share of pairs of trials whose outcomes differ."""
    n = len(trials)
    unlike = sum(trials[i] != trials[j] for i in range(n) for j in range(i))
    return unlike / (n * (n - 1) / 2)


def _split(cases: Sequence[Sequence[float]], rng: random.Random) -> list[float]:
    differences = []
    for trials in cases:
        order = rng.sample(list(trials), len(trials))
        half = len(order) // 2
        first, second = order[:half], order[half : 2 * half]
        differences.append((sum(first) - sum(second)) / half)
    return differences
