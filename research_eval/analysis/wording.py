"""What a number of cases can show, in the one sentence that every command and report prints."""

from research_eval.stats.power import (
    ALPHA,
    WORTH_FINDING,
    Assumption,
    detectable_difference,
    needed_cases,
)

__all__ = ["power_note"]


def power_note(cases: int, trials: int, comparisons: int = 1) -> str:
    """Return which difference of two rates so many cases can show, and how many one needs.

    Args:
        cases: Of the dataset.
        trials: Of each case.
        comparisons: Made together, which share the chance of a false alarm.
    """
    assumed = Assumption()
    variance, step = assumed.variance(trials), 1 / trials
    alpha = ALPHA / comparisons
    smallest = detectable_difference(cases, variance, step=step, alpha=alpha)
    needed = needed_cases(WORTH_FINDING, variance, step=step, alpha=alpha)
    shown = (
        "show no difference between two rates"
        if smallest is None or smallest >= 1
        else f"show a difference between two rates of {100 * smallest:.1f} points or more"
    )
    together = f", {comparisons} comparisons at once" if comparisons > 1 else ""
    return (
        f"{_counted(cases, 'case')} with {_counted(trials, 'trial')} each {shown} with a chance of"
        f" 80 %; {100 * WORTH_FINDING:g} points need {needed} cases (assumed: {assumed}{together})."
    )


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
