"""Stats: numbers in, estimates with their intervals out."""

from research_eval.stats.interval import (
    Estimate,
    Interval,
    rate,
    wilson,
    zero_events_upper,
)

__all__ = ["Estimate", "Interval", "rate", "wilson", "zero_events_upper"]
