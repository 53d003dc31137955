"""What the difference of two sides means: an exact rule on identical traffic, else the test that rules."""

from typing import Literal

from research_eval.analysis.difference import CompareSettings, MeasureComparison

__all__ = ["ORDER", "Verdict", "p_text", "rule"]

Verdict = Literal[
    "regression", "improvement", "no_regression", "no_difference_shown", "inconclusive"
]
"""`no_regression`: nothing got worse, or no loss beyond the margin is left possible.
`no_difference_shown`: the test found none, which is no proof that there is none."""

ORDER: tuple[Verdict, ...] = (
    "regression",
    "inconclusive",
    "no_difference_shown",
    "no_regression",
    "improvement",
)
"""The most serious verdict first."""


def rule(
    entry: MeasureComparison, settings: CompareSettings, *, exact: bool
) -> tuple[Verdict, str]:
    """Return the verdict on one measure and the reason for it.

    Args:
        entry: What was found.
        settings: When a difference counts.
        exact: Whether both sides met the same recorded exchanges, so that chance plays no part.
    """
    floor = settings.coverage_floor
    if min(entry.base_side.coverage, entry.head_side.coverage) < floor:
        return "inconclusive", f"fewer trials have a value than the floor of {floor:.0%}: " + (
            ", ".join(
                f"{name} {side.coverage:.1%} of {side.planned - side.not_applicable}"
                for name, side in (("base", entry.base_side), ("head", entry.head_side))
            )
        )
    if entry.cases == 0:
        return "inconclusive", "no case has a value on both sides"
    if exact:
        return _exactly(entry, settings)
    if entry.interval_together is None or entry.p is None:
        return "inconclusive", "one case alone shows nothing"
    return _by_test(entry, settings)


def _exactly(entry: MeasureComparison, settings: CompareSettings) -> tuple[Verdict, str]:
    counts = f"{entry.worse} worse, {entry.better} better"
    if entry.lost:
        counts += f", {entry.lost} lost"
    if entry.gained:
        counts += f", {entry.gained} gained"
    counts += ", on identical traffic"
    if settings.margin is None:
        if entry.worse or entry.lost:
            return "regression", counts
        return ("improvement" if entry.better else "no_regression"), counts
    loss = _loss(entry, (entry.head or 0.0) - (entry.base or 0.0))
    what = "a loss"
    if entry.lost:
        if entry.worst_loss is None:
            return "inconclusive", f"{counts}; what the lost ones were worth is not known"
        loss, what = entry.worst_loss, "with the lost ones counted as failures a loss"
    if loss > settings.margin:
        return "regression", f"{counts}; {what} of {loss:.3f} is beyond {settings.margin:g}"
    return "no_regression", f"{counts}; {what} of {loss:.3f} is within {settings.margin:g}"


def _by_test(entry: MeasureComparison, settings: CompareSettings) -> tuple[Verdict, str]:
    p = 1.0 if entry.p is None else entry.p
    is_loss = _loss(entry, entry.difference or 0.0) > 0
    is_shown = p <= settings.alpha
    if settings.margin is not None:
        within = _by_margin(entry, settings.margin)
        if within[0] != "no_regression" or is_loss or not is_shown:
            return within
    if is_shown:
        return ("regression" if is_loss else "improvement"), f"p {p_text(p)}"
    if entry.differing == 0:
        return "no_difference_shown", f"p {p_text(p)}; all {entry.cases} cases have the same result"
    if entry.detectable is None:
        return "no_difference_shown", f"p {p_text(p)}; {entry.cases} cases are too few to show any"
    most = "at most " if entry.is_bound else ""
    what = f"p {p_text(p)}; {entry.cases} cases would show {most}{entry.detectable:.3f}"
    return "no_difference_shown", what


def _by_margin(entry: MeasureComparison, margin: float) -> tuple[Verdict, str]:
    bounds = entry.interval_together or (0.0, 0.0)
    low, high = sorted(_loss(entry, bound) for bound in bounds)
    if low > margin:
        return "regression", f"the loss is at least {low:.3f}, beyond {margin:g}"
    if high > margin:
        return "inconclusive", f"a loss of up to {high:.3f} is not ruled out"
    return "no_regression", f"a loss beyond {max(0.0, high):.3f} is ruled out"


def _loss(entry: MeasureComparison, difference: float) -> float:
    return -difference if entry.higher_is_better else difference


def p_text(p: float | None) -> str:
    """Return a p value as every command and report writes it.

    >>> p_text(0.0312), p_text(0.00001)
    ('0.031', '< 0.001')
    """
    if p is None:
        return "-"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
