"""What the tables of every section share: headings with their meanings, names with their labels."""

from collections.abc import Sequence

from research_eval.report.cell import Heading, Mean, Measure, Name
from research_eval.report.definition import DEFINITIONS
from research_eval.report.trace import Total
from research_eval.report.view import ConfigurationView
from research_eval.report.wording import labels

__all__ = ["headings", "mean_of", "name_of"]


def headings(names: Sequence[str]) -> tuple[Heading, ...]:
    """Return headings, each with what it means where that is written down."""
    return tuple(Heading(name, DEFINITIONS.get(name, "")) for name in names)


def name_of(configuration: ConfigurationView) -> Name:
    """Return a configuration's name with what a reader must know of it."""
    return Name(configuration.name, labels(configuration))


def mean_of(configuration: ConfigurationView, total: Total) -> Mean | Measure:
    """Return the mean of a column with its interval; without one where no scorer gave the column."""
    name = total.trace.measure
    found = next((score for score in configuration.scores if score.name == name), None)
    return Mean(total) if found is None or found.mean is None else Measure(found)
