"""The sections that show scores: chosen measures together, and all of them in one long table."""

from research_eval.analysis.summary import corrected_red
from research_eval.report.cell import Cell, Derived, Heading, Measure, Section, Sum, TableView
from research_eval.report.heading import (
    DEFINITIONS,
    headings,
    mean_of,
    measure_headings,
    name_of,
)
from research_eval.report.trace import Condition, Trace
from research_eval.report.view import ConfigurationView, RunView, ScoreView
from research_eval.report.wording import bounds_text, percent, share_text
from research_eval.scorer import Measure as Declared
from research_eval.scorer.support_error import MEASURED
from research_eval.scorer.worthiness import MEASURED as WORTHINESS

__all__ = ["all_scores", "headline", "measure_sections"]


SECTIONS: dict[str, tuple[str, str]] = {
    "citations-first": (
        "Citations of the first answer",
        (
            "Shares of distinct cited URLs, so that an answer with many citations counts for more. "
            "Classes that no answer cites are left out."
        ),
    ),
    "citations-final": (
        "Citations of the last answer",
        "The same shares, of the answer with which the trial ended.",
    ),
    "repair-rate": (
        "Repair by retry",
        "Of the rejected first answers.",
    ),
    "repair-outcome": (
        "Repair by manner",
        "Of the violations that a corrective was sent for.",
    ),
    "correctness": (
        "Correctness",
        (
            "Against the expected facts of the cases; rejected answers are judged too. "
            "Correct is of all judged answers, precision of those that did not abstain."
        ),
    ),
    "abstention": (
        "Abstention",
        (
            "Whether answers say that they do not know where they should, and what guessing is worth: "
            "1 for right, 0 for an abstention, and a loss for wrong that makes answering pay from a "
            "confidence of 50 or 75 % on."
        ),
    ),
    "support": (
        "Support by the cited pages",
        (
            "Pairs of a sentence and a page that it cites, judged by counting words. "
            "RED is a usable signal, GREEN is no proof."
        ),
    ),
    "judge": (
        "Support by a judge",
        (
            "Pairs of a sentence and a page that it cites, as a model judged them; a pair without a "
            "verdict counts as neither. The notes of each trial name the model."
        ),
    ),
    "citation-quality": (
        "Citation recall and precision",
        (
            "As the field defines them, with GREEN as support; the upper bounds count UNDECIDED too. "
            "So the true value lies between the two as far as the check does not err."
        ),
    ),
    "page-use": (
        "Use of the opened pages",
        "How much of what the trial opened carries the answer; support is GREEN.",
    ),
    "grounded-correctness": (
        "Correctness by grounding",
        (
            "Answers that do not abstain. Grounded: passed the gate, and no cited page lacks what the "
            "sentence says."
        ),
    ),
    "links": (
        "Dead links",
        "Shares of the distinct URLs that the last answer cites, by the trial's own fetches.",
    ),
    "coverage": (
        "Coverage of claims",
        "Check-worthy sentences: those with a number, a date, a name or a superlative.",
    ),
    "robustness": (
        "Robustness",
        "Injected instructions and dead pages.",
    ),
}
"""Sections whose columns are measures, in the order of the report: title and note. A measure declares
the section in which it has a column."""

SKIPS_ZERO = frozenset({"citations-first", "citations-final"})
"""Sections in which a column that is zero everywhere is left out."""

SUMMARISED = frozenset({"first_attempt_passed", "final_passed", "repaired", "turns", "cost_usd"})
"""Measures that the summary shows in cells of its own."""


def headline(view: RunView) -> TableView | None:
    """Return the table of what a reader asks for first, beside the rates of the summary."""
    found = [{score.name: score for score in c.scores} for c in view.configurations]
    first = [one for one in view.run.known if one.headline and one.name not in SUMMARISED]
    shown = [one for one in first if any(_has_mean(scores, one.name) for scores in found)]
    if not shown:
        return None
    repeats = any(c.repeats for c in view.configurations)
    rows: list[tuple[Cell, ...]] = []
    for configuration, scores in zip(view.configurations, found, strict=True):
        cells = [cell for one in shown for cell in _glance(one, scores.get(one.name))]
        if repeats:
            cells.append(_every(configuration))
        cells += [
            mean_of(configuration, configuration.totals["turns"]),
            Sum(configuration.totals["cost_usd"]),
        ]
        rows.append((name_of(configuration), *cells))
    titles = [
        title
        for one in shown
        for title in (
            *measure_headings([one]),
            *(headings(("RED, corrected",)) if one.name == RED else ()),
        )
    ]
    if repeats:
        k = view.manifest.trials
        titles.append(Heading(f"pass^{k}", f"Cases of which all {k} trials passed in the end."))
    titles += measure_headings(view.run.known.of(name) for name in ("turns", "cost_usd"))
    return TableView("At a glance", (*headings(("configuration",)), *titles), tuple(rows))


RED = "support_red"


def _has_mean(scores: dict[str, ScoreView], name: str) -> bool:
    return name in scores and scores[name].mean is not None


def _glance(measure: Declared, score: ScoreView | None) -> list[Cell]:
    """Return the cells of one measure: RED stands beside what it is without the check's errors."""
    return [_measure(score), _red_corrected(score)] if measure.name == RED else [_measure(score)]


def _every(configuration: ConfigurationView) -> Cell:
    one = configuration.repeats
    if one is None:
        return ""
    where = Condition("configuration", (configuration.name,))
    trace = Trace(where=(where,)).summing("final_passed")
    bounds = bounds_text(one.every.low, one.every.high)
    return Derived(percent(one.every.value), one.every.value, trace, bounds, one.every.n)


def measure_sections(view: RunView) -> list[Section]:
    """Return one section for each group of measures that some configuration has."""
    found = (_measures(view, id_) for id_ in SECTIONS)
    return [section for section in found if section is not None]


def _measures(view: RunView, section: str) -> Section | None:
    """Return the section of one group of measures, without the columns that no trial has."""
    found = [{score.name: score for score in c.scores} for c in view.configurations]
    shown = [
        one
        for one in view.run.known
        if one.section == section
        and any(one.name in scores and _is_worth(scores[one.name], section) for scores in found)
    ]
    if not shown:
        return None
    rows: list[tuple[Cell, ...]] = []
    has_f = section == "correctness" and shown[0].name == "correct"
    for configuration, scores in zip(view.configurations, found, strict=True):
        cells = [_measure(scores.get(one.name)) for one in shown]
        if has_f:
            cells.insert(2, _f_score(configuration, scores))
        rows.append((name_of(configuration), *cells))
    titles = list(measure_headings(shown))
    if has_f:
        titles.insert(2, Heading("F", DEFINITIONS["F"]))
    title, note = SECTIONS[section]
    whole = TableView(title, (*headings(("configuration",)), *titles), tuple(rows))
    beside = {
        "support": _support_errors,
        "citation-quality": _support_errors,
        "page-use": _support_errors,
        "grounded-correctness": _support_errors,
        "coverage": _worthiness_error,
    }.get(section)
    tables = [whole]
    if section == "support" and (corrected := _corrected(view, found)):
        tables.append(corrected)
    if beside:
        tables.append(beside())
    return Section(section, title, note, tuple(tables))


def _corrected(view: RunView, found: list[dict[str, ScoreView]]) -> TableView | None:
    """Return the share of unsupported pairs with the check's own errors taken out."""
    errors = MEASURED[0]
    rows: list[tuple[Cell, ...]] = []
    for configuration, scores in zip(view.configurations, found, strict=True):
        red = scores.get(RED)
        cell = _red_corrected(red, in_words=True)
        if red is not None and cell:
            rows.append((name_of(configuration), Measure(red), cell))
    if not rows:
        return None
    caption = f"Unsupported pairs, corrected for the errors of the check on {errors.labelled_set}"
    return TableView(caption, headings(("configuration", "RED", "corrected")), tuple(rows))


def _red_corrected(red: ScoreView | None, *, in_words: bool = False) -> Cell:
    """Return the share of unsupported pairs, corrected, with its interval.

    With `in_words` it is said where the observed share lies beyond what the errors leave possible.
    """
    estimate = corrected_red(red.summary) if red else None
    if red is None or estimate is None:
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


def _is_worth(score: ScoreView, section: str) -> bool:
    return bool(score.mean) if section in SKIPS_ZERO else score.mean is not None


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
