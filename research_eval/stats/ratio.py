"""How large one mean is as a share of another on the same cases: a paired ratio."""

import math
from collections.abc import Sequence

from research_eval.stats.cluster import Cluster, clustered_mean
from research_eval.stats.interval import CONFIDENCE, Estimate, zero_events_upper

__all__ = ["paired_ratio"]


def paired_ratio(
    a: Sequence[float], b: Sequence[float], confidence: float = CONFIDENCE
) -> Estimate | None:
    """Return mean(a) / mean(b) over pairs, each pair the two means of one case, with a t interval.

    `None` where `b` is zero throughout, of which nothing is a share, or with fewer than two pairs.
    Where the ratio is the same in every case there is no spread to go by; the bounds are then those
    of an event that was never seen in so many cases.

    Source: Cochran, Sampling Techniques, 3rd ed., 6.3 (the ratio estimate and its variance); Louis,
    Am Stat 35:154 (1981) for the bound without spread.

    >>> paired_ratio([1, 1, 0, 1], [1, 1, 1, 1]).value
    0.75

    Raises:
        ValueError: If the lengths differ.
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} values do not make pairs")
    found = clustered_mean([Cluster(x, y) for x, y in zip(a, b, strict=True)], confidence)
    if found is None or found.n < 2:
        return None
    if any(not math.isclose(x, found.value * y, abs_tol=1e-12) for x, y in zip(a, b, strict=True)):
        return found
    unseen = zero_events_upper(sum(y > 0 for y in b), confidence)
    return found._replace(low=found.value - unseen, high=found.value + unseen)
