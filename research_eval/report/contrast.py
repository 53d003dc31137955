"""The sections that set configurations, languages and tags against each other."""

from collections.abc import Callable

from research_eval.analysis.comparison import Rank
from research_eval.analysis.difference import MeasureComparison
from research_eval.analysis.resilience import Resilience
from research_eval.analysis.ruling import p_text
from research_eval.analysis.wording import power_note
from research_eval.report.cell import Cell, Derived, Heading, Name, Section, TableView
from research_eval.report.heading import DEFINITIONS, headings, name_of
from research_eval.report.trace import Condition, Trace
from research_eval.report.view import ConfigurationView, GroupView, RunView
from research_eval.report.wording import (
    DASH,
    NOTHING,
    bounds_text,
    detectable_text,
    needed_text,
    percent,
)

__all__ = ["comparison_section", "group_section", "repeat_section", "resilience_section"]


def comparison_section(view: RunView) -> Section | None:
    """Return the paired differences from the first configuration, and the ranks."""
    if not view.differences:
        return None
    names = _names(view)
    base = view.differences[0].base
    titles = ["configuration", "measure", "difference", "interval", "p"]
    titles += ["detectable", "needed for 10 points", "paired cases", "verdict"]
    rows = tuple(
        _difference_row(view, base, names[one.head], entry)
        for one in view.differences
        for entry in one.measures
    )
    caption = f"Differences from {base}, in percentage points"
    tables = [TableView(caption, headings(titles), rows)]
    if view.ranks:
        ranked = tuple(_rank_row(names[one.name], one) for one in view.ranks)
        caption = "Ranks by the first attempt"
        tables.append(TableView(caption, headings(("configuration", "rank", "cases")), ranked))
    note = (
        "Reference agents take no part. Case by case against the first configuration, each case once "
        "whatever its trials: intervals by Student's t, p by permutation, corrected (Holm) for the "
        "comparisons made at once. Detectable: the difference that so many cases show with a chance "
        "of 80 %, by the variance between cases seen here; smaller ones can stay hidden. Needed: the "
        "cases that show a difference of 10 percentage points with that chance."
    )
    return Section("comparison", "Comparison", note, tuple(tables))


def _difference_row(
    view: RunView, base: str, head: Name, one: MeasureComparison
) -> tuple[Cell, ...]:
    where = Condition("configuration", (base, head.text))
    trace = Trace(where=(where,), measure=one.measure)
    bounds = NOTHING
    if one.interval is not None:
        bounds = f"{100 * one.interval[0]:+.1f} to {100 * one.interval[1]:+.1f}"
    return (
        head,
        view.run.known.of(one.measure).heading,
        _points(one.difference, trace),
        bounds,
        NOTHING if one.p is None else p_text(one.p),
        detectable_text(one.detectable, is_bound=one.is_bound),
        needed_text(one.needed_cases, is_bound=one.is_bound),
        str(one.cases),
        one.verdict.replace("_", " "),
    )


def _points(difference: float | None, trace: Trace) -> Derived:
    text = NOTHING if difference is None else f"{100 * difference:+.1f}"
    return Derived(text, difference, trace)


def _rank_row(name: Name, one: Rank) -> tuple[Cell, ...]:
    trace = _trials_of(name).summing("first_attempt_passed")
    text = f"{one.rank} ({one.low}{DASH}{one.high})" if one.low < one.high else str(one.rank)
    return (name, Derived(text, one.rank, trace), str(one.cases))


def resilience_section(view: RunView) -> Section | None:
    """Return what faults cost the configurations that ran with and without them."""
    if not view.resilience:
        return None
    names = _names(view)
    titles = ["configuration", "fault", "without it", "measure", "rate without", "rate under it"]
    titles += ["resilience", "resilience, strict", "detectable", "needed for 10 points"]
    titles += ["paired cases", "judged under it"]
    rows = tuple(_resilience_row(view, names, one) for one in view.resilience)
    level = f"{100 * view.settings.confidence:g} %"
    note = (
        "The same agent on the same cases, with a fault and without: resilience is the rate under "
        f"the fault divided by the rate without it, with a {level} interval by Student's t over "
        "cases. 1 means that the fault cost nothing. Strict: of all planned trials, where one that "
        "broke has passed nothing. Detectable: the loss of the rate, in percentage points, that so many "
        "cases show with a chance of 80 %."
    )
    table = TableView("Resilience by fault, paired by case", headings(titles), rows)
    return Section("resilience", "Resilience to faults", note, (table,))


def _resilience_row(view: RunView, names: dict[str, Name], one: Resilience) -> tuple[Cell, ...]:
    where = Condition("configuration", (one.clean, one.faulted))
    trace = Trace(where=(where,), measure=one.measure)
    clean, faulted = (
        Trace(where=(Condition("configuration", (name,)),), measure=one.measure)
        for name in (one.clean, one.faulted)
    )
    return (
        names[one.faulted],
        "; ".join(one.faults),
        one.clean,
        view.run.known.of(one.measure).heading,
        _rate_cell(one.clean_rate, one.clean_interval, clean, one.cases),
        _rate_cell(one.faulted_rate, one.faulted_interval, faulted, one.cases),
        _ratio_cell(one.ratio, one.interval, trace, one.cases),
        _ratio_cell(one.strict_ratio, one.strict_interval, trace, one.cases),
        detectable_text(one.detectable, is_bound=one.is_bound),
        needed_text(one.needed_cases, is_bound=one.is_bound),
        str(one.cases),
        percent(one.faulted_coverage),
    )


def _rate_cell(
    rate: float | None, interval: tuple[float, float] | None, trace: Trace, cases: int
) -> Derived:
    low, high = interval or (None, None)
    return Derived(percent(rate), rate, trace, bounds_text(low, high), cases)


def _ratio_cell(
    ratio: float | None,
    interval: tuple[float, float] | None,
    trace: Trace,
    cases: int,
) -> Derived:
    low, high = interval or (None, None)
    bounds = "" if low is None or high is None else f"{low:.2f}{DASH}{high:.2f}"
    return Derived(NOTHING if ratio is None else f"{ratio:.2f}", ratio, trace, bounds, cases)


def repeat_section(view: RunView) -> Section | None:
    """Return how the trials of one case agree."""
    if not any(c.repeats for c in view.configurations):
        return None
    k = view.manifest.trials
    titles = (
        Heading("configuration", DEFINITIONS["configuration"]),
        Heading(f"pass^{k}", f"Share of the cases of which all {k} trials passed in the end."),
        Heading(f"pass@{k}", f"Share of the cases of which at least one of {k} trials passed."),
        Heading("cases", f"Cases with all {k} trials judged."),
    )
    rows = tuple(_repeat_row(one) for one in view.configurations)
    note = (
        f"pass^{k} is C(c, {k}) / C(n, {k}) averaged over cases and pass@{k} is "
        f"1 - C(n - c, {k}) / C(n, {k}), with n judged trials of a case of which c passed; "
        "intervals over cases."
    )
    table = TableView("Agreement of repeated trials", titles, rows)
    return Section("repeats", "Repeated trials", note, (table,))


def _repeat_row(configuration: ConfigurationView) -> tuple[Cell, ...]:
    name, one = name_of(configuration), configuration.repeats
    if one is None:
        return (name, "", "", "0")
    trace = _trials_of(name).summing("final_passed")
    cells = (
        Derived(percent(e.value), e.value, trace, bounds_text(e.low, e.high), e.n)
        for e in (one.every, one.some)
    )
    return (name, *cells, str(one.every.n))


def group_section(view: RunView) -> Section | None:
    """Return the pass rates by language and by tag."""
    tables = []
    languages = _values(view, lambda c: c.by_language)
    if len(languages) > 1:
        titles = ("configuration", *languages)
        rows = tuple(_language_row(c, languages) for c in view.configurations)
        tables.append(TableView("First attempt by language", headings(titles), rows))
    tags = _values(view, lambda c: c.by_tag)
    if tags:
        titles = ("configuration", "tag", "first attempt", "final")
        rows = tuple(row for c in view.configurations for row in _tag_rows(c))
        tables.append(TableView("By tag", headings(titles), rows, is_long=True))
    if not tables:
        return None
    note = (
        "Small groups have wide intervals; differences between them are for looking, not for proof."
    )
    if len(view.configurations) > 1:
        note += f" {power_note(_largest_group(view), view.manifest.trials)} That is the largest group; the others show less."
    return Section("groups", "By language and tag", note, tuple(tables))


def _largest_group(view: RunView) -> int:
    """Return how many cases the largest language or tag has that is not all of them."""
    members: dict[object, set[str]] = {}
    for row in view.rows:
        tags = row.fact("tags")
        for group in (row.fact("language"), *(tags if isinstance(tags, tuple) else ())):
            members.setdefault(group, set()).add(row.key.case_id)
    sizes = [len(cases) for group, cases in members.items() if group is not None]
    return max(sizes, default=len(view.manifest.case_ids))


def _values(view: RunView, of: Callable[[ConfigurationView], dict[str, GroupView]]) -> list[str]:
    return sorted({name for configuration in view.configurations for name in of(configuration)})


def _language_row(configuration: ConfigurationView, languages: list[str]) -> tuple[Cell, ...]:
    found = configuration.by_language
    cells = (found[name].first if name in found else "" for name in languages)
    return (name_of(configuration), *cells)


def _tag_rows(configuration: ConfigurationView) -> list[tuple[Cell, ...]]:
    return [
        (name_of(configuration), tag, group.first, group.final)
        for tag, group in configuration.by_tag.items()
    ]


def _trials_of(name: Name) -> Trace:
    return Trace(where=(Condition("configuration", (name.text,)),))


def _names(view: RunView) -> dict[str, Name]:
    return {configuration.name: name_of(configuration) for configuration in view.configurations}
