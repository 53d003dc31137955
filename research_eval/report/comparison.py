"""Configurations of one run against each other: paired differences, ranks, costs of faults.

Reference agents are neither compared with models nor ranked: their numbers calibrate. This module
loads statsmodels, so it is imported for a run that has something to compare.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from research_eval.journal import RunFolder
from research_eval.report.repeat import Groups
from research_eval.report.row import UNSCORED, WEIGHT, TrialRow
from research_eval.report.view import (
    DifferenceView,
    RankView,
    ReportSettings,
    ResilienceView,
)
from research_eval.schema import ConfigurationSummary, RunRecord, Score
from research_eval.scorer.compare import (
    CompareSettings,
    Comparison,
    Plan,
    Resilience,
    Side,
    clean_twins,
    compare_sides,
    resilience,
)
from research_eval.scorer.protocol import inapplicable, scored
from research_eval.stats import rank_intervals

__all__ = ["MEASURES", "costs_of_faults", "differences", "ranks"]

MEASURES = ("first_attempt_passed", "final_passed")
"""What configurations are compared by."""
UNDER_FAULTS = (*MEASURES, "correct_and_clean")
"""What is compared with and without a fault."""


def differences(
    manifest: RunRecord, groups: Groups, settings: ReportSettings
) -> tuple[DifferenceView, ...]:
    """Return how each configuration differs from the first one, case by case."""
    sides = [_side(manifest, summary, rows) for summary, rows in groups]
    how = CompareSettings(
        measures=MEASURES,
        alpha=round(1 - settings.confidence, 12),
        coverage_floor=settings.coverage_floor,
        seed=manifest.seed,
    )
    base, *heads = sides
    compared = compare_sides(base, heads, how)
    return tuple(
        view
        for head, comparison in zip(heads, compared, strict=True)
        for view in _views(base, head, comparison)
    )


def _side(manifest: RunRecord, summary: ConfigurationSummary, rows: Sequence[TrialRow]) -> Side:
    side = Side(RunFolder(Path()), manifest, summary, Plan.of(manifest))
    for row in rows:
        if row.fact("status") != "not_run":
            place = (row.key.case_id, row.key.trial)
            side.add(place, _scores(row), is_broken=row.fact("status") == "error")
    return side


def _scores(row: TrialRow) -> Iterator[Score]:
    for name in UNDER_FAULTS:
        value, weight = row.fact(name), row.fact(WEIGHT + name)
        if isinstance(value, int | float):
            yield scored(name, value, weight if isinstance(weight, int | float) else 1.0)
        elif row.fact(UNSCORED + name) == "not_applicable":
            yield inapplicable(name, "")


def _views(base: Side, head: Side, comparison: Comparison) -> list[DifferenceView]:
    return [
        DifferenceView(
            base=base.configuration.name,
            head=head.configuration.name,
            measure=entry.measure,
            cases=entry.cases,
            difference=entry.difference,
            low=entry.interval[0] if entry.interval else None,
            high=entry.interval[1] if entry.interval else None,
            p=entry.permutation_p,
            adjusted_p=entry.adjusted_p,
            detectable=entry.detectable,
            needed_cases=entry.needed_cases,
            is_bound=entry.is_bound,
            verdict=entry.verdict,
        )
        for entry in comparison.measures
    ]


def ranks(manifest: RunRecord, groups: Groups) -> tuple[RankView, ...]:
    """Return ranks by the first attempt with their intervals."""
    sides = [
        _side(manifest, summary, rows) for summary, rows in groups if not summary.is_reference_agent
    ]
    means = {side.configuration.name: side.case_means(MEASURES[0]) for side in sides}
    shared = sorted(set.intersection(*(set(m) for m in means.values())))
    if not shared:
        return ()
    values = {name: [m[case_id] for case_id in shared] for name, m in means.items()}
    found = rank_intervals(values, seed=manifest.seed)
    return tuple(
        RankView(name=name, rank=one.rank, low=one.low, high=one.high, cases=len(shared))
        for name, one in found.items()
    )


def costs_of_faults(
    manifest: RunRecord, groups: Groups, settings: ReportSettings
) -> tuple[ResilienceView, ...]:
    """Return what each fault costs the configurations that ran with and without it."""
    rows = {summary.name: found for summary, found in groups}
    return tuple(
        _cost(entry)
        for clean, faulted in clean_twins(manifest.configurations)
        for entry in resilience(
            _side(manifest, clean, rows[clean.name]),
            _side(manifest, faulted, rows[faulted.name]),
            UNDER_FAULTS,
            settings.confidence,
        )
    )


def _cost(entry: Resilience) -> ResilienceView:
    low, high = entry.interval or (None, None)
    shared = entry.model_dump(exclude={"interval", "clean_coverage"})
    return ResilienceView(**shared, low=low, high=high)
