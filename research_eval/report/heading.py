"""Headings with their meanings, and names with their labels: what the tables of every section share."""

from collections.abc import Iterable, Sequence

from research_eval.report.cell import Heading, Mean, Measure, Name
from research_eval.report.trace import Total
from research_eval.report.view import ConfigurationView, RunView
from research_eval.report.wording import labels
from research_eval.scorer import Measure as Declared

__all__ = ["DEFINITIONS", "definitions", "headings", "mean_of", "measure_headings", "name_of"]

DEFINITIONS: dict[str, str] = {
    "configuration": "Model, agent settings, gate, search chain and fetch settings together.",
    "judged": "Planned trials that have a verdict; the others failed by infrastructure or did not run.",
    "errors": "Trials that the infrastructure broke; never counted as dishonest.",
    "first attempt, strict": "The same successes, of all planned trials.",
    "final, strict": "The same successes, of all planned trials.",
    "not run": "Planned trials that are not in the journal.",
    "served by": "The model that the replies name; the provider chose it for the one asked for.",
    "failure": "The kind of the failure, in a stable word.",
    "first trial": "The first trial that met it.",
    "what failed said": "The first line of its message, without keys.",
    "measure": "What is compared.",
    "difference": "This configuration minus the first one, mean over the cases of both.",
    "interval": "Of the difference, by Student's t over cases.",
    "p": "Chance of such a difference if there were none: paired permutation, corrected (Holm).",
    "detectable": "Difference that this many cases show with a chance of 80 %; \N{LESS-THAN OR EQUAL TO} where no case differs from another.",
    "needed for 10 points": "Cases that show a difference of 10 percentage points with that chance.",
    "paired cases": "Cases that both configurations have values for.",
    "fault": "What goes wrong, on purpose and repeatably, in this configuration.",
    "without it": "The configuration that differs in nothing but the fault.",
    "rate without": "Mean over the cases that were judged with and without the fault.",
    "rate under it": "The same cases under the fault.",
    "resilience": "Rate under the fault divided by the rate without it; 1 means no loss.",
    "resilience, strict": "The same over all planned trials, where one that broke has passed nothing.",
    "judged under it": "Share of the planned trials under the fault that have a verdict.",
    "verdict": "What the test says; no difference shown is no proof of none.",
    "rank": "1 is best; in brackets the ranks that other draws of the cases give.",
    "answered": "Searches whose hits came from this provider.",
    "tries: served": "Times that the provider answered with hits.",
    "tries: cached": "Times that its earlier answer came from the cache.",
    "tries: empty": "Times that it found nothing.",
    "tries: error": "Times that it failed.",
    "tries: skipped": "Times that it was not asked because its breaker was open.",
    "unmeasured requests": "Replies without usage: the totals are lower bounds.",
    "F": "Harmonic mean of accuracy and precision: neither guessing nor silence raises it.",
    "RED, corrected": "The share of RED with the check's own errors taken out, and their noise.",
    "corrected": "Rogan and Gladen's estimate of the true share, with the noise of both samples.",
    "labelled set": "Sentences or claims that people have labelled.",
    "claims": "Claims of the set.",
    "sentences": "Sentences of the set.",
    "agreement": "Sentences on which the rule and the experts agree.",
    "kappa": "Agreement beyond chance; 0 is chance, 1 is always.",
    "precision": "Of the sentences that the rule chose, those that experts would choose.",
    "recall": "Of the sentences that experts would choose, those that the rule chose.",
    "scored": "Trials with a value.",
    "undecided": "Trials on which the scorer reached no verdict.",
    "not applicable": "Trials in which there was nothing to measure; no part of the mean.",
    "failed": "Trials without a value because the infrastructure failed.",
}
"""Heading of a column that is no measure: what it counts."""


def headings(names: Sequence[str]) -> tuple[Heading, ...]:
    """Return headings, each with what it means where that is written down."""
    return tuple(Heading(name, DEFINITIONS.get(name, "")) for name in names)


def measure_headings(measures: Iterable[Declared]) -> tuple[Heading, ...]:
    """Return the headings of measures, as they are declared."""
    return tuple(Heading(one.heading, one.meaning) for one in measures)


def definitions(view: RunView) -> dict[str, str]:
    """Return what every heading of a report means."""
    found = dict(DEFINITIONS)
    for name in view.run.table.names:
        measure = view.run.known.of(name)
        found.setdefault(measure.heading, measure.meaning)
    return found


def name_of(configuration: ConfigurationView) -> Name:
    """Return a configuration's name with what a reader must know of it."""
    return Name(configuration.name, labels(configuration))


def mean_of(configuration: ConfigurationView, total: Total) -> Mean | Measure:
    """Return the mean of a column with its interval; without one where no scorer gave the column."""
    name = total.trace.measure
    found = next((score for score in configuration.scores if score.name == name), None)
    return Mean(total) if found is None or found.mean is None else Measure(found)
