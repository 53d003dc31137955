"""What `score --json` prints: every measure of every configuration, in one object of a fixed form."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt

from research_eval.analysis.summary import (
    Summary,
    calibration,
    clusters_of,
    corrected_red,
    f_score,
    reliability,
    summarise,
)
from research_eval.analysis.table import Table
from research_eval.schema import Record, RunRecord
from research_eval.scorer import Registry
from research_eval.scorer.measure import Better, Unit
from research_eval.stats.interval import Estimate
from research_eval.stats.passk import variance_components

__all__ = ["ConfigurationScores", "MeasureScores", "ScoreOutput", "score_output"]

PASSES = ("first_attempt_passed", "final_passed")
"""Measures of which repeated trials are compared."""


class EstimateOutput(Record):
    """A number with its interval."""

    value: float
    interval: tuple[float, float]
    n: int
    """What it rests on: cases, or answers."""


class MeasureScores(Record):
    """One measure of one configuration."""

    measure: str
    heading: str
    unit: Unit
    better: Better
    value: float | None
    """Mean over the trials with a value, or over their citations or claims; `null` without any."""
    interval: tuple[float, float] | None
    """95 %: of rates the score interval over the effective number of trials, of means Student's t over
    cases."""
    n: float
    """What the mean is over."""
    strict: float | None
    """Of a rate, over all planned trials to which it applies, those without a value as the worst."""
    planned: int
    run: int
    scored: int
    errors: int
    not_applicable: int
    undecided: int
    coverage: float
    """Scored of planned, as far as the measure applies."""
    is_conclusive: bool
    """Whether the coverage reaches the floor."""

    @classmethod
    def of(cls, summary: Summary, floor: float) -> "MeasureScores":
        """Return a summary as it is printed."""
        one = summary.measure
        return cls(
            measure=one.name,
            heading=one.heading,
            unit=one.unit,
            better=one.better,
            interval=summary.interval,
            coverage=summary.coverage,
            is_conclusive=summary.coverage >= floor,
            **{name: getattr(summary, name) for name in _SHARED},
        )


_SHARED = (
    "value", "n", "strict", "planned", "run", "scored", "errors", "not_applicable", "undecided",
)  # fmt: skip


class ReliabilityOutput(Record):
    """How the trials of one case agree."""

    measure: str
    k: int
    every: EstimateOutput
    """pass^k."""
    some: EstimateOutput
    """pass@k."""


class VarianceOutput(Record):
    """Where the variance of a rate lies, of the cases that have all their trials."""

    measure: str
    between: float
    """Of the cases' true rates."""
    within: float
    """Mean variance of the trials of one case."""
    cases: int


class ConfigurationScores(Record):
    """Everything that was measured of one configuration."""

    configuration: str
    is_reference_agent: bool
    """Whether a script stands in for a model: its numbers calibrate, they rank nothing."""
    planned: int
    run: int
    measures: tuple[MeasureScores, ...]
    reliability: tuple[ReliabilityOutput, ...]
    variance: tuple[VarianceOutput, ...]
    f_score: EstimateOutput | None
    """Harmonic mean of accuracy and precision."""
    support_red_corrected: EstimateOutput | None
    """The share of RED pairs without the support check's own errors."""
    calibration: Mapping[str, float | None]
    """How far stated confidence matches truth; empty where no answer states one."""
    calibration_answers: int


class ScoreOutput(Record):
    """All scores of a run."""

    schema_version: Literal[1] = 1
    experiment: str
    dataset_is_synthetic: bool
    coverage_floor: float
    configurations: tuple[ConfigurationScores, ...]


def score_output(
    table: Table, stated: Table, manifest: RunRecord, known: Registry, floor: float
) -> ScoreOutput:
    """Return every measure that a table holds, of every configuration of a run.

    Args:
        table: By case or by trial.
        stated: By trial: what answers that state a confidence stated.
        manifest: Of the run.
        known: What the measures are.
        floor: The coverage below which a value is inconclusive.
    """
    names = sorted(table.names, key=known.place)
    scripts = {one.name: one.is_reference_agent for one in manifest.configurations}
    found = {row.configuration: None for row in table.rows}
    every = [*scripts, *(name for name in found if name not in scripts)]
    configurations = []
    for name in every:
        rows = table.of(name)
        summaries = [summarise(table, known.of(one), rows, known) for one in names]
        planned, run = table.sizes(rows)
        answers, calibrated = calibration(stated, stated.of(name))
        red = next((one for one in summaries if one.measure.name == "support_red"), None)
        configurations.append(
            ConfigurationScores(
                configuration=name,
                is_reference_agent=scripts.get(name, False),
                planned=planned,
                run=run,
                measures=tuple(
                    MeasureScores.of(one, floor)
                    for one in summaries
                    if one.scored + one.errors + one.undecided
                    or not known.is_occasional(one.measure.name)
                ),
                reliability=_reliability(table, rows, manifest.trials),
                variance=_variance(table, rows, manifest.trials),
                f_score=_estimate(f_score(table, rows)),
                support_red_corrected=_estimate(corrected_red(red)),
                calibration=calibrated,
                calibration_answers=answers,
            )
        )
    return ScoreOutput(
        experiment=manifest.experiment,
        dataset_is_synthetic=manifest.dataset_is_synthetic,
        coverage_floor=floor,
        configurations=tuple(configurations),
    )


def _reliability(
    table: Table, rows: npt.NDArray[np.intp], trials: int
) -> tuple[ReliabilityOutput, ...]:
    if trials < 2:
        return ()
    return tuple(
        ReliabilityOutput(
            measure=name,
            k=one.k,
            every=_known(one.every),
            some=_known(one.some),
        )
        for name in PASSES
        for one in reliability(table, name, rows, trials)
    )


def _variance(table: Table, rows: npt.NDArray[np.intp], trials: int) -> tuple[VarianceOutput, ...]:
    found = []
    for name in PASSES:
        cases = clusters_of(table, name, rows).values()
        whole = [round(one.total) for one in cases if one.weight == trials]
        split = variance_components([[1.0] * k + [0.0] * (trials - k) for k in whole])
        if split is not None and trials > 1:
            found.append(
                VarianceOutput(
                    measure=name, between=split.between, within=split.within, cases=len(whole)
                )
            )
    return tuple(found)


def _known(one: Estimate) -> EstimateOutput:
    return EstimateOutput(value=one.value, interval=(one.low, one.high), n=one.n)


def _estimate(one: Estimate | None) -> EstimateOutput | None:
    return None if one is None else _known(one)
