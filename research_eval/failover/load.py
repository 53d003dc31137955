"""The load of a scenario: when each search comes, and what it asks."""

import random
from typing import NamedTuple

from research_eval.failover.scenario import LoadSettings

__all__ = ["Arrival", "arrivals"]

BURST = 10
"""Searches that come together, where they come in bursts."""


class Arrival(NamedTuple):
    """One search to come."""

    at_s: float
    query: str


def arrivals(load: LoadSettings, rng: random.Random) -> list[Arrival]:
    """Return the searches in the order of their times; the same for the same seed."""
    return [Arrival(round(at_s, 6), _query(load, rng)) for at_s in _times(load, rng)]


def _times(load: LoadSettings, rng: random.Random) -> list[float]:
    step = load.over_s / load.searches
    if load.arrival == "regular":
        return [number * step for number in range(load.searches)]
    if load.arrival == "bursts":
        return [number // BURST * BURST * step for number in range(load.searches)]
    return sorted(rng.random() * load.over_s for _ in range(load.searches))


def _query(load: LoadSettings, rng: random.Random) -> str:
    number = int(load.distinct_queries * rng.random() ** load.popularity)
    return f"topic {number}"
