"""The sections that show scores: chosen measures together, and all of them in one long table."""

from research_eval.report.cell import Cell, Derived, Heading, Measure, Section, Sum, TableView
from research_eval.report.definition import DEFINITIONS
from research_eval.report.measure import HEADLINE, MEASURE_TABLES, MeasureTable
from research_eval.report.part import headings, mean_of, name_of
from research_eval.report.trace import Condition, Trace
from research_eval.report.view import ConfigurationView, RepeatView, RunView, ScoreView
from research_eval.report.wording import bounds_text, percent, share_text
from research_eval.scorer.support_error import MEASURED
from research_eval.scorer.worthiness import MEASURED as WORTHINESS
from research_eval.stats.agreement import corrected_rate

__all__ = ["all_scores", "headline", "measure_sections"]


def headline(view: RunView) -> TableView | None:
    """Return the table of what a reader asks for first, beside the rates of the summary."""
    found = [{score.name: score for score in c.scores} for c in view.configurations]
    shown = {
        heading: entry
        for heading, entry in HEADLINE.items()
        if any(scores.get(entry[0]) and scores[entry[0]].mean is not None for scores in found)
    }
    if not shown:
        return None
    repeats = {one.name: one for one in view.repeats}
    rows: list[tuple[Cell, ...]] = []
    for configuration, scores in zip(view.configurations, found, strict=True):
        cells = [
            cell for h, (name, _) in shown.items() for cell in _glance(view, h, scores.get(name))
        ]
        if repeats:
            cells.append(_every(configuration, repeats.get(configuration.name)))
        cells += [
            mean_of(configuration, configuration.totals["turns"]),
            Sum(configuration.totals["cost_usd"]),
        ]
        rows.append((name_of(configuration), *cells))
    titles = [Heading(heading, meaning) for heading, (_, meaning) in shown.items()]
    if "RED" in shown:
        titles.insert([*shown].index("RED") + 1, headings(("RED, corrected",))[0])
    if repeats:
        k = view.manifest.trials
        titles.append(Heading(f"pass^{k}", f"Cases of which all {k} trials passed in the end."))
    titles += headings(("turns", "cost usd"))
    return TableView("At a glance", (*headings(("configuration",)), *titles), tuple(rows))


def _glance(view: RunView, heading: str, score: ScoreView | None) -> list[Cell]:
    """Return the cells of one heading: RED stands beside what it is without the check's errors."""
    return [_measure(score), _red_corrected(view, score)] if heading == "RED" else [_measure(score)]


def _every(configuration: ConfigurationView, one: RepeatView | None) -> Cell:
    if one is None:
        return ""
    where = Condition("configuration", (configuration.name,))
    trace = Trace(where=(where,)).summing("final_passed")
    bounds = bounds_text(one.every_low, one.every_high)
    return Derived(percent(one.every), one.every, trace, bounds, one.cases)


def measure_sections(view: RunView) -> list[Section]:
    """Return one section for each group of measures that some configuration has."""
    found = (_measures(view, table) for table in MEASURE_TABLES)
    return [section for section in found if section is not None]


def _measures(view: RunView, table: MeasureTable) -> Section | None:
    """Return the section of one table of scores, without the columns that no trial has."""
    found = [{score.name: score for score in c.scores} for c in view.configurations]
    shown = {
        heading: (name, meaning)
        for heading, (name, meaning) in table.columns.items()
        if any(name in scores and _is_worth(scores[name], table) for scores in found)
    }
    if not shown:
        return None
    rows: list[tuple[Cell, ...]] = []
    has_f = table.id == "correctness" and "accuracy" in shown
    for configuration, scores in zip(view.configurations, found, strict=True):
        cells = [_measure(scores.get(name)) for name, _ in shown.values()]
        if has_f:
            cells.insert(2, _f_score(configuration, scores))
        rows.append((name_of(configuration), *cells))
    titles = [Heading(heading, meaning) for heading, (_, meaning) in shown.items()]
    if has_f:
        titles.insert(2, Heading("F", DEFINITIONS["F"]))
    whole = TableView(table.title, (*headings(("configuration",)), *titles), tuple(rows))
    beside = {
        "support": _support_errors,
        "citation-quality": _support_errors,
        "page-use": _support_errors,
        "grounded-correctness": _support_errors,
        "coverage": _worthiness_error,
    }.get(table.id)
    tables = [whole]
    if table.id == "support" and (corrected := _corrected(view, found)):
        tables.append(corrected)
    if beside:
        tables.append(beside())
    return Section(table.id, table.title, table.note, tuple(tables))


def _corrected(view: RunView, found: list[dict[str, ScoreView]]) -> TableView | None:
    """Return the share of unsupported pairs with the check's own errors taken out."""
    errors = MEASURED[0]
    rows: list[tuple[Cell, ...]] = []
    for configuration, scores in zip(view.configurations, found, strict=True):
        red = scores.get("support_red")
        cell = _red_corrected(view, red, in_words=True)
        if red is not None and cell:
            rows.append((name_of(configuration), Measure(red), cell))
    if not rows:
        return None
    caption = f"Unsupported pairs, corrected for the errors of the check on {errors.labelled_set}"
    return TableView(caption, headings(("configuration", "RED", "corrected")), tuple(rows))


def _red_corrected(view: RunView, red: ScoreView | None, *, in_words: bool = False) -> Cell:
    """Return the share of unsupported pairs, corrected, with its interval.

    With `in_words` it is said where the observed share lies beyond what the errors leave possible.
    """
    if red is None or red.mean is None or not red.is_share:
        return ""
    n = red.effective
    validation = MEASURED[0].as_validation()
    estimate = corrected_rate(red.mean * n, n, validation, seed=view.manifest.seed)
    if estimate is None:
        return ""
    bounds = bounds_text(estimate.low, estimate.high)
    if in_words and estimate.high == 0:
        bounds = "fewer than the check's own false alarms"
    elif in_words and estimate.low == 1:
        bounds = "more than the check finds where all are unsupported"
    return Derived(percent(estimate.value), estimate.value, red.trace, bounds, round(red.weight))


def _f_score(configuration: ConfigurationView, scores: dict[str, ScoreView]) -> Cell:
    """Return the harmonic mean of accuracy and precision, with an interval over cases."""
    f, correct = configuration.f, scores.get("correct")
    if f is None or correct is None:
        return ""
    return Derived(percent(f.value), f.value, correct.trace, bounds_text(f.low, f.high), f.n)


def _worthiness_error() -> TableView:
    """Return how far the choice of check-worthy sentences agrees with people."""
    names = ("labelled set", "sentences", "agreement", "kappa", "precision", "recall")
    row = (
        WORTHINESS.labelled_set,
        str(WORTHINESS.total),
        share_text(WORTHINESS.both + WORTHINESS.neither, WORTHINESS.total),
        f"{WORTHINESS.kappa or 0:.2f}",
        share_text(WORTHINESS.both, WORTHINESS.both + WORTHINESS.proxy_alone),
        share_text(WORTHINESS.both, WORTHINESS.both + WORTHINESS.people_alone),
    )
    caption = "How far the choice of check-worthy sentences agrees with experts"
    return TableView(caption, headings(names), (row,))


def _support_errors() -> TableView:
    """Return how often the support check errs, as measured against people."""
    names = ["labelled set", "claims", "RED that people call unsupported"]
    names += ["GREEN that people call supported", "UNDECIDED"]
    rows = tuple(
        (
            one.labelled_set,
            str(one.red.total + one.green.total + one.undecided.total),
            share_text(one.red.unsupported, one.red.total),
            share_text(one.green.supported, one.green.total),
            str(one.undecided.total),
        )
        for one in MEASURED
    )
    return TableView("How often this check errs, measured against people", headings(names), rows)


def _is_worth(score: ScoreView, table: MeasureTable) -> bool:
    return bool(score.mean) if table.skips_zero else score.mean is not None


def _measure(score: ScoreView | None) -> Cell:
    if score is None:
        return ""
    return score.rate if score.rate is not None else Measure(score)


def all_scores(view: RunView) -> Section | None:
    """Return every score of every configuration, with what is missing."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name_of(c), score.name, _measure(score), score.scored, *score.unscored.values())
        for c in view.configurations
        for score in c.scores
    )
    if not rows:
        return None
    causes = ("undecided", "not applicable", "failed")
    titles = headings(("configuration", "score", "rate or mean", "scored", *causes))
    table = TableView("Every score", titles, rows, is_long=True)
    note = "Rates where every value is yes or no, means elsewhere, each with its interval."
    return Section("scores", "All scores", note, (table,))
