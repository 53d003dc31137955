"""How the cost of work grows: two amounts of it compared on the same machine, until a quiet moment of it."""

import time
from collections.abc import Callable

__all__ = ["costs_less_than"]

ROUNDS = 10
LEAST_S = 0.002
"""Shorter times say nothing."""


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return max(time.process_time() - start, LEAST_S)


def costs_less_than(factor: float, more: Callable[[], object], less: Callable[[], object]) -> bool:
    """Whether `more` takes less than `factor` times what `less` takes, by the best of a few rounds.

    A busy machine only ever makes work longer, and work that grows too fast stays so in each round.
    """
    much, little = _seconds(more), _seconds(less)
    for _ in range(ROUNDS):
        little = min(little, _seconds(less))
        if much < factor * little:
            return True
        much = min(much, _seconds(more))
    return False
