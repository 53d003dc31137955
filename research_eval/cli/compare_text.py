"""A comparison in words for a terminal, with a legend of what the words mean."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from research_eval.cli.score_text import beyond
from research_eval.schema.display import one_line

if TYPE_CHECKING:
    from research_eval.scorer.compare import (
        Absent,
        CompareSettings,
        Comparison,
        Flip,
        Lost,
        MeasureComparison,
        Resilience,
        Side,
        Standing,
        UnpairedComparison,
    )

__all__ = [
    "absent_lines",
    "comparison_lines",
    "legend_lines",
    "noise_line",
    "overall_lines",
    "unpaired_lines",
]

_WORDS = (
    ("planned", "trials that either side planned: one that a side left out is missing there"),
    ("coverage", "scored of planned, as far as the measure applies; below the floor: inconclusive"),
    ("lost", "a value that base has and head has not, on identical traffic: as bad as a flip"),
    ("difference", "head minus base, the mean over the cases that both sides have a value for"),
    ("interval", "where the difference may lie; a difference is shown if 0 lies outside"),
    ("p value", "the chance of such a difference if there were none, by permutation over cases"),
    ("corrected", "the p value after Holm's correction for what is compared at the same time"),
    ("McNemar", "the same question, of the cases that pass in every trial on one side alone"),
    ("detectable", "the difference that so many cases show four times out of five; less can hide"),
    ("needed", "the cases that show the smallest difference worth finding (--difference) as often"),
    ("resilience", "the rate under a fault divided by the rate without it; 1 is no loss"),
)

_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


def legend_lines(comparisons: "Sequence[Comparison]") -> Iterator[str]:
    """Yield what the words mean that these comparisons are told in."""
    entries = [entry for comparison in comparisons for entry in comparison.measures]
    unused = set()
    if all(entry.mcnemar_exact_p is None for entry in entries):
        unused.add("McNemar")
    if not any(comparison.resilience for comparison in comparisons):
        unused.add("resilience")
    if not any(comparison.lost for comparison in comparisons):
        unused.add("lost")
    yield "How to read this:"
    for word, meaning in _WORDS:
        if word not in unused:
            yield f"  {word:11} {meaning}"
    yield "  No difference shown: the tests found none, which is no proof that there is none."
    yield ""


def comparison_lines(
    comparison: "Comparison", flips: "Sequence[Flip]", settings: "CompareSettings", most: int
) -> Iterator[str]:
    """Yield what was found about one pair of configurations; `flips` carry their answers.

    At most `most` trials that lost their value are named.
    """
    yield f"base {one_line(comparison.base)}{_script(comparison.base_is_reference_agent)}"
    yield f"head {one_line(comparison.head)}{_script(comparison.head_is_reference_agent)}"
    yield (
        f"  errors {comparison.base_errors} of {comparison.base_trials}"
        f" and {comparison.head_errors} of {comparison.head_trials} trials"
    )
    yield from _settings(comparison)
    if comparison.is_identical_traffic:
        yield "  identical recorded traffic: a trial that changed sides or was lost is an effect, not chance"
    else:
        yield "  other traffic: chance plays a part, so that paired tests over the cases decide"
    for entry in comparison.measures:
        yield from _measure(entry, settings)
    for cost in comparison.resilience:
        yield _resilience(cost, settings)
    for flip in flips:
        yield from _flip(flip)
    hidden = len(comparison.flips) - len(flips)
    if hidden > 0:
        yield f"  {hidden} more flips: --flips {len(comparison.flips)}, or --json"
    yield from _lost(comparison.lost, most)
    yield f"RESULT: {comparison.verdict.replace('_', ' ').upper()}"
    yield ""


def _script(is_reference_agent: bool) -> str:
    return " (reference agent: calibrates, ranks nothing)" if is_reference_agent else ""


def absent_lines(absent: "Absent") -> Iterator[str]:
    """Yield that head lacks a configuration, and how to say that it is meant so."""
    yield f"base {one_line(absent.base)}"
    yield f"head {one_line(absent.head)}: no configuration {one_line(absent.configuration)}"
    if absent.verdict == "inconclusive":
        yield "  what head lacks cannot be judged; --configuration or --shared leave it out on purpose"
    yield f"RESULT: {absent.verdict.replace('_', ' ').upper()}"


def _settings(comparison: "Comparison") -> Iterator[str]:
    if not comparison.settings:
        yield "  no setting differs"
        return
    yield "  settings that differ:"
    for one in comparison.settings:
        before, after = (one_line(_DIGEST.sub(_short, side), 200) for side in (one.base, one.head))
        yield f"    {one.name}: {before} -> {after}"
    if any(one.name == "run.dataset_sha256" for one in comparison.settings):
        yield "    the runs answer different versions of the dataset; cases pair by their id"


def _short(digest: re.Match[str]) -> str:
    return f"{digest[0][:12]}…"


def _measure(entry: "MeasureComparison", settings: "CompareSettings") -> Iterator[str]:
    better = "higher" if entry.higher_is_better else "lower"
    yield (
        f"  {entry.measure}: {number(entry.base)} -> {number(entry.head)}"
        f" over {entry.cases} cases ({better} is better)"
    )
    level = f"{100 * (1 - settings.alpha):g} %"
    yield from _sides(entry.base_side, entry.head_side, level)
    if entry.difference is not None and entry.interval is not None:
        low, high = entry.interval
        drawn = ""
        if entry.bootstrap is not None:
            drawn = f"; by bootstrap {entry.bootstrap[0]:+.3f} to {entry.bootstrap[1]:+.3f}"
        yield (
            f"    difference {entry.difference:+.3f}, {level} interval {low:+.3f} to {high:+.3f}"
            f"{drawn}"
        )
        yield f"    p value {_p(entry.permutation_p)}, corrected {_p(entry.adjusted_p)}"
        if entry.mcnemar_exact_p is not None:
            yield (
                f"    cases passed in every trial: {entry.only_base} on base alone,"
                f" {entry.only_head} on head alone; McNemar p {_p(entry.mcnemar_exact_p)} exact,"
                f" {_p(entry.mcnemar_mid_p)} mid-p"
            )
        yield f"    {_detectable(entry, settings)}"
    yield f"    {entry.verdict.replace('_', ' ').upper()}: {entry.reason}"


def _sides(base: "Standing", head: "Standing", level: str) -> Iterator[str]:
    """Yield how each side stands, of all its trials."""
    for name, side in (("base", base), ("head", head)):
        bounds = "no interval, as all values are the same"
        if side.interval is not None:
            bounds = f"{level} interval {side.interval[0]:.3f} to {side.interval[1]:.3f}"
        apart = f", {side.not_applicable} not applicable" if side.not_applicable else ""
        shown = f"{number(side.value)}, {bounds}, n {side.n:g}" if side.scored else "no value, n 0"
        yield (
            f"    {name} {shown}: planned {side.planned}, run {side.run}, scored {side.scored},"
            f" errors {side.errors}{apart}, coverage {side.coverage:.1%}"
        )
        if side.corrected is not None:
            value, low, high = side.corrected
            yield (
                f"      without the support check's own errors {value:.3f}, {level} interval {low:.3f}"
                f" to {high:.3f}{beyond(low, high)}"
            )


def _detectable(entry: "MeasureComparison", settings: "CompareSettings") -> str:
    if entry.detectable is None:
        return "detectable unknown: all cases fare alike, so that there is no spread to tell from"
    most = "at most " if entry.is_bound else ""
    if entry.needed_cases is not None and entry.detectable >= 1:
        return (
            f"detectable: none, since {entry.cases} cases are too few to show any difference;"
            f" needed for {settings.difference:g}: {most}{entry.needed_cases} cases"
        )
    found = f"detectable {most}{entry.detectable:.3f} with {entry.cases} cases"
    if entry.needed_cases is None:
        return found
    return f"{found}; needed for {settings.difference:g}: {most}{entry.needed_cases} cases"


def _lost(lost: "Sequence[Lost]", most: int) -> Iterator[str]:
    for one in lost[:most]:
        place = f"{one_line(one.case_id)} #{one.trial} {one.measure}"
        yield f"  lost: {place} {one.base:g} -> no value ({one.why})"
    if len(lost) > most:
        yield f"  {len(lost) - most} more lost: --flips {len(lost)}, or --json"


def _resilience(cost: "Resilience", settings: "CompareSettings") -> str:
    what = one_line("; ".join(cost.faults))
    head = f"  resilience of {cost.measure} to {what}: "
    if cost.ratio is None or cost.interval is None:
        return f"{head}unknown, since nothing passed without the fault"
    low, high = cost.interval
    level = f"{100 * (1 - settings.alpha):g} %"
    most = "at most " if cost.is_bound else ""
    power = f"; detectable loss {most}{number(cost.detectable)}"
    if cost.needed_cases is not None:
        power += f", needed for {settings.difference:g}: {most}{cost.needed_cases} cases"
    return (
        f"{head}{number(cost.faulted_rate)}{_between(cost.faulted_interval)}"
        f" / {number(cost.clean_rate)}{_between(cost.clean_interval)} = {cost.ratio:.3f},"
        f" {level} interval {low:.3f} to {high:.3f}, over {cost.cases} cases;"
        f" of all planned trials {number(cost.strict_ratio)}{_between(cost.strict_interval)}{power}"
    )


def _between(interval: "tuple[float, float] | None") -> str:
    return f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""


def _flip(flip: "Flip") -> Iterator[str]:
    what = "worse" if flip.is_worse else "better"
    case = f"{one_line(flip.case_id)} #{flip.trial} {flip.measure}"
    yield f"  {what}: {case} {flip.base:g} -> {flip.head:g}"
    for side, answer in (("base", flip.base_answer), ("head", flip.head_answer)):
        yield f"    {side}: {one_line(answer or '(no answer)', 240)}"


def overall_lines(sides: "Sequence[Side]", settings: "CompareSettings") -> Iterator[str]:
    """Yield one test and one ranking over all configurations of a run, measure by measure."""
    from research_eval.scorer.measure import merged
    from research_eval.stats import cochran_q, rank_intervals

    kinds = merged(side.kinds for side in sides)
    for name in settings.measures:
        means = {side.configuration.name: side.case_means(name) for side in sides}
        shared = sorted(set.intersection(*(set(m) for m in means.values())))
        if not shared:
            yield f"{name}: no case has a value in every configuration"
            continue
        known = kinds.of(name)
        if known.unit == "yes_no":
            every = [side.by_case(name) for side in sides]
            q = cochran_q([[int(all(m[c])) for m in every] for c in shared])
            yield (
                f"{name}: Cochran's Q {q.q:.2f} on {q.degrees} degrees of freedom, p value {_p(q.p)}:"
                f" whether all configurations share one rate ({len(shared)} cases, passed in every"
                " trial)"
            )
        values = {configuration: [m[c] for c in shared] for configuration, m in means.items()}
        scripts = {s.configuration.name for s in sides if s.configuration.is_reference_agent}
        ranks = rank_intervals(values, seed=settings.seed, higher_is_better=known.better != "lower")
        yield f"{name}: ranks, with the ranks that other draws of the cases give"
        for configuration, rank in sorted(ranks.items(), key=lambda item: item[1].rank):
            mark = _script(configuration in scripts)
            yield f"  rank {rank.rank} [{rank.low} to {rank.high}]  {one_line(configuration)}{mark}"


def unpaired_lines(entry: "UnpairedComparison", settings: "CompareSettings") -> Iterator[str]:
    """Yield what was found about two sides whose cases are not the same."""
    yield f"base {one_line(entry.base)}{_script(entry.base_is_reference_agent)}"
    yield f"head {one_line(entry.head)}{_script(entry.head_is_reference_agent)}"
    level = f"{100 * (1 - settings.alpha):g} %"
    better = "higher" if entry.higher_is_better else "lower"
    yield (
        f"  {entry.measure}: cases passed in every trial {entry.base_passed}/{entry.base_cases} ->"
        f" {entry.head_passed}/{entry.head_cases} ({better} is better); the cases are not paired"
    )
    for name, (low, high) in (("base", entry.base_interval), ("head", entry.head_interval)):
        yield f"    {name} {level} interval {low:.3f} to {high:.3f}, of the share of cases"
    yield "    of all trials:"
    yield from _sides(entry.base_side, entry.head_side, level)
    low, high = entry.interval
    yield (
        f"    difference {entry.difference:+.3f}, {level} interval {low:+.3f} to {high:+.3f}"
        " (Newcombe's hybrid score)"
    )
    cases = f"{entry.base_cases} and {entry.head_cases} cases"
    yield (
        f"    detectable {entry.detectable:.3f} with {cases}; needed for {settings.difference:g}:"
        f" {entry.needed_cases} cases each"
    )
    yield f"RESULT: {entry.verdict.replace('_', ' ').upper()}"


def noise_line(
    configuration: str, measure: str, flips: float, alarms: float, splits: int, cases: int
) -> str:
    """Return what chance alone does to a configuration that is compared with itself."""
    return (
        f"{one_line(configuration)} {measure}: two trials of a case differ in {flips:.1%}; a"
        f" comparison with itself finds a difference in {alarms:.1%} of {splits} splits"
        f" ({cases} cases)"
    )


def number(value: float | None) -> str:
    """Return a rate or a mean with three digits."""
    return "-" if value is None else f"{value:.3f}"


def _p(value: float | None) -> str:
    if value is None:
        return "-"
    return "< 0.0001" if value < 0.0001 else f"{value:.3g}"
