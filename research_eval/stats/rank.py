"""Ranks of configurations with an interval each, instead of a bare order."""

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from research_eval.stats.interval import CONFIDENCE
from research_eval.stats.resample import DRAWS, resampled_indices

__all__ = ["RankInterval", "rank_intervals"]


class RankInterval(NamedTuple):
    """The rank of one configuration and the ranks that resampling of the cases gives it."""

    rank: int
    low: int
    high: int


def rank_intervals(
    values: Mapping[str, Sequence[float]],
    *,
    seed: int,
    higher_is_better: bool = True,
    draws: int = DRAWS,
    confidence: float = CONFIDENCE,
) -> dict[str, RankInterval]:
    """Rank configurations by their mean over the same cases, with an interval for each rank.

    All configurations are resampled together, case by case; ties share the better rank.

    Source: Goldstein and Spiegelhalter, J R Stat Soc A 159:385 (1996).

    Raises:
        ValueError: If the configurations do not have one value for each of the same cases.
    """
    table = np.array(list(values.values()), dtype=np.float64)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError("every configuration needs one value for each of the same cases")
    table = table if higher_is_better else -table
    blocks = resampled_indices(table.shape[1], draws, random.Random(seed))
    sums = (np.stack([row[block].sum(axis=1) for row in table]) for block in blocks)
    ranks = np.concatenate([_ranks(drawn) for drawn in sums], axis=1)
    tail = (1 - confidence) / 2
    low = np.quantile(ranks, tail, axis=1, method="inverted_cdf")
    high = np.quantile(ranks, 1 - tail, axis=1, method="inverted_cdf")
    seen = _ranks(table.sum(axis=1, keepdims=True))[:, 0]
    return {
        name: RankInterval(int(at), min(int(at), int(lo)), max(int(at), int(hi)))
        for name, at, lo, hi in zip(values, seen, low, high, strict=True)
    }


def _ranks(means: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    rounded = np.round(means, 9)  # sums of the same values in another order must tie
    better = (rounded[None, :, :] > rounded[:, None, :]).sum(axis=1).astype(np.int64)
    ranks: npt.NDArray[np.int64] = better + 1
    return ranks
