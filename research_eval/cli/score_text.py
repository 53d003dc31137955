"""What `research-eval score` prints: the main measures of all configurations, or every measure."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from research_eval.schema.display import one_line, visible

if TYPE_CHECKING:
    from research_eval.analysis.output import (
        ConfigurationScores,
        EstimateOutput,
        MeasureScores,
        ScoreOutput,
    )
    from research_eval.schema import RunRecord

__all__ = ["beyond", "every_measure", "main_measures", "number"]

NAME_WIDTH = 24
"""What a table leaves for a configuration's name."""
CELL_WIDTH = 14


def number(value: float | None) -> str:
    """Return a rate or a mean with three digits."""
    return "-" if value is None else f"{value:.3f}"


def main_measures(
    found: "ScoreOutput", names: Sequence[str], manifest: "RunRecord", width: int
) -> Iterator[str]:
    """Yield the few measures that matter of all configurations, side by side.

    A measure that no configuration has is left out, and so is one that is zero everywhere.
    """
    yield _title(found)
    by_name = [{one.measure: one for one in each.measures} for each in found.configurations]
    shown = [name for name in names if any(name in each and each[name].value for each in by_name)]
    others = {name for each in by_name for name in each} - set(shown)
    if not shown:  # scorers of one's own were asked for alone, or everything is zero
        shown = list(dict.fromkeys(one.measure for c in found.configurations for one in c.measures))
        shown, others = shown[:10], set(shown[10:])
    width_of_name = min(NAME_WIDTH, max(len(c.configuration) for c in found.configurations)) + 1
    per_table = max(1, (max(width, 80) - width_of_name) // CELL_WIDTH)
    for start in range(0, len(shown), per_table):
        part = shown[start : start + per_table]
        headings = [_heading(name, by_name) for name in part]
        yield ""
        yield f"{'':{width_of_name}}" + "".join(f"{one:>{CELL_WIDTH}}" for one in headings)
        for each, measures in zip(found.configurations, by_name, strict=True):
            cells = "".join(f"{_cell(measures.get(name)):>{CELL_WIDTH}}" for name in part)
            yield f"{one_line(each.configuration, width_of_name - 2):{width_of_name}}{cells}"
    yield ""
    for each in found.configurations:
        if each.run < each.planned:
            yield f"{one_line(each.configuration)}: {each.run} of {each.planned} planned trials ran"
    note = "Rates in % with their 95 % interval over cases."
    if any(not one.is_conclusive for c in found.configurations for one in c.measures):
        floor = f"{found.coverage_floor:.0%}".replace("%", " %")
        note += f" ? is INCONCLUSIVE: fewer than {floor} of the trials have a value."
    yield note
    yield from _power(found, manifest)
    if others:
        yield f"{len(others)} more measures: --all, or --json"


def _title(found: "ScoreOutput") -> str:
    synthetic = " (synthetic dataset)" if found.dataset_is_synthetic else ""
    planned = sum(each.planned for each in found.configurations)
    ran = sum(each.run for each in found.configurations)
    return f"{visible(found.experiment)}{synthetic}: {ran} of {planned} planned trials ran"


def _heading(name: str, by_name: "list[dict[str, MeasureScores]]") -> str:
    heading = next(each[name].heading for each in by_name if name in each)
    return one_line(heading, CELL_WIDTH - 2)


def _cell(one: "MeasureScores | None") -> str:
    if one is None or one.value is None:
        return "-"
    mark = "" if one.is_conclusive else "?"
    scale = 100 if one.unit in {"yes_no", "share"} else 1
    bounds = ""
    if one.interval is not None:
        bounds = f" [{'-'.join(_short(scale * bound, scale) for bound in one.interval)}]"
    return f"{_short(scale * one.value, scale)}{mark}{bounds}"


def _short(value: float, scale: int) -> str:
    """Return whole percents, and of other numbers digits that say something, of cents too."""
    if scale == 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value == 0 or abs(value) >= 0.1 else f"{value:.2g}"


def _power(found: "ScoreOutput", manifest: "RunRecord") -> Iterator[str]:
    from research_eval.analysis.wording import power_note

    cases = len(manifest.case_ids)
    if len(found.configurations) > 1 and cases > 1:
        yield power_note(cases, manifest.trials, len(found.configurations) - 1)


def every_measure(found: "ScoreOutput") -> Iterator[str]:
    """Yield every measure of every configuration, with every denominator."""
    yield _title(found)
    yield (
        "95 % intervals: of rates, the score interval over the effective number of trials; of means,"
        " Student's t over cases"
    )
    for each in found.configurations:
        yield f"\n{visible(each.configuration)}: {each.run} of {each.planned} planned trials ran"
        yield (
            f"  {'measure':36} {'value':>9}  {'95 % interval':19} {'n':>7}"
            f" {'strict':>9}  scored/planned, coverage"
        )
        for one in each.measures:
            yield f"  {visible(one.measure):36} {_row(one)}"
        yield from _beneath(each)
    names = {one.measure for each in found.configurations for one in each.measures}
    if names & {"support_red", "citation_recall", "correct_grounded"}:
        yield from _support_errors()
    if names & {"cited_claim_share", "citation_recall_needed"}:
        yield from _worthiness_error()


def _row(one: "MeasureScores") -> str:
    counts = f"{one.scored}/{one.planned}"
    if one.coverage < 1:
        counts += f" {one.coverage:.0%}"
    if not one.is_conclusive:
        counts += " INCONCLUSIVE"
    missing = [
        f"{count} {what}"
        for count, what in (
            (one.errors, "errors"),
            (one.not_applicable, "not applicable"),
            (one.undecided, "undecided"),
        )
        if count
    ]
    notes = f"  {', '.join(missing)}" if missing else ""
    bounds = f"{one.interval[0]:.3f} to {one.interval[1]:.3f}" if one.interval else ""
    return (
        f"{number(one.value):>9}  {bounds:19} {one.n:>7g} {number(one.strict):>9}  {counts}{notes}"
    )


def _beneath(each: "ConfigurationScores") -> Iterator[str]:
    """Yield what is made of several measures together: reliability, F, corrected shares."""
    for one in each.reliability:
        yield (
            f"  {one.measure}: pass@{one.k} {_with_bounds(one.some)}, pass^{one.k}"
            f" {_with_bounds(one.every)} ({one.every.n} cases)"
        )
    for split in each.variance:
        yield (
            f"  {split.measure}: variance between cases {split.between:.4f}, between the trials of a"
            f" case {split.within:.4f} ({split.cases} cases)"
        )
    by_name = {one.measure: one for one in each.measures}
    if each.f_score is not None:
        accuracy, precision = (by_name[n] for n in ("correct", "correct_given_attempted"))
        yield (
            f"  accuracy {number(accuracy.value)} (n {accuracy.scored}), precision"
            f" {number(precision.value)} (n {precision.scored}), F {_with_bounds(each.f_score)}"
            f" (n {each.f_score.n})"
        )
    if (found := each.support_red_corrected) is not None:
        yield (
            f"  unsupported, corrected for the check's errors: {_with_bounds(found)}"
            f" (n {by_name['support_red'].n:g} pairs){beyond(*found.interval)}"
        )
    for what, value in each.calibration.items():
        yield f"  {what} {number(value)} ({each.calibration_answers} answers)"


def _with_bounds(one: "EstimateOutput") -> str:
    return f"{one.value:.3f} [{one.interval[0]:.3f}, {one.interval[1]:.3f}]"


def beyond(low: float, high: float) -> str:
    """Say where an observed share lies beyond what the check's errors leave possible."""
    if high == 0:
        return "; fewer than the check's own false alarms"
    if low == 1:
        return "; more than the check finds where all are unsupported"
    return ""


def _share(k: int, n: int) -> str:
    from research_eval.stats import wilson

    low, high = wilson(k, n)
    return f"{k / n:.0%} of {n} [{low:.0%}, {high:.0%}]" if n else "none of 0"


def _support_errors() -> Iterator[str]:
    """Yield how often the support check errs, as measured against people."""
    from research_eval.scorer.support_error import MEASURED

    yield "\nThe support check against people:"
    for errors in MEASURED:
        yield (
            f"  {errors.labelled_set}: RED is unsupported in"
            f" {_share(errors.red.unsupported, errors.red.total)}, GREEN is supported in"
            f" {_share(errors.green.supported, errors.green.total)}"
        )


def _worthiness_error() -> Iterator[str]:
    """Yield how far the choice of check-worthy sentences agrees with experts."""
    from research_eval.scorer.worthiness import MEASURED

    yield (
        f"\nThe choice of sentences that are worth a check, against experts"
        f" ({MEASURED.labelled_set}): agreement"
        f" {_share(MEASURED.both + MEASURED.neither, MEASURED.total)},"
        f" kappa {MEASURED.kappa or 0:.2f},"
        f" precision {_share(MEASURED.both, MEASURED.both + MEASURED.proxy_alone)},"
        f" recall {_share(MEASURED.both, MEASURED.both + MEASURED.people_alone)}"
    )
