"""The tables of a report, written once: Markdown and HTML show the same cells in the same order."""

from collections.abc import Callable

from research_eval.analysis.wording import power_note
from research_eval.report.aggregate import STATUSES
from research_eval.report.cell import Cell, Heading, Name, Section, Share, Sum, TableView
from research_eval.report.contrast import (
    comparison_section,
    group_section,
    repeat_section,
    resilience_section,
)
from research_eval.report.heading import headings, mean_of, name_of
from research_eval.report.score_section import all_scores, headline, measure_sections
from research_eval.report.view import ConfigurationView, RunView
from research_eval.report.wording import NOTHING, spoken_word
from research_eval.schema import Cause
from research_eval.schema.display import one_line

__all__ = ["sections"]

_Column = Callable[[ConfigurationView], Cell]


def sections(view: RunView) -> tuple[Section, ...]:
    """Return the sections of a report in their order."""
    before = (_requirements, _summary, _compared, _strict, _causes, _violations, _retries)
    after = (_work, _failover, _usage, all_scores)
    made = [make(view) for make in before]
    made += [comparison_section(view), resilience_section(view), repeat_section(view)]
    made.append(group_section(view))
    made += measure_sections(view)
    made += [make(view) for make in after]
    return tuple(section for section in made if section is not None)


def _table(view: RunView, caption: str, columns: dict[str, _Column]) -> TableView:
    rows = tuple((name_of(c), *(cell(c) for cell in columns.values())) for c in view.configurations)
    declared = {one.heading: one.meaning for one in view.run.known}
    titles = (
        Heading(name, declared[name]) if name in declared else headings([name])[0]
        for name in ("configuration", *columns)
    )
    return TableView(caption, tuple(titles), rows)


def _requirements(view: RunView) -> Section | None:
    """Return what came of the experiment's thresholds, where it has any."""
    if view.requirements is None:
        return None
    titles = (
        *headings(["configuration"]),
        Heading("ruling", "Whether it holds; skipped: nothing of this run was asked for."),
        Heading("requirement", "The threshold in the experiment's file."),
        Heading("found", "The value with its 95 % interval, or why there is none."),
    )
    rows = tuple(
        (
            Name(one.configuration),
            one.verdict,
            one.requirement,
            one.reason,
        )
        for one in view.requirements.rulings
    )
    note = "These decide the exit status: failed is 1, inconclusive is 3."
    table = TableView("Requirements", titles, rows)
    return Section("requirements", "Requirements", note, (table,))


def _summary(view: RunView) -> Section:
    columns: dict[str, _Column] = {
        "judged": lambda c: Share(c.coverage),
        "first attempt": lambda c: c.first_pass.conditional,
        "final": lambda c: c.final_pass.conditional,
        "repair": lambda c: c.repair,
        "retries": lambda c: mean_of(c, c.retries),
        "errors": lambda c: c.statuses["error"],
    }
    level = f"{100 * view.settings.confidence:g} %"
    note = f"Rates are of the judged trials, with {level} score intervals"
    if view.manifest.trials > 1:
        note += " over the effective number of trials, since trials of one case belong together"
    note += ". Repair is of the trials whose first answer failed."
    note += _detectable(view)
    table = _table(view, "Answers that cite only pages that were opened", columns)
    glance = headline(view)
    tables = (table,) if glance is None else (table, glance)
    return Section("summary", "Summary", note, tables)


def _compared(view: RunView) -> Section:
    columns: dict[str, _Column] = {
        "what it is": lambda c: c.summary.note or NOTHING,
        "model": lambda c: c.summary.model,
        "gate": lambda c: c.summary.gate,
        "search": lambda c: c.summary.search,
        "most retries": lambda c: str(c.summary.max_retries),
    }
    if any(c.served_otherwise for c in view.configurations):
        columns["served by"] = _served
    note = (
        "The gate asks whether a cited page was opened, not whether it says what the answer says: "
        "the scores further down look at that."
    )
    table = _table(view, "The configurations", columns)
    return Section("compared", "What was compared", note, (table,))


def _served(configuration: ConfigurationView) -> str:
    """Return the models that answered in the place of the one asked for, with their replies."""
    found = configuration.served_otherwise
    if len(found) == 1:
        return one_line(found[0][0], 80)
    named = [f"{one_line(name, 80)} ({replies} replies)" for name, replies in found]
    return ", ".join(named) or NOTHING


def _detectable(view: RunView) -> str:
    """Say which difference of two rates the cases of this run can show at all."""
    cases = len(view.manifest.case_ids)
    if cases < 2 or len(view.configurations) < 2:
        return ""
    return f" {power_note(cases, view.manifest.trials, len(view.configurations) - 1)}"


def _strict(view: RunView) -> Section:
    columns: dict[str, _Column] = {
        "first attempt, strict": lambda c: c.first_pass.strict,
        "final, strict": lambda c: c.final_pass.strict,
    }
    for status in STATUSES:
        if any(one.statuses[status].value for one in view.configurations):
            columns[spoken_word(status)] = _status(status)
    note = (
        "Every planned trial counts here: one that failed or was not run has passed nothing."
        " Endings that no trial had are left out."
    )
    table = _table(view, "Strict rates, and how trials ended", columns)
    return Section("endings", "Strict rates and endings", note, (table,))


def _causes(view: RunView) -> Section | None:
    if not view.causes:
        return None
    columns = ("configuration", "failure", "trials", "first trial", "what failed said")
    rows = tuple((", ".join(c.configurations), c.kind, *_met(c), c.words) for c in view.causes)
    note = "Trials that ended in an error, by cause; the text is that of the first of them."
    table = TableView("Errors by cause", headings(columns), rows)
    return Section("causes", "Errors by cause", note, (table,))


def _met(cause: Cause) -> tuple[str, str]:
    return str(cause.trials), f"{cause.first.case_id} #{cause.first.trial}"


def _status(status: str) -> _Column:
    return lambda configuration: configuration.statuses[status]


def _violations(view: RunView) -> Section | None:
    if not view.configurations:
        return None
    tables = (
        _violation_table(view, "first", "Violations of the first answer"),
        _violation_table(view, "final", "Violations of the last answer"),
    )
    note = "Answers with at least one violation of the kind, of the trials that gave an answer."
    return Section("violations", "Violations by kind", note, tables, plots=("violations",))


def _violation_table(view: RunView, when: str, caption: str) -> TableView:
    columns = [_violation(index, when) for index in range(len(view.kinds))]
    rows = tuple((name_of(c), *(cell(c) for cell in columns)) for c in view.configurations)
    titles = (Heading(kind.label, kind.meaning) for kind in view.kinds)
    return TableView(caption, (*headings(["configuration"]), *titles), rows)


def _violation(index: int, when: str) -> _Column:
    def cell(configuration: ConfigurationView) -> Cell:
        violation = configuration.violations[index]
        return violation.first if when == "first" else violation.final

    return cell


def _retries(view: RunView) -> Section:
    longest = max((len(c.retry_distribution) for c in view.configurations), default=0)
    columns: dict[str, _Column] = {"retries": lambda c: mean_of(c, c.retries)}
    for number in range(longest):
        columns["1 retry" if number == 1 else f"{number} retries"] = _retry_count(number)
    table = _table(view, "Retries a trial", columns)
    note = (
        "A retry is a second answer after a corrective; no more are made than the setting allows."
    )
    return Section("retries", "Retries and repair", note, (table,), plots=("outcomes", "slope"))


def _retry_count(number: int) -> _Column:
    def cell(configuration: ConfigurationView) -> Cell:
        return dict(configuration.retry_distribution).get(number, "")

    return cell


def _columns(view: RunView, section: str, cell: Callable[[str], _Column]) -> dict[str, _Column]:
    """Return the columns of the measures that declare a section."""
    found = [one for one in view.run.known if one.section == section]
    return {one.heading: cell(one.name) for one in found}


def _mean(column: str) -> _Column:
    return lambda configuration: mean_of(configuration, configuration.totals[column])


def _sum(column: str) -> _Column:
    return lambda configuration: Sum(configuration.totals[column])


def _work(view: RunView) -> Section:
    note = (
        "Means over the trials that ran, those that ended in an error included, each with an interval"
        " over cases where there is a spread to go by."
    )
    table = _table(view, "Work a trial", _columns(view, "work", _mean))
    return Section("work", "Work", note, (table,))


def _failover(view: RunView) -> Section | None:
    if not any(c.totals["searches"].value for c in view.configurations):
        return None
    columns = {"searches": _sum("searches"), **_columns(view, "failover", _sum)}
    first = _table(view, "Search outcomes", columns)
    note = "Sums over all trials. A search fell back when another provider than the first answered."
    return Section(
        "failover", "Search failover", note, (first, _providers(view)), plots=("served",)
    )


def _providers(view: RunView) -> TableView:
    names = ("configuration", "provider", "answered")
    outcomes = ("served", "cached", "empty", "error", "skipped")
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            name_of(c),
            p.name,
            *(Sum(one, is_count=True) for one in (p.served, *dict(p.outcomes).values())),
        )
        for c in view.configurations
        for p in c.providers
    )
    titles = headings((*names, *(f"tries: {outcome}" for outcome in outcomes)))
    return TableView("Searches by provider, and its tries by outcome", titles, rows)


def _usage(view: RunView) -> Section:
    columns = _columns(view, "usage", _sum)
    columns |= {"unmeasured requests": _sum("unmeasured_requests")}
    note = "Sums over all trials, as the providers counted."
    table = _table(view, "Model usage", columns)
    return Section("usage", "Usage", note, (table,), plots=("cost",))
