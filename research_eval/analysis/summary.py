"""What a table says of one measure of one configuration: a value, its interval, and what it is of.

There is one interval, by one policy: of a rate the score interval over the effective number of trials,
since trials of one case belong together; of a mean Student's t over cases.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from research_eval.analysis.column import CAUSES, Cells, Floats, Places
from research_eval.analysis.table import Table
from research_eval.scorer import Measure, Registry
from research_eval.scorer.confidence import NAMES as CONFIDENCE
from research_eval.scorer.correctness import f_part
from research_eval.scorer.support_error import MEASURED
from research_eval.stats.agreement import corrected_rate
from research_eval.stats.cluster import Cluster, Clusters, clustered_interval, effective_units
from research_eval.stats.confidence import (
    area_under_risk_coverage,
    expected_calibration_error,
    rms_calibration_error,
)
from research_eval.stats.interval import CONFIDENCE as LEVEL, Estimate
from research_eval.stats.passk import pass_at_k, pass_hat_k

__all__ = [
    "Reliability",
    "Summary",
    "calibration",
    "clusters_of",
    "corrected_red",
    "estimate",
    "f_score",
    "reliability",
    "summarise",
]

SEED = 1
"""Of the draws that carry the noise of the support check's own errors."""


class Summary(NamedTuple):
    """One measure of one configuration."""

    measure: Measure
    value: float | None
    """The mean over the trials with a value, or over their citations or claims."""
    low: float | None
    high: float | None
    """The interval; `None` without a value, and of a mean whose values are all the same."""
    n: float
    """What the mean is over: trials, or the citations or claims of them."""
    effective: float
    """How many independent units that is worth, since trials of one case belong together."""
    planned: int
    run: int
    scored: int
    errors: int
    """Trials without a value because the infrastructure failed."""
    not_applicable: int
    """Trials in which there was nothing to measure, planned ones that did not run among them."""
    undecided: int
    """Trials on which the scorer reached no verdict."""
    strict: float | None
    """Of a rate, over all planned trials to which it applies, those without a value as the worst."""
    strict_interval: tuple[float, float] | None = None

    @property
    def coverage(self) -> float:
        """The share of the planned trials, as far as the measure applies, that were scored."""
        applicable = self.planned - self.not_applicable
        return self.scored / applicable if applicable > 0 else 1.0

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both bounds, where there are any."""
        return None if self.low is None or self.high is None else (self.low, self.high)


class Reliability(NamedTuple):
    """How the trials of one case agree: of cases with at least `k` judged trials."""

    k: int
    every: Estimate
    """pass^k: the share of cases of which `k` trials all pass."""
    some: Estimate
    """pass@k: the share of cases of which at least one of `k` trials passes."""


def clusters_of(table: Table, name: str, rows: Places) -> dict[str, Cluster]:
    """Return what each case adds to the mean of a measure; without cases that have no value."""
    cases, _ = table.cases(rows)
    sums, has_value = _sums(table.at(name, rows), table.cases(rows))
    found = zip(cases, sums.tolist(), has_value.tolist(), strict=True)
    return {case: Cluster(*one) for case, one, is_there in found if is_there}


def _sums(cells: Cells, cases: tuple[list[str], Places]) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return total and weight of each case, and whether it has a value at all."""
    names, places = cases
    sums = np.zeros((len(names), 2))
    sums[:, 0] = np.bincount(places, cells.total, len(names))
    sums[:, 1] = np.bincount(places, cells.weight, len(names))
    return sums, np.bincount(places, cells.scored, len(names)) > 0


def estimate(
    clusters: Clusters, *, is_rate: bool, lowest: float = -math.inf, level: float = LEVEL
) -> Estimate | None:
    """Return the ratio of the sums with its interval, by the one policy; `None` without weight.

    Where no interval can be had, both bounds are the value.
    """
    held = np.asarray(clusters, np.float64).reshape(-1, 2)
    total, weight = (math.fsum(column) for column in held.T.tolist())
    if weight <= 0:
        return None
    value = total / weight
    bounds = clustered_interval(held, is_rate=is_rate, confidence=level, lowest=lowest)
    return Estimate(value, *(bounds or (value, value)), len(held))


def summarise(
    table: Table, measure: Measure, rows: Places, known: Registry, level: float = LEVEL
) -> Summary:
    """Return what a table says of a measure over some rows, all of one configuration."""
    cells = table.at(measure.name, rows)
    sums, has_value = _sums(cells, table.cases(rows))
    clusters = sums[has_value]
    found = estimate(clusters, is_rate=measure.is_rate, lowest=measure.lowest, level=level)
    has_bounds = found is not None and (measure.is_rate or found.low < found.high)
    counts = dict(zip(("scored", *CAUSES), cells.counts.sum(axis=1).tolist(), strict=True))
    planned, run = table.sizes(rows)
    if known.is_occasional(measure.name):
        counts["not_applicable"] = (
            planned - counts["scored"] - counts["error"] - counts["undecided"]
        )
    weight = math.fsum(clusters[:, 1].tolist())
    strict = _strict(table, cells, measure, rows, known, level)
    effective = effective_units(clusters, level) if measure.is_rate else float(len(clusters))
    return Summary(
        measure=measure,
        value=found.value if found else None,
        low=found.low if has_bounds and found else None,
        high=found.high if has_bounds and found else None,
        n=weight,
        effective=effective,
        planned=planned,
        run=run,
        scored=counts["scored"],
        errors=counts["error"],
        not_applicable=counts["not_applicable"],
        undecided=counts["undecided"],
        strict=strict.value if strict else None,
        strict_interval=(strict.low, strict.high) if strict else None,
    )


def _strict(
    table: Table, cells: Cells, measure: Measure, rows: Places, known: Registry, level: float
) -> Estimate | None:
    """Return a rate over all planned trials to which it applies; `None` where there is no worst value."""
    counts = cells.counts
    if measure.worst is None or cells.weight.sum() != counts[0].sum():
        return None
    applicable = table.planned(rows) - counts[2]
    if known.is_occasional(measure.name):
        applicable = counts[0] + counts[1] + counts[3]
    _, places = table.cases(rows)
    whole = cells.total + measure.worst * (applicable - counts[0])
    sums: Floats = np.column_stack((np.bincount(places, whole), np.bincount(places, applicable)))
    return estimate(sums, is_rate=True, level=level)


def reliability(
    table: Table, name: str, rows: Places, most: int, level: float = LEVEL
) -> list[Reliability]:
    """Return pass^k and pass@k for each k up to `most`, over the cases with so many trials."""
    cases = [
        (round(one.weight), round(one.total)) for one in clusters_of(table, name, rows).values()
    ]
    found = []
    for k in range(1, most + 1):
        whole = [case for case in cases if case[0] >= k]
        every, some = (
            estimate([Cluster(of(n, c, k), 1.0) for n, c in whole], is_rate=True, level=level)
            for of in (pass_hat_k, pass_at_k)
        )
        if every and some:
            found.append(Reliability(k, every, some))
    return found


def f_score(table: Table, rows: Places, level: float = LEVEL) -> Estimate | None:
    """Return the harmonic mean of accuracy and precision, a ratio of sums over cases.

    Its `n` is the number of judged answers.
    """
    rulings = [clusters_of(table, name, rows) for name in ("correct", "incorrect", "abstained")]
    parts = [
        Cluster(*f_part(*(one[case].total if case in one else 0.0 for one in rulings)))
        for case in rulings[0]
    ]
    found = estimate(parts, is_rate=True, level=level)
    answers = round(math.fsum(one.weight for one in rulings[0].values()))
    return found._replace(n=answers) if found else None


def corrected_red(summary: Summary | None, level: float = LEVEL) -> Estimate | None:
    """Return the share of RED pairs with the support check's own errors taken out.

    Source: Rogan and Gladen, Am J Epidemiol 107:71 (1978), by the errors on people's labels.
    """
    if summary is None or summary.value is None or not summary.effective:
        return None
    n = summary.effective
    validation = MEASURED[0].as_validation()
    return corrected_rate(summary.value * n, n, validation, seed=SEED, confidence=level)


def calibration(stated: Table, rows: Places) -> tuple[int, Mapping[str, float | None]]:
    """Return how many answers state a confidence, and how far it matches truth over all of them."""
    said = {row: value for row, value, _ in stated.cells(CONFIDENCE[0], rows)}
    right = {row: value == 1 for row, value, _ in stated.cells(CONFIDENCE[1], rows)}
    both = sorted(said.keys() & right.keys())
    if not both:
        return 0, {}
    pairs = ([said[row] for row in both], [right[row] for row in both])
    return len(both), {
        "expected calibration error": expected_calibration_error(*pairs),
        "RMS calibration error": rms_calibration_error(*pairs),
        "area under risk and coverage": area_under_risk_coverage(*pairs),
    }
