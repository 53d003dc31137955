"""How far two raters agree, and what a rate is once the rater's own errors are taken out."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from research_eval.stats.interval import CONFIDENCE, Estimate

__all__ = ["Validation", "cohen_kappa", "corrected_rate", "rogan_gladen"]


def cohen_kappa(table: Sequence[Sequence[float]]) -> float | None:
    """Return the agreement beyond chance of two raters, from their square table of counts.

    `None` where chance alone would agree always.

    Source: Cohen, Educ Psychol Meas 20:37 (1960).

    >>> round(cohen_kappa([[45, 15], [25, 15]]), 6)
    0.130435

    Raises:
        ValueError: If the table is not square or holds no count.
    """
    size, total = len(table), sum(map(sum, table))
    if any(len(row) != size for row in table) or total <= 0:
        raise ValueError("a square table with at least one count is needed")
    seen = sum(table[i][i] for i in range(size)) / total
    by_chance = sum(sum(table[i]) * sum(row[i] for row in table) for i in range(size)) / (
        total * total
    )
    return None if by_chance >= 1 else (seen - by_chance) / (1 - by_chance)


def rogan_gladen(observed: float, sensitivity: float, specificity: float) -> float:
    """Return the true rate behind an observed one, given the rater's sensitivity and specificity.

    Source: Rogan and Gladen, Am J Epidemiol 107:71 (1978).

    >>> round(rogan_gladen(0.3, 0.9, 0.8), 6)
    0.142857

    Raises:
        ValueError: If the rater is no better than chance.
    """
    gain = sensitivity + specificity - 1
    if gain <= 0:
        raise ValueError("a rater no better than chance corrects nothing")
    return min(1.0, max(0.0, (observed + specificity - 1) / gain))


class Validation(NamedTuple):
    """How a rater did on labelled items."""

    true_positive: int
    false_negative: int
    true_negative: int
    false_positive: int

    @property
    def sensitivity(self) -> float:
        """The share of positive items that it called positive."""
        return self.true_positive / (self.true_positive + self.false_negative)

    @property
    def specificity(self) -> float:
        """The share of negative items that it called negative."""
        return self.true_negative / (self.true_negative + self.false_positive)


def corrected_rate(
    positive: float,
    n: float,
    validation: Validation,
    *,
    seed: int,
    draws: int = 4000,
    confidence: float = CONFIDENCE,
) -> Estimate | None:
    """Return the corrected rate with an interval that also carries the validation's own noise.

    The observed share, the sensitivity and the specificity are each drawn from what their counts
    leave possible (Jeffreys' posterior), so that a count of none is no certainty. Draws in which the
    rater is no better than chance say nothing and count as both extremes. `None` without a sample or
    labelled items.

    Args:
        positive: How many units the rater called positive.
        n: How many there were; of clustered ones, what they are worth (`effective_units`).
        validation: How the rater did on labelled items.
        seed: Of the draws.
        draws: How many.
        confidence: Level of the interval.

    Source: Rogan and Gladen (1978); Lang and Reiczigel, Prev Vet Med 113:13 (2014), for intervals
    with a sensitivity and a specificity that are estimated.
    """
    positives = validation.true_positive + validation.false_negative
    negatives = validation.true_negative + validation.false_positive
    if n <= 0 or positives == 0 or negatives == 0:
        return None
    if validation.sensitivity + validation.specificity <= 1:
        return None
    value = rogan_gladen(positive / n, validation.sensitivity, validation.specificity)
    rng = random.Random(seed)
    lows, highs = [], []
    for _ in range(draws):
        seen = rng.betavariate(positive + 0.5, n - positive + 0.5)
        se = rng.betavariate(validation.true_positive + 0.5, validation.false_negative + 0.5)
        sp = rng.betavariate(validation.true_negative + 0.5, validation.false_positive + 0.5)
        known = rogan_gladen(seen, se, sp) if se + sp > 1 else None
        lows.append(0.0 if known is None else known)
        highs.append(1.0 if known is None else known)
    tail = int((1 - confidence) / 2 * draws)
    low, high = sorted(lows)[tail], sorted(highs)[draws - 1 - tail]
    return Estimate(value, min(low, value), max(high, value), round(n))
