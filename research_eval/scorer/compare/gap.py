"""Where the difference of two sides may lie, over the cases that both have."""

from research_eval.stats.interval import zero_events_upper
from research_eval.stats.paired import paired_difference

__all__ = ["gap_interval"]


def gap_interval(
    a: list[float], b: list[float], confidence: float, *, is_rate: bool
) -> tuple[float, float]:
    """Return where the difference may lie, by Student's t over cases."""
    gap = paired_difference(b, a, confidence)
    low, high = gap.low, gap.high
    if gap.standard_error == 0 and is_rate:
        # no case differs from another: what was never seen may still happen in so large a share
        unseen = zero_events_upper(gap.n, confidence)
        low, high = gap.value - unseen, gap.value + unseen
    return (max(-1.0, low), min(1.0, high)) if is_rate else (low, high)
