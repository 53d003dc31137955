"""Rule on the difference of two sides: exact on identical traffic, by paired tests otherwise."""

import math
from collections.abc import Sequence
from typing import Literal

from research_eval.schema import Record
from research_eval.scorer.compare.collect import Side
from research_eval.scorer.compare.flip import Flip, find_flips
from research_eval.scorer.compare.gap import gap_interval
from research_eval.scorer.compare.lost import Lost, find_lost, gained, worst_loss
from research_eval.scorer.compare.reach import WORTH_FINDING, reach
from research_eval.scorer.compare.resilience import Resilience, resilience
from research_eval.scorer.compare.setting import (
    SettingDifference,
    is_identical_traffic,
    setting_differences,
)
from research_eval.scorer.compare.standing import Standing, planned_together, standing
from research_eval.scorer.measure import Measure, merged
from research_eval.stats.interval import Interval
from research_eval.stats.many import holm
from research_eval.stats.paired import (
    McNemar,
    mcnemar,
    paired_bootstrap,
    paired_difference,
    paired_permutation,
)

__all__ = ["CompareSettings", "Comparison", "MeasureComparison", "Verdict", "compare_sides"]

Verdict = Literal[
    "regression", "improvement", "no_regression", "no_difference_shown", "inconclusive"
]
"""`no_regression`: nothing got worse, or no loss beyond the margin is left possible.
`no_difference_shown`: the tests found none, which is no proof that there is none."""


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
    """The smallest difference of rates worth finding: how many cases it needs is told."""
    seed: int = 20260101
    """Of the bootstrap."""


class MeasureComparison(Record):
    """One measure on both sides."""

    measure: str
    higher_is_better: bool
    verdict: Verdict
    reason: str
    base: float | None
    """Mean over the cases that both sides have."""
    head: float | None
    cases: int
    base_side: Standing
    head_side: Standing
    difference: float | None = None
    """Head minus base."""
    interval: tuple[float, float] | None = None
    """Of the difference, by Student's t over cases, two-sided at 1 - alpha; where all cases fare
    alike, by the bound of an event that was never seen. Of rates, never beyond -1 and 1."""
    interval_together: tuple[float, float] | None = None
    """The same at 1 - alpha over all comparisons made at once (Bonferroni), by which a margin rules."""
    bootstrap: tuple[float, float] | None = None
    permutation_p: float | None = None
    adjusted_p: float | None = None
    """The permutation p after Holm's correction, where several comparisons were asked for."""
    mcnemar_exact_p: float | None = None
    """On cases that passed in every repetition, for measures that are yes or no."""
    mcnemar_mid_p: float | None = None
    only_base: int = 0
    """Cases that passed in every repetition on the base side alone."""
    only_head: int = 0
    detectable: float | None = None
    """The difference that this many cases would have shown with a chance of 80 %."""
    needed_cases: int | None = None
    """How many cases show the smallest difference worth finding, of rates, with that chance."""
    is_bound: bool = False
    """Whether both are the most that is left possible where no case, or hardly one, differs."""
    differing: int = 0
    """Cases that do not fare alike on both sides."""
    worse: int = 0
    """Trials that got worse; on live traffic chance alone makes some."""
    better: int = 0
    lost: int = 0
    """On identical traffic: trials with a value on the base side that have none on the head side."""
    gained: int = 0
    """On identical traffic: trials with a value on the head side alone."""
    worst_loss: float | None = None
    """On identical traffic, of rates: the loss if each lost trial had fared as ill as can be."""

    @property
    def base_coverage(self) -> float:
        """The share of the trials asked for that have a value on the base side."""
        return self.base_side.coverage

    @property
    def head_coverage(self) -> float:
        """The same of the head side."""
        return self.head_side.coverage


class Comparison(Record):
    """Everything that a comparison found."""

    base: str
    head: str
    base_trials: int
    head_trials: int
    base_errors: int
    head_errors: int
    is_identical_traffic: bool
    base_is_reference_agent: bool = False
    """Whether a script stands in for a model: its numbers calibrate, they rank nothing."""
    head_is_reference_agent: bool = False
    settings: tuple[SettingDifference, ...]
    measures: tuple[MeasureComparison, ...]
    flips: tuple[Flip, ...]
    lost: tuple[Lost, ...] = ()
    """Trials whose value went, on identical traffic."""
    resilience: tuple[Resilience, ...] = ()
    """What a fault costs, where a fault is all that differs between the configurations."""

    @property
    def verdict(self) -> Verdict:
        """The most serious verdict over the measures."""
        order: tuple[Verdict, ...] = (
            "regression",
            "inconclusive",
            "no_difference_shown",
            "no_regression",
            "improvement",
        )
        return min((m.verdict for m in self.measures), key=order.index)


def compare_sides(
    base: Side, heads: Sequence[Side], settings: CompareSettings | None = None
) -> list[Comparison]:
    """Compare each head with the base; p values of one measure are corrected over the heads."""
    settings = settings or CompareSettings()
    kinds = merged(side.kinds for side in (base, *heads))
    measures = [kinds.of(name) for name in settings.measures]
    tables = [
        [_measured(base, head, one, settings, together=len(heads)) for one in measures]
        for head in heads
    ]
    for column in range(len(settings.measures)):
        _adjust([row[column] for row in tables], tables, column)
    return [_comparison(base, head, row, settings) for head, row in zip(heads, tables, strict=True)]


def _adjust(
    column: list[MeasureComparison], tables: list[list[MeasureComparison]], place: int
) -> None:
    known = [i for i, entry in enumerate(column) if entry.permutation_p is not None]
    adjusted = holm([column[i].permutation_p or 0.0 for i in known])
    for i, p in zip(known, adjusted, strict=True):
        tables[i][place] = column[i].model_copy(update={"adjusted_p": p})


def _comparison(
    base: Side, head: Side, row: list[MeasureComparison], settings: CompareSettings
) -> Comparison:
    exact = is_identical_traffic(base, head)
    flips = [
        flip
        for entry in row
        for flip in find_flips(base, head, entry.measure, higher_is_better=entry.higher_is_better)
    ]
    lost = [one for entry in row for one in find_lost(base, head, entry.measure)] if exact else []
    if exact:
        row = [entry.model_copy(update=_gone(base, head, entry, lost)) for entry in row]
    ruled = [_ruled(entry, flips, settings, exact=exact) for entry in row]
    return Comparison(
        base=base.name,
        head=head.name,
        base_trials=len(base.ran),
        head_trials=len(head.ran),
        base_errors=len(base.broken),
        head_errors=len(head.broken),
        is_identical_traffic=exact,
        base_is_reference_agent=base.configuration.is_reference_agent,
        head_is_reference_agent=head.configuration.is_reference_agent,
        settings=tuple(setting_differences(base, head)),
        measures=tuple(ruled),
        flips=tuple(sorted(flips, key=lambda flip: not flip.is_worse)),
        lost=tuple(lost),
        resilience=tuple(
            resilience(
                base, head, settings.measures, 1 - settings.alpha, difference=settings.difference
            )
        ),
    )


def _gone(
    base: Side, head: Side, entry: MeasureComparison, lost: Sequence[Lost]
) -> dict[str, object]:
    name, found = entry.measure, sum(one.measure == entry.measure for one in lost)
    is_rate = merged((base.kinds, head.kinds)).of(name).is_rate
    worst = None
    if found and is_rate:
        worst = worst_loss(base, head, name, higher_is_better=entry.higher_is_better)
    return {"lost": found, "gained": gained(base, head, name), "worst_loss": worst}


def _measured(
    base: Side, head: Side, known: Measure, settings: CompareSettings, *, together: int
) -> MeasureComparison:
    name = known.name
    ours, theirs = base.case_means(name), head.case_means(name)
    shared = sorted(ours.keys() & theirs.keys())
    a, b = [ours[c] for c in shared], [theirs[c] for c in shared]
    one, other = _standings(base, head, known, 1 - settings.alpha)
    entry = MeasureComparison(
        measure=name,
        higher_is_better=known.better != "lower",
        verdict="inconclusive",
        reason="",
        base=math.fsum(a) / len(a) if a else None,
        head=math.fsum(b) / len(b) if b else None,
        cases=len(shared),
        base_side=one,
        head_side=other,
    )
    if len(shared) < 2:
        return entry
    update = _tested(a, b, settings, is_rate=known.is_rate)
    update["interval_together"] = gap_interval(
        a, b, 1 - settings.alpha / together, is_rate=known.is_rate
    )
    if known.unit == "yes_no":
        table = _every_time(base.by_case(name), head.by_case(name), shared)
        update |= {
            "mcnemar_exact_p": table.exact_p,
            "mcnemar_mid_p": table.mid_p,
            "only_base": table.only_first,
            "only_head": table.only_second,
        }
    return entry.model_copy(update=update)


def _standings(
    base: Side, head: Side, known: Measure, confidence: float
) -> tuple[Standing, Standing]:
    """Return how both sides stand, each of all the trials that the comparison asks for."""
    exact = is_identical_traffic(base, head)
    one, other = (
        standing(
            side, known, planned_together(side.plan, against.plan, is_paired=exact), confidence
        )
        for side, against in ((base, head), (head, base))
    )
    return one, other


def _tested(
    a: list[float], b: list[float], settings: CompareSettings, *, is_rate: bool
) -> dict[str, object]:
    gap = paired_difference(b, a, confidence=1 - settings.alpha)
    differences = [y - x for x, y in zip(a, b, strict=True)]
    bootstrap = paired_bootstrap(differences, seed=settings.seed, confidence=1 - settings.alpha)
    spread = gap.standard_error**2 * gap.n
    differing = sum(d != 0 for d in differences)
    power = reach(
        gap.n,
        spread,
        differing=differing,
        difference=settings.difference,
        alpha=settings.alpha,
        is_rate=is_rate,
    )
    return {
        "differing": differing,
        "difference": gap.value,
        "interval": gap_interval(a, b, 1 - settings.alpha, is_rate=is_rate),
        "bootstrap": (bootstrap.low, bootstrap.high) if bootstrap else None,
        "permutation_p": paired_permutation(differences, seed=settings.seed),
        "detectable": power.detectable,
        "needed_cases": power.needed,
        "is_bound": power.is_bound,
    }


def _every_time(
    ours: dict[str, list[float]], theirs: dict[str, list[float]], cases: list[str]
) -> McNemar:
    pairs = [(all(ours[c]), all(theirs[c])) for c in cases]
    return mcnemar(sum(x and not y for x, y in pairs), sum(y and not x for x, y in pairs))


def _ruled(
    entry: MeasureComparison, flips: list[Flip], settings: CompareSettings, *, exact: bool
) -> MeasureComparison:
    of_this = [flip for flip in flips if flip.measure == entry.measure]
    worse = sum(flip.is_worse for flip in of_this)
    verdict, reason = _rule(entry, worse, len(of_this) - worse, settings, exact=exact)
    return entry.model_copy(
        update={
            "worse": worse,
            "better": len(of_this) - worse,
            "verdict": verdict,
            "reason": reason,
        }
    )


def _rule(
    entry: MeasureComparison, worse: int, better: int, settings: CompareSettings, *, exact: bool
) -> tuple[Verdict, str]:
    floor = settings.coverage_floor
    if min(entry.base_coverage, entry.head_coverage) < floor:
        return "inconclusive", f"fewer trials have a value than the floor of {floor:.0%}: " + (
            ", ".join(
                f"{name} {side.coverage:.1%} of {side.planned - side.not_applicable}"
                for name, side in (("base", entry.base_side), ("head", entry.head_side))
            )
        )
    if entry.cases == 0:
        return "inconclusive", "no case has a value on both sides"
    if exact:
        return _rule_exactly(entry, worse, better, settings)
    if entry.interval_together is None or entry.adjusted_p is None:
        return "inconclusive", "one case alone shows nothing"
    return _rule_by_test(entry, Interval(*entry.interval_together), settings)


def _rule_exactly(
    entry: MeasureComparison, worse: int, better: int, settings: CompareSettings
) -> tuple[Verdict, str]:
    counts = f"{worse} worse, {better} better"
    if entry.lost:
        counts += f", {entry.lost} lost"
    if entry.gained:
        counts += f", {entry.gained} gained"
    counts += ", on identical traffic"
    if settings.margin is None:
        if worse or entry.lost:
            return "regression", counts
        return ("improvement" if better else "no_regression"), counts
    loss = _loss(entry, (entry.head or 0.0) - (entry.base or 0.0))
    what = "a loss"
    if entry.lost:
        if entry.worst_loss is None:
            return "inconclusive", f"{counts}; what the lost ones were worth is not known"
        loss, what = entry.worst_loss, "with the lost ones at their worst a loss"
    if loss > settings.margin:
        return "regression", f"{counts}; {what} of {loss:.3f} is beyond {settings.margin:g}"
    return "no_regression", f"{counts}; {what} of {loss:.3f} is within {settings.margin:g}"


def _rule_by_test(
    entry: MeasureComparison, interval: Interval, settings: CompareSettings
) -> tuple[Verdict, str]:
    p = entry.adjusted_p if entry.adjusted_p is not None else 1.0
    is_loss = _loss(entry, entry.difference or 0.0) > 0
    is_shown = p <= settings.alpha
    if settings.margin is not None:
        within = _rule_by_margin(entry, interval, settings.margin)
        if within[0] != "no_regression" or is_loss or not is_shown:
            return within
    if is_shown:
        return ("regression" if is_loss else "improvement"), f"p = {p:.3g}"
    if entry.detectable is None or (entry.is_bound and not entry.differing):
        return "no_difference_shown", f"p = {p:.3g}; all {entry.cases} cases fare alike"
    most = "at most " if entry.is_bound else ""
    what = f"p = {p:.3g}; {entry.cases} cases would show {most}{entry.detectable:.3f}"
    return "no_difference_shown", what


def _rule_by_margin(
    entry: MeasureComparison, interval: Interval, margin: float
) -> tuple[Verdict, str]:
    low, high = sorted((_loss(entry, interval.low), _loss(entry, interval.high)))
    if low > margin:
        return "regression", f"the loss is at least {low:.3f}, beyond {margin:g}"
    if high > margin:
        return "inconclusive", f"a loss of up to {high:.3f} is not ruled out"
    return "no_regression", f"a loss beyond {max(0.0, high):.3f} is ruled out"


def _loss(entry: MeasureComparison, difference: float) -> float:
    return -difference if entry.higher_is_better else difference
