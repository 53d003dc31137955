"""A comparison in words for a terminal: the ruling, one table of all configurations, then the rest."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from research_eval.cli.score_text import beyond, number
from research_eval.schema.display import one_line

if TYPE_CHECKING:
    from research_eval.analysis.comparison import Absent, CompareOutput, Comparison
    from research_eval.analysis.difference import CompareSettings, MeasureComparison, SideSummary
    from research_eval.analysis.resilience import Resilience
    from research_eval.analysis.several import RunsOutput
    from research_eval.analysis.side import Side
    from research_eval.analysis.unpaired import UnpairedComparison

__all__ = ["appendix_lines", "comparison_lines", "noise_line"]

_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
MOST_SETTINGS = 8
"""Settings that differ beyond this many are left to --all."""


def comparison_lines(found: "CompareOutput", most: int) -> Iterator[str]:
    """Yield the ruling, one table of everything that is compared, and the trials that changed.

    Args:
        found: What was found.
        most: Changed trials that are named.
    """
    yield _result(found)
    yield ""
    if found.comparisons:
        yield from _table(found.comparisons, found.settings)
        yield ""
        yield from _reading(found)
        yield from _changes(found.comparisons, most, with_answers=found.settings.is_whole)
        for one in found.comparisons:
            yield from (_resilience(cost, found.settings) for cost in one.resilience)
        if len(found.comparisons) == 1 and not found.settings.is_whole:
            yield from _settings(found.comparisons[0], MOST_SETTINGS)
    for spread in found.runs:
        yield _spread(spread, found.settings)
    for entry in found.unpaired:
        yield from _unpaired(entry, found.settings)
    for absent in found.absent:
        yield from _absent(absent)
    if found.comparisons and not found.settings.is_whole:
        yield "--all prints both sides, settings, answers and other tests; --json everything"


def _spread(one: "RunsOutput", settings: "CompareSettings") -> str:
    """Return how much several runs of one configuration differ."""
    low, high = one.interval
    return (
        f"{len(one.values)} runs of {one_line(one.configuration)}, {one_line(one.measure)}:"
        f" {_span(list(one.values.values()), '.3f')} over {one.cases} cases; standard deviation between"
        f" runs beyond chance {one.sd:.3f}, {100 * (1 - settings.alpha):g} % interval {low:.3f} to"
        f" {high:.3f}; p {_p(one.p)} that they do not differ"
    )


def _result(found: "CompareOutput") -> str:
    """Return the ruling over all that was compared, the most serious first."""
    from research_eval.analysis.ruling import ORDER

    verdicts = Counter[str](one.verdict for one in found.comparisons)
    verdicts += Counter[str](one.verdict for one in found.unpaired)
    verdicts += Counter[str](one.verdict for one in found.absent if one.verdict == "inconclusive")
    counts = [(verdict, verdicts[verdict]) for verdict in ORDER if verdicts[verdict]]
    if not counts:
        return "RESULT: NOT COMPARED"
    parts = ", ".join(f"{n} {_spoken(verdict)}" for verdict, n in counts)
    total = sum(n for _, n in counts)
    return f"RESULT: {_spoken(counts[0][0]).upper()}" + (f" ({parts})" if total > 1 else "")


def _spoken(verdict: str) -> str:
    return verdict.replace("_", " ")


def _table(comparisons: "Sequence[Comparison]", settings: "CompareSettings") -> Iterator[str]:
    bases = {one.base for one in comparisons}
    if len(bases) == 1:
        one = comparisons[0]
        yield f"base {one_line(one.base)}{_script(one.base_is_reference_agent)}"
    if len(comparisons) == 1:
        one = comparisons[0]
        yield f"head {one_line(one.head)}{_script(one.head_is_reference_agent)}"
    names = [_head_name(one, is_whole=len(bases) > 1) for one in comparisons]
    if len(set(names)) < len(names):
        names = [one_line(one.head) for one in comparisons]  # several runs of one configuration
    width = min(48 if len(bases) < len(comparisons) else 28, max(13, *map(len, names)))
    level = f"{100 * (1 - settings.alpha):g} %"
    yield (
        f"{'configuration':{width}} {'measure':21} {'base':>6} {'head':>6}"
        f" {'difference, ' + level + ' interval':>28} {'p':>7}  verdict"
    )
    for name, one in zip(names, comparisons, strict=True):
        for entry in one.measures:
            yield (
                f"{one_line(name, width - 1):{width}} {one_line(entry.measure, 20):21}"
                f" {number(entry.base):>6} {number(entry.head):>6} {_gap(entry):>28}"
                f" {_p(entry.p):>7}  {_spoken(entry.verdict).upper()}: {entry.reason}"
            )


def _head_name(one: "Comparison", *, is_whole: bool) -> str:
    name = one_line(one.head.partition(": ")[2])
    mark = " (script)" if one.head_is_reference_agent and not is_whole else ""
    return name + mark


def _gap(entry: "MeasureComparison") -> str:
    if entry.difference is None or entry.interval is None:
        return "-"
    low, high = entry.interval
    return f"{entry.difference:+.3f} [{low:+.3f}, {high:+.3f}]"


def _reading(found: "CompareOutput") -> Iterator[str]:
    """Yield how to read the table, and what its cases can show."""
    comparisons = found.comparisons
    exact = sum(one.is_identical_traffic for one in comparisons)
    lower = {e.measure for one in comparisons for e in one.measures if not e.higher_is_better}
    yield (
        "Difference: head minus base, mean over the cases that both have; p: paired permutation over"
        " cases, corrected (Holm) for the comparisons made at once."
    )
    if lower:
        yield f"Lower is better: {', '.join(sorted(map(one_line, lower)))}."
    if exact:
        yield (
            "identical recorded traffic: a trial that changed or was lost is an effect, not chance,"
            " so that every one counts."
        )
    if exact < len(comparisons):
        yield "other traffic: chance plays a part, so that the paired test over the cases decides"
        yield from _shows(found)
    errors = [(one.head, one.head_errors) for one in comparisons if one.head_errors]
    bases = dict.fromkeys((one.base, one.base_errors) for one in comparisons if one.base_errors)
    for name, count in (*bases, *errors):
        yield f"{one_line(name)}: {count} trials ended in an error"


def _shows(found: "CompareOutput") -> Iterator[str]:
    """Yield what the cases can show: the least and the most over all comparisons."""
    entries = [entry for one in found.comparisons for entry in one.measures]
    shown = [entry.detectable for entry in entries if entry.detectable is not None]
    needed = [entry.needed_cases for entry in entries if entry.needed_cases is not None]
    cases = sorted({entry.cases for entry in entries})
    span = f"{cases[0]}" if len(cases) == 1 else f"{cases[0]} to {cases[-1]}"
    smallest = f"differences of {_span(shown, '.3f')}" if shown else "no difference"
    bound = " at most" if any(entry.is_bound for entry in entries) else ""
    line = f"With a chance of 80 %, {span} cases show {smallest}"
    if needed:
        line += f"; {found.settings.difference:g} needs{bound} {_span(needed, 'd')} cases"
    yield f"{line} (assumed: the variance between cases seen here)."


def _span(values: "Sequence[float] | Sequence[int]", form: str) -> str:
    low, high = min(values), max(values)
    return f"{low:{form}}" if low == high else f"{low:{form}} to {high:{form}}"


def _changes(
    comparisons: "Sequence[Comparison]", most: int, *, with_answers: bool
) -> Iterator[str]:
    """Yield the trials that changed sides or lost their value, the worse ones first."""
    flips = [(one, flip) for one in comparisons for flip in one.flips]
    flips.sort(key=lambda pair: not pair[1].is_worse)
    for one, flip in flips[:most]:
        what = "worse" if flip.is_worse else "better"
        where = f"{_head_name(one, is_whole=True)}: " if len(comparisons) > 1 else ""
        case = f"{one_line(flip.case_id)} #{flip.trial} {one_line(flip.measure)}"
        yield f"  {what}: {where}{case} {flip.base:g} -> {flip.head:g}"
        if with_answers:
            for side, answer in (("base", flip.base_answer), ("head", flip.head_answer)):
                yield f"    {side}: {one_line(answer or '(no answer)', 240)}"
    if len(flips) > most:
        yield f"  {len(flips) - most} more flips: --flips {len(flips)}, or --json"
    lost = [gone for one in comparisons for gone in one.lost]
    for gone in lost[:most]:
        place = f"{one_line(gone.case_id)} #{gone.trial} {one_line(gone.measure)}"
        yield f"  lost: {place} {gone.base:g} -> no value ({gone.why})"
    if len(lost) > most:
        yield f"  {len(lost) - most} more lost: --flips {len(lost)}, or --json"
    if any(gone.why == "not planned" for gone in lost):
        yield "  use --shared if head left out trials on purpose"


def _script(is_reference_agent: bool) -> str:
    return " (reference agent: calibrates, ranks nothing)" if is_reference_agent else ""


def _absent(absent: "Absent") -> Iterator[str]:
    """Yield that head lacks a configuration, and how to say that it is meant so."""
    verdict = _spoken(absent.verdict).upper()
    yield f"{verdict}: {one_line(absent.head)} has no configuration {one_line(absent.configuration)}"
    if absent.verdict == "inconclusive":
        yield "  use --configuration or --shared if it is left out on purpose"


def _settings(comparison: "Comparison", most: int) -> Iterator[str]:
    if not comparison.settings:
        yield "no setting differs"
        return
    yield "settings that differ:"
    for one in comparison.settings[:most]:
        before, after = (one_line(_DIGEST.sub(_digest, side), 200) for side in (one.base, one.head))
        yield f"  {one.name}: {before} -> {after}"
    if len(comparison.settings) > most:
        yield f"  {len(comparison.settings) - most} more: --all"
    if any(one.name == "run.dataset_sha256" for one in comparison.settings):
        yield "  the runs answer different versions of the dataset; cases pair by their id"


def _digest(digest: re.Match[str]) -> str:
    return f"{digest[0][:12]}…"


def appendix_lines(
    found: "CompareOutput", groups: "Sequence[tuple[Side, Sequence[Side]]]"
) -> Iterator[str]:
    """Yield what rules on nothing: both sides, settings, other tests, ranks."""
    level = f"{100 * (1 - found.settings.alpha):g} %"
    yield ""
    yield "APPENDIX: numbers that rule on nothing"
    for one in found.comparisons:
        yield f"\nbase {one_line(one.base)}{_script(one.base_is_reference_agent)}"
        yield f"head {one_line(one.head)}{_script(one.head_is_reference_agent)}"
        yield from _settings(one, len(one.settings))
        for entry in one.measures:
            yield f"{one_line(entry.measure)}, {entry.cases} cases"
            yield from _sides(entry.base_side, entry.head_side, level)
            yield from _other_tests(entry)
    for side, others in groups:
        if len(others) > 1 and not found.runs:
            yield from _overall([side, *others], found.settings)
    if found.pairs:
        yield "\nEvery pair, p corrected (Holm) over all of them"
    for pair in found.pairs:
        low, high = pair.interval
        yield (
            f"  {one_line(pair.measure)}: {one_line(pair.base)} -> {one_line(pair.head)}"
            f" {pair.difference:+.3f} [{low:+.3f}, {high:+.3f}], p {_p(pair.p)}, {pair.cases} cases"
        )


def _other_tests(entry: "MeasureComparison") -> Iterator[str]:
    one = entry.appendix
    if one is None:
        return
    if one.bootstrap is not None:
        low, high = one.bootstrap
        yield f"  interval of the difference by bootstrap over cases: {low:+.3f} to {high:+.3f}"
    yield f"  permutation p before the correction: {_p(one.permutation_p)}"
    if one.mcnemar_exact_p is not None:
        yield (
            f"  cases passed in every trial: {one.only_base} on base alone, {one.only_head} on head"
            f" alone; McNemar p {_p(one.mcnemar_exact_p)} exact, {_p(one.mcnemar_mid_p)} mid-p"
        )


def _sides(base: "SideSummary", head: "SideSummary", level: str) -> Iterator[str]:
    """Yield how each side stands, of all its trials."""
    for name, side in (("base", base), ("head", head)):
        bounds = "no interval, as all values are the same"
        if side.interval is not None:
            bounds = f"{level} interval {side.interval[0]:.3f} to {side.interval[1]:.3f}"
        apart = f", {side.not_applicable} not applicable" if side.not_applicable else ""
        shown = f"{number(side.value)}, {bounds}, n {side.n:g}" if side.scored else "no value, n 0"
        yield (
            f"  {name} {shown}: planned {side.planned}, run {side.run}, scored {side.scored},"
            f" errors {side.errors}{apart}, coverage {side.coverage:.1%}"
        )
        if side.corrected is not None:
            value, low, high = side.corrected
            yield (
                f"    without the support check's own errors {value:.3f}, {level} interval {low:.3f}"
                f" to {high:.3f}{beyond(low, high)}"
            )


def _resilience(cost: "Resilience", settings: "CompareSettings") -> str:
    what = one_line("; ".join(cost.faults))
    head = f"Resilience of {one_line(cost.measure)} to {what}: "
    if cost.ratio is None or cost.interval is None:
        return f"{head}unknown, since nothing passed without the fault"
    low, high = cost.interval
    level = f"{100 * (1 - settings.alpha):g} %"
    return (
        f"{head}{number(cost.faulted_rate)}{_between(cost.faulted_interval)}"
        f" / {number(cost.clean_rate)}{_between(cost.clean_interval)} = {cost.ratio:.3f},"
        f" {level} interval {low:.3f} to {high:.3f}, over {cost.cases} cases;"
        f" of all planned trials {number(cost.strict_ratio)}{_between(cost.strict_interval)}"
    )


def _between(interval: "tuple[float, float] | None") -> str:
    return f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""


def _overall(sides: "Sequence[Side]", settings: "CompareSettings") -> Iterator[str]:
    """Yield one test and one ranking over all configurations of a run, measure by measure."""
    from research_eval.analysis.comparison import rank_sides
    from research_eval.stats.many import cochran_q

    scripts = {s.configuration.name for s in sides if s.configuration.is_reference_agent}
    yield ""
    for name in settings.measures:
        ranks = rank_sides(sides, name, settings.seed)
        if not ranks:
            yield f"{one_line(name)}: no case has a value in every configuration"
            continue
        if sides[0].measure(name).unit == "yes_no":
            every = [side.by_case(name) for side in sides]
            shared = sorted(set.intersection(*map(set, every)))
            q = cochran_q([[int(all(one[case])) for one in every] for case in shared])
            yield (
                f"{one_line(name)}: Cochran's Q {q.q:.2f} on {q.degrees} degrees of freedom, p"
                f" {_p(q.p)}: whether all configurations share one rate ({len(shared)} cases, passed"
                " in every trial)"
            )
        yield f"{one_line(name)}: ranks, with the ranks that other draws of the cases give"
        for one in sorted(ranks, key=lambda rank: rank.rank):
            mark = _script(one.name in scripts)
            yield f"  rank {one.rank} [{one.low} to {one.high}]  {one_line(one.name)}{mark}"


def _unpaired(entry: "UnpairedComparison", settings: "CompareSettings") -> Iterator[str]:
    """Yield what was found about two sides whose cases are not the same."""
    yield f"base {one_line(entry.base)}{_script(entry.base_is_reference_agent)}"
    yield f"head {one_line(entry.head)}{_script(entry.head_is_reference_agent)}"
    level = f"{100 * (1 - settings.alpha):g} %"
    better = "higher" if entry.higher_is_better else "lower"
    yield (
        f"  {_spoken(entry.verdict).upper()} in {one_line(entry.measure)}: cases passed in every trial"
        f" {entry.base_passed}/{entry.base_cases} -> {entry.head_passed}/{entry.head_cases}"
        f" ({better} is better); the cases are not paired"
    )
    low, high = entry.interval
    yield (
        f"  difference {entry.difference:+.3f}, {level} interval {low:+.3f} to {high:+.3f}"
        " (Newcombe's hybrid score)"
    )
    cases = f"{entry.base_cases} and {entry.head_cases} cases"
    yield (
        f"  detectable {entry.detectable:.3f} with {cases}; needed for {settings.difference:g}:"
        f" {entry.needed_cases} cases each"
    )
    yield from _sides(entry.base_side, entry.head_side, level)


def noise_line(
    configuration: str, measure: str, flips: float, alarms: float, splits: int, cases: int
) -> str:
    """Return what chance alone does to a configuration that is compared with itself."""
    return (
        f"{one_line(configuration)} {measure}: two trials of a case differ in {flips:.1%}; a"
        f" comparison with itself finds a difference in {alarms:.1%} of {splits} splits"
        f" ({cases} cases)"
    )


def _p(value: float | None) -> str:
    from research_eval.analysis.ruling import p_text

    return p_text(value)
