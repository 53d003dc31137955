"""How one side of a comparison stands in one measure: its denominators, its mean and interval."""

import math

from research_eval.schema import Record
from research_eval.scorer.compare.collect import Plan, Side
from research_eval.scorer.measure import Measure
from research_eval.scorer.support_error import MEASURED
from research_eval.stats.agreement import corrected_rate
from research_eval.stats.cluster import Cluster, clustered_interval, effective_units
from research_eval.stats.interval import CONFIDENCE

__all__ = ["Standing", "planned_together", "standing"]

SEED = 1
"""Of the draws that carry the noise of the support check's own errors."""


class Standing(Record):
    """One measure on one side, over all its trials."""

    planned: int
    """Trials that either side planned: what one of them left out is missing there."""
    run: int
    scored: int
    errors: int
    not_applicable: int
    """Trials in which there was nothing to measure; no part of the coverage."""
    coverage: float
    """Share of the planned trials with a value, as far as the measure applies."""
    value: float | None
    """Mean over all scored trials, each with its weight."""
    interval: tuple[float, float] | None
    """Over cases, whose trials belong together; `None` of a mean without any spread."""
    n: float
    """What the mean is over: trials, or the citations or claims of them."""
    corrected: tuple[float, float, float] | None = None
    """Of `support_red`: the share without the support check's own errors, and its bounds."""


def planned_together(side: Plan, other: Plan, *, is_paired: bool) -> int:
    """Return how many trials of a side a comparison asks for: those that either side planned.

    Args:
        side: What this side planned.
        other: What the other one did.
        is_paired: Whether repetitions of the same number answer each other. Where they do not, each
            side has as many a case as it was planned with.
    """
    cases = side.case_ids | other.case_ids
    if not is_paired:
        return len(cases) * side.trials
    both = side.shared(other).size
    return side.size + other.size - both


def standing(
    side: Side, measure: Measure, planned: int, confidence: float = CONFIDENCE
) -> Standing:
    """Return how `side` stands in `measure`, of `planned` trials."""
    name = measure.name
    scored = len(side.values.get(name, ()))
    missing = len(side.not_applicable.get(name, ()))
    clusters = [Cluster(*sums) for sums in side.case_sums(name).values()]
    is_red = name == "support_red" and measure.is_rate
    weight = math.fsum(cluster.weight for cluster in clusters)
    interval = clustered_interval(
        clusters, is_rate=measure.is_rate, confidence=confidence, lowest=measure.lowest
    )
    return Standing(
        planned=planned,
        run=len(side.ran),
        scored=scored,
        errors=len(side.broken),
        not_applicable=missing,
        coverage=scored / (planned - missing) if planned > missing else 1.0,
        value=math.fsum(cluster.total for cluster in clusters) / weight if weight else None,
        interval=tuple(interval) if interval else None,
        n=weight,
        corrected=_corrected(clusters, confidence) if is_red else None,
    )


def _corrected(clusters: list[Cluster], confidence: float) -> tuple[float, float, float] | None:
    n = effective_units(clusters, confidence)
    if not n:
        return None
    share = math.fsum(c.total for c in clusters) / math.fsum(c.weight for c in clusters)
    found = corrected_rate(
        share * n, n, MEASURED[0].as_validation(), seed=SEED, confidence=confidence
    )
    return (found.value, found.low, found.high) if found else None
