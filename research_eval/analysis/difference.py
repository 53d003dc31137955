"""The difference of two sides in one measure: both aligned by case once, one interval, one p value."""

import math
from collections.abc import Sequence

from research_eval.analysis.side import Side
from research_eval.analysis.summary import Summary, corrected_red
from research_eval.schema import Record
from research_eval.scorer import Measure
from research_eval.stats.interval import zero_events_upper
from research_eval.stats.paired import (
    holm,
    mcnemar,
    paired_bootstrap,
    paired_difference,
    paired_permutation,
)
from research_eval.stats.power import WORTH_FINDING, power_of

__all__ = ["CompareSettings", "MeasureComparison", "SideSummary", "compare_measure", "power_fields"]


class CompareSettings(Record):
    """When a difference counts."""

    measures: tuple[str, ...] = ("first_attempt_passed", "final_passed")
    margin: float | None = None
    """A loss up to this is accepted; asks for proof that it is not larger (non-inferiority)."""
    alpha: float = 0.05
    """Chance of calling a difference that is none, over all comparisons of a measure."""
    coverage_floor: float = 0.9
    """Share of the trials planned on either side that must have a value on both."""
    difference: float = WORTH_FINDING
    """The smallest difference of rates worth finding."""
    seed: int = 20260101
    """Of draws, where the test is not exact."""
    is_whole: bool = False
    """Whether the other tests are made too, for an appendix."""


class SideSummary(Record):
    """One measure on one side, over all its trials."""

    planned: int
    """Trials that either side planned: what one of them left out is missing there."""
    run: int
    scored: int
    errors: int
    """Trials that ended in an error."""
    not_applicable: int
    coverage: float
    """Share of the planned trials with a value, as far as the measure applies."""
    value: float | None
    interval: tuple[float, float] | None
    n: float
    corrected: tuple[float, float, float] | None = None
    """Of `support_red`: the share without the support check's own errors, and its bounds."""


class Appendix(Record):
    """What other tests say of the same difference; none of it rules."""

    bootstrap: tuple[float, float] | None
    """Of the difference: BCa over cases."""
    permutation_p: float
    """Before the correction for comparisons that are made together."""
    mcnemar_exact_p: float | None
    """On cases that passed in every repetition, for measures that are yes or no."""
    mcnemar_mid_p: float | None
    only_base: int
    """Cases that passed in every repetition on the base side alone."""
    only_head: int


class MeasureComparison(Record):
    """One measure on both sides."""

    measure: str
    higher_is_better: bool
    verdict: str = "inconclusive"
    reason: str = ""
    base: float | None
    """Mean over the cases that both sides have."""
    head: float | None
    cases: int
    base_side: SideSummary
    head_side: SideSummary
    difference: float | None = None
    """Head minus base."""
    interval: tuple[float, float] | None = None
    """Of the difference, by Student's t over cases, two-sided at 1 - alpha; where all cases have
    the same result, by the bound of an event that was never seen. Of rates, never beyond -1 and 1."""
    interval_together: tuple[float, float] | None = None
    """The same at 1 - alpha over all comparisons made at once (Bonferroni), by which a margin rules."""
    p: float | None = None
    """Of the paired permutation test, after Holm's correction over the comparisons made at once."""
    detectable: float | None = None
    """The difference that this many cases would have shown with a chance of 80 %; `None` where they
    show none."""
    needed_cases: int | None = None
    """How many cases show the smallest difference worth finding, of rates, with that chance."""
    is_bound: bool = False
    """Whether both are the most that is left possible where no case, or hardly one, differs."""
    differing: int = 0
    """Cases with different results on the two sides."""
    worse: int = 0
    """Trials that got worse; on live traffic chance alone makes some."""
    better: int = 0
    lost: int = 0
    """On identical traffic: trials with a value on the base side that have none on the head side."""
    gained: int = 0
    """On identical traffic: trials with a value on the head side alone."""
    worst_loss: float | None = None
    """On identical traffic, of rates: the loss if each lost trial counted as a failure."""
    appendix: Appendix | None = None


def side_summary(side: Side, summary: Summary) -> SideSummary:
    """Return how one side stands, for a comparison."""
    corrected = corrected_red(summary) if summary.measure.name == "support_red" else None
    return SideSummary(
        planned=summary.planned,
        run=len(side.ran),
        scored=summary.scored,
        errors=len(side.broken),
        not_applicable=summary.not_applicable,
        coverage=summary.coverage,
        value=summary.value,
        interval=summary.interval,
        n=summary.n,
        corrected=(corrected.value, corrected.low, corrected.high) if corrected else None,
    )


def compare_measure(
    base: Side,
    heads: Sequence[Side],
    measure: Measure,
    settings: CompareSettings,
    exact: Sequence[bool],
) -> list[MeasureComparison]:
    """Return how each head differs from the base; p values are corrected over the heads.

    Args:
        base: What is compared with.
        heads: What is compared.
        measure: In what.
        settings: When a difference counts.
        exact: Of each head, whether it met the same recorded exchanges as the base.
    """
    found = [
        _compared(base, head, measure, settings, len(heads), is_paired=same)
        for head, same in zip(heads, exact, strict=True)
    ]
    known = [one.p for one in found if one.p is not None]
    adjusted = iter(holm(known))
    return [one if one.p is None else one.model_copy(update={"p": next(adjusted)}) for one in found]


def _compared(
    base: Side,
    head: Side,
    measure: Measure,
    settings: CompareSettings,
    together: int,
    *,
    is_paired: bool,
) -> MeasureComparison:
    name, level = measure.name, 1 - settings.alpha
    ours, theirs = base.case_means(name), head.case_means(name)
    shared = sorted(ours.keys() & theirs.keys())
    a, b = [ours[case] for case in shared], [theirs[case] for case in shared]
    sides = [
        side_summary(
            side,
            side.summary(
                name, level, planned=side.plan.asked_beside(other.plan, is_paired=is_paired)
            ),
        )
        for side, other in ((base, head), (head, base))
    ]
    entry = MeasureComparison(
        measure=name,
        higher_is_better=measure.better != "lower",
        base=math.fsum(a) / len(a) if a else None,
        head=math.fsum(b) / len(b) if b else None,
        cases=len(shared),
        base_side=sides[0],
        head_side=sides[1],
    )
    if len(shared) < 2:
        return entry
    update = _tested(a, b, measure, settings, together)
    update |= power_fields(base, head, measure, settings, together)
    if settings.is_whole:
        update["appendix"] = _appendix(base, head, measure, shared, settings)
    return entry.model_copy(update=update)


def _tested(
    a: list[float], b: list[float], measure: Measure, settings: CompareSettings, together: int
) -> dict[str, object]:
    differences = [y - x for x, y in zip(a, b, strict=True)]
    return {
        "differing": sum(d != 0 for d in differences),
        "difference": math.fsum(differences) / len(differences),
        "interval": gap_interval(a, b, 1 - settings.alpha, is_rate=measure.is_rate),
        "interval_together": gap_interval(
            a, b, 1 - settings.alpha / together, is_rate=measure.is_rate
        ),
        "p": paired_permutation(differences, seed=settings.seed),
    }


def power_fields(
    base: Side, head: Side, measure: Measure, settings: CompareSettings, together: int
) -> dict[str, object]:
    """Return what the cases of both sides can show, and how many a difference needs."""
    ours, theirs = base.case_means(measure.name), head.case_means(measure.name)
    shared = sorted(ours.keys() & theirs.keys())
    gap = paired_difference(
        [theirs[case] for case in shared], [ours[case] for case in shared], 1 - settings.alpha
    )
    power = power_of(
        gap.n,
        gap.standard_error**2 * gap.n,
        differing=sum(ours[case] != theirs[case] for case in shared),
        is_rate=measure.is_rate,
        trials=max(1, min(base.plan.trials, head.plan.trials)),
        difference=settings.difference,
        alpha=settings.alpha / together,
    )
    return {
        "detectable": power.detectable,
        "needed_cases": power.needed,
        "is_bound": power.is_bound,
    }


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


def _appendix(
    base: Side, head: Side, measure: Measure, shared: list[str], settings: CompareSettings
) -> Appendix:
    ours, theirs = base.case_means(measure.name), head.case_means(measure.name)
    differences = [theirs[case] - ours[case] for case in shared]
    drawn = paired_bootstrap(differences, seed=settings.seed, confidence=1 - settings.alpha)
    table = None
    if measure.unit == "yes_no":
        first, second = base.by_case(measure.name), head.by_case(measure.name)
        pairs = [(all(first[case]), all(second[case])) for case in shared]
        table = mcnemar(sum(x and not y for x, y in pairs), sum(y and not x for x, y in pairs))
    return Appendix(
        bootstrap=(drawn.low, drawn.high) if drawn else None,
        permutation_p=paired_permutation(differences, seed=settings.seed),
        mcnemar_exact_p=table.exact_p if table else None,
        mcnemar_mid_p=table.mid_p if table else None,
        only_base=table.only_first if table else 0,
        only_head=table.only_second if table else 0,
    )
