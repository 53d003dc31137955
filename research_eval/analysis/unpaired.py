"""Two configurations that answered different cases: their rates against each other, without pairs."""

import math
from typing import Literal

from research_eval.analysis.difference import SideSummary, side_summary
from research_eval.analysis.side import Side
from research_eval.errors import UsageError
from research_eval.schema import Record
from research_eval.stats.interval import CONFIDENCE, wilson
from research_eval.stats.power import WORTH_FINDING, detectable_unpaired

__all__ = ["UnpairedComparison", "unpaired"]


class UnpairedComparison(Record):
    """One yes-or-no measure of two sides whose cases are not the same."""

    base: str
    head: str
    measure: str
    higher_is_better: bool
    base_passed: int
    """Cases that passed in every trial."""
    base_cases: int
    base_interval: tuple[float, float]
    """Wilson's, of their share."""
    base_side: SideSummary
    head_passed: int
    head_cases: int
    head_interval: tuple[float, float]
    head_side: SideSummary
    difference: float
    """Head minus base, of the shares of cases that passed in every trial."""
    interval: tuple[float, float]
    """Newcombe's hybrid score interval."""
    detectable: float
    """The difference that so many cases show with a chance of 80 %, near the rate of both together;
    near one half where all or none passed."""
    needed_cases: int
    """How many cases each side needs to show the smallest difference worth finding there."""
    verdict: Literal["regression", "improvement", "no_difference_shown", "inconclusive"]
    base_is_reference_agent: bool = False
    """Whether a script stands in for a model: its numbers calibrate, they rank nothing."""
    head_is_reference_agent: bool = False


def unpaired(
    base: Side,
    head: Side,
    name: str,
    *,
    floor: float,
    confidence: float = CONFIDENCE,
    difference: float = WORTH_FINDING,
) -> UnpairedComparison:
    """Return how the shares of cases that passed in every trial differ between two sides.

    Raises:
        UsageError: If the measure is no yes or no, or a side has no case with a value.
    """
    from research_eval.stats.many import newcombe  # noqa: PLC0415  # loads statsmodels

    known = base.measure(name)
    if known.unit != "yes_no":
        raise UsageError(f"--unpaired takes yes-or-no measures alone, and {name!r} is none")
    ours, theirs = (list(side.by_case(name).values()) for side in (base, head))
    if not ours or not theirs:
        raise UsageError(f"no case has a value of {name!r} on one of the two sides")
    k1, k2 = (sum(all(trials) for trials in cases) for cases in (ours, theirs))
    found = newcombe(k2, len(theirs), k1, len(ours), confidence)
    sign = 1 if known.better != "lower" else -1
    verdict: Literal["regression", "improvement", "no_difference_shown", "inconclusive"]
    verdict = "no_difference_shown"
    one, other = base.summary(name, confidence), head.summary(name, confidence)
    if min(one.coverage, other.coverage) < floor:
        verdict = "inconclusive"
    elif not found.low <= 0 <= found.high:
        verdict = "improvement" if sign * found.value > 0 else "regression"
    pooled = (k1 + k2) / (len(ours) + len(theirs))
    near = pooled if 0 < pooled < 1 else 0.5
    alpha = 1 - confidence
    return UnpairedComparison(
        base=base.name,
        head=head.name,
        base_is_reference_agent=base.configuration.is_reference_agent,
        head_is_reference_agent=head.configuration.is_reference_agent,
        measure=name,
        higher_is_better=known.better != "lower",
        base_passed=k1,
        base_cases=len(ours),
        base_interval=wilson(k1, len(ours), confidence),
        base_side=side_summary(base, one),
        head_passed=k2,
        head_cases=len(theirs),
        head_interval=wilson(k2, len(theirs), confidence),
        head_side=side_summary(head, other),
        detectable=detectable_unpaired(near, len(ours), len(theirs), alpha=alpha),
        needed_cases=math.ceil((detectable_unpaired(near, 1, 1, alpha=alpha) / difference) ** 2),
        difference=found.value,
        interval=(found.low, found.high),
        verdict=verdict,
    )
