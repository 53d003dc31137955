"""Two or more sides in, everything that a comparison found out: differences, rulings, changed trials."""

from collections.abc import Sequence
from typing import Literal, cast

from research_eval.analysis.change import Flip, Lost, find_flips, find_lost, gained, worst_loss
from research_eval.analysis.difference import CompareSettings, MeasureComparison, compare_measure
from research_eval.analysis.resilience import Resilience, resilience
from research_eval.analysis.ruling import ORDER, Verdict, rule
from research_eval.analysis.setting import (
    SettingDifference,
    is_identical_traffic,
    setting_differences,
)
from research_eval.analysis.several import PairOutput, RunsOutput
from research_eval.analysis.side import Side
from research_eval.analysis.unpaired import UnpairedComparison
from research_eval.journal import RunFolder
from research_eval.schema import Record, Requirements
from research_eval.stats.rank import rank_intervals

__all__ = [
    "Absent",
    "CompareOutput",
    "Comparison",
    "Rank",
    "compare_sides",
    "find_absent",
    "rank_sides",
]


class Comparison(Record):
    """Everything that was found about one pair of configurations."""

    base: str
    head: str
    verdict: Verdict
    """The most serious one over the measures."""
    base_trials: int
    head_trials: int
    base_errors: int
    head_errors: int
    is_identical_traffic: bool
    base_is_reference_agent: bool = False
    """Whether a script stands in for a model: its numbers calibrate, they rank nothing."""
    head_is_reference_agent: bool = False
    settings: tuple[SettingDifference, ...]
    measures: tuple[MeasureComparison, ...]
    flips: tuple[Flip, ...]
    lost: tuple[Lost, ...] = ()
    """Trials whose value went, on identical traffic."""
    resilience: tuple[Resilience, ...] = ()
    """What a fault costs, where a fault is all that differs between the configurations."""


class Absent(Record):
    """One configuration that is not compared, since head lacks it."""

    base: str
    """The run and the configuration, for people."""
    head: str
    """The run without it."""
    configuration: str
    verdict: Literal["inconclusive", "not_compared"]
    """`not_compared` where nobody asks for a ruling, or some were left out on purpose."""


class CompareOutput(Record):
    """What `research-eval compare --json` prints."""

    schema_version: Literal[1] = 1
    settings: CompareSettings
    comparisons: tuple[Comparison, ...]
    unpaired: tuple[UnpairedComparison, ...] = ()
    """With --unpaired, in place of `comparisons`."""
    absent: tuple[Absent, ...]
    pairs: tuple[PairOutput, ...] = ()
    """Of more than two configurations of one run: every pair, corrected over all of them."""
    runs: tuple[RunsOutput, ...] = ()
    """Of three or more runs: how much the runs of each configuration differ."""
    requirements: Requirements | None = None
    """What came of the requirements of head, where it has any."""


class Rank(Record):
    """The rank of a configuration, with the ranks that other draws of the cases give it."""

    name: str
    rank: int
    low: int
    high: int
    cases: int


def compare_sides(
    base: Side, heads: Sequence[Side], settings: CompareSettings | None = None
) -> list[Comparison]:
    """Compare each head with the base; p values of one measure are corrected over the heads."""
    settings = settings or CompareSettings()
    exact = [is_identical_traffic(base, head) for head in heads]
    columns = [
        compare_measure(base, heads, base.measure(name), settings, exact)
        for name in settings.measures
    ]
    rows = zip(*columns, strict=True)
    return [
        _comparison(base, head, row, settings, exact=same)
        for head, row, same in zip(heads, rows, exact, strict=True)
    ]


def _comparison(
    base: Side,
    head: Side,
    row: Sequence[MeasureComparison],
    settings: CompareSettings,
    *,
    exact: bool,
) -> Comparison:
    ruled, flips, lost = [], list[Flip](), list[Lost]()
    for entry in row:
        measure = base.measure(entry.measure)
        changed = find_flips(base, head, measure)
        gone = find_lost(base, head, entry.measure) if exact else []
        worse = sum(flip.is_worse for flip in changed)
        update: dict[str, object] = {"worse": worse, "better": len(changed) - worse}
        if exact:
            update |= {"lost": len(gone), "gained": gained(base, head, entry.measure)}
        if gone and measure.is_rate:
            update["worst_loss"] = worst_loss(base, head, measure, gone)
        whole = entry.model_copy(update=update)
        verdict, reason = rule(whole, settings, exact=exact)
        ruled.append(whole.model_copy(update={"verdict": verdict, "reason": reason}))
        flips += changed
        lost += gone
    verdicts = [cast("Verdict", entry.verdict) for entry in ruled]
    return Comparison(
        base=base.name,
        head=head.name,
        verdict=min(verdicts, key=ORDER.index),
        base_trials=len(base.ran),
        head_trials=len(head.ran),
        base_errors=len(base.broken),
        head_errors=len(head.broken),
        is_identical_traffic=exact,
        base_is_reference_agent=base.configuration.is_reference_agent,
        head_is_reference_agent=head.configuration.is_reference_agent,
        settings=tuple(setting_differences(base, head)),
        measures=tuple(ruled),
        flips=tuple(sorted(flips, key=lambda flip: not flip.is_worse)),
        lost=tuple(lost),
        resilience=tuple(resilience(base, head, settings)),
    )


def find_absent(base: RunFolder, head: RunFolder, *, is_ruled: bool) -> list[Absent]:
    """Return the configurations that head lacks, inconclusive where a ruling is asked for.

    Raises:
        RecordError: If a manifest cannot be read.
    """
    theirs = {one.name for one in head.manifest().configurations}
    return [
        Absent(
            base=f"{base.path}: {one.name}",
            head=str(head.path),
            configuration=one.name,
            verdict="inconclusive" if is_ruled else "not_compared",
        )
        for one in base.manifest().configurations
        if one.name not in theirs
    ]


def rank_sides(sides: Sequence[Side], name: str, seed: int) -> list[Rank]:
    """Return the ranks of sides by one measure, over the cases that all of them have."""
    means = {side.configuration.name: side.case_means(name) for side in sides}
    shared = sorted(set.intersection(*(set(one) for one in means.values()))) if means else []
    if not shared:
        return []
    values = {key: [one[case] for case in shared] for key, one in means.items()}
    is_higher_better = sides[0].measure(name).better != "lower"
    found = rank_intervals(values, seed=seed, higher_is_better=is_higher_better)
    return [
        Rank(name=key, rank=one.rank, low=one.low, high=one.high, cases=len(shared))
        for key, one in found.items()
    ]
