"""Fold a manifest, trials and scores into the view that every report is made from."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypedDict, get_args

from research_eval.report.repeat import Groups, repeats
from research_eval.report.row import (
    UNSCORED,
    WEIGHT,
    Columns,
    TrialRow,
    missing_row,
    score_names,
    trial_row,
)
from research_eval.report.trace import Condition, Count, Total, Trace, count, find, total
from research_eval.report.view import (
    ConfigurationView,
    DifferenceView,
    GroupView,
    ProviderView,
    RankView,
    Rate,
    RatePair,
    RatioView,
    ReportSettings,
    ResilienceView,
    RunView,
    ScoreView,
    ViolationView,
)
from research_eval.schema import (
    ConfigurationSummary,
    RunRecord,
    Score,
    TrialKey,
    TrialRecord,
    TrialStatus,
    ViolationKind,
)
from research_eval.scorer.correctness import f_part
from research_eval.stats.cluster import (
    Cluster,
    clustered_mean,
    clustered_ratio,
    clustered_wilson,
    effective_units,
)
from research_eval.stats.interval import Estimate

__all__ = ["STATUSES", "TOTALS", "ScoreTrial", "build_view"]

ScoreTrial = Callable[[TrialRecord], Iterable[Score]]
"""Gives the scores of a trial."""

STATUSES: tuple[str, ...] = (*get_args(TrialStatus), "not_run")
"""How a planned trial can have ended."""

RULINGS = ("correct", "incorrect", "abstained")
CAUSES = ("undecided", "not_applicable", "error")
OUTCOMES = ("served", "cached", "empty", "error", "skipped")

TOTALS = (
    "attempts", "violations", "turns", "request_retries", "tool_calls", "failed_tool_calls",
    "searches", "search_unserved", "search_fallbacks", "search_cache_hits", "search_requests",
    "search_errors", "search_rate_limited", "breaker_openings", "breaker_skips", "fetches",
    "failed_fetches", "off_tape", "model_requests", "input_tokens", "output_tokens",
    "unmeasured_requests", "cost_usd", "virtual_seconds", "replay_hits", "replay_misses",
    "replay_unplayed",
)  # fmt: skip
"""The columns that are summed for each configuration."""

_YES = ("1",)
_BINARY = ("0", "1")


def build_view(
    manifest: RunRecord,
    trials: Iterable[TrialRecord],
    *,
    score: ScoreTrial,
    settings: ReportSettings | None = None,
) -> RunView:
    """Return what a report shows of a run; `trials` are read once, in the journal's order."""
    settings = settings or ReportSettings()
    rows = _planned_rows(manifest, trials, score)
    groups: dict[str, list[TrialRow]] = {c.name: [] for c in manifest.configurations}
    for row in rows:
        groups.setdefault(row.key.configuration, []).append(row)
    views = tuple(
        _Folder(summary, groups[summary.name], settings, manifest.seed).view()
        for summary in manifest.configurations
    )
    by_summary = [(summary, groups[summary.name]) for summary in manifest.configurations]
    return RunView(
        manifest=manifest,
        settings=settings,
        configurations=views,
        rows=tuple(rows),
        repeats=repeats(manifest, by_summary, settings.confidence),
        **_compared(manifest, by_summary, settings),
    )


class _Compared(TypedDict, total=False):
    differences: tuple[DifferenceView, ...]
    ranks: tuple[RankView, ...]
    resilience: tuple[ResilienceView, ...]


def _compared(manifest: RunRecord, groups: Groups, settings: ReportSettings) -> _Compared:
    """Compare the configurations that are no reference agents, and each with its faulted twin."""
    models = [(summary, rows) for summary, rows in groups if not summary.is_reference_agent]
    has_faults = any(summary.settings.get("fault") for summary, _ in groups)
    if len(models) < 2 and not has_faults:
        return {}
    from research_eval.report import comparison  # noqa: PLC0415  # loads statsmodels

    found: _Compared = {}
    if has_faults:
        found["resilience"] = comparison.costs_of_faults(manifest, groups, settings)
    if len(models) > 1:
        found["differences"] = comparison.differences(manifest, models, settings)
        found["ranks"] = comparison.ranks(manifest, models)
    return found


def _planned_rows(
    manifest: RunRecord, trials: Iterable[TrialRecord], score: ScoreTrial
) -> list[TrialRow]:
    columns = Columns()
    found = {
        trial.key: trial_row(columns, trial, line, score(trial))
        for line, trial in enumerate(trials, start=1)
    }
    planned = [
        TrialKey(case_id, summary.name, number)
        for case_id in manifest.case_ids
        for summary in manifest.configurations
        for number in range(1, manifest.trials + 1)
    ]
    return [found.get(key) or missing_row(columns, key) for key in planned]


def _by_case(hits: Sequence[TrialRow], trials: Sequence[TrialRow]) -> list[Cluster]:
    """Return how many of each case's trials are hits."""
    passed = Counter(row.key.case_id for row in hits)
    judged = Counter(row.key.case_id for row in trials)
    return [Cluster(passed[case_id], n) for case_id, n in judged.items()]


class _Folder:
    """Puts questions to the rows of one configuration."""

    def __init__(
        self,
        summary: ConfigurationSummary,
        rows: Sequence[TrialRow],
        settings: ReportSettings,
        seed: int,
    ) -> None:
        self._seed = seed
        self._summary = summary
        self._rows = rows
        self._settings = settings
        self._all = Trace(where=(Condition("configuration", (summary.name,)),))

    def view(self) -> ConfigurationView:
        everything = self._all
        coverage = self._rate(everything.narrowed("final_passed", *_BINARY), everything)
        is_covered = (coverage.value or 0.0) >= self._settings.coverage_floor
        return ConfigurationView(
            summary=self._summary,
            verdict="conclusive" if is_covered else "inconclusive",
            planned=self._count(everything),
            run=self._count(everything.narrowed("status", *STATUSES[:-1])),
            coverage=coverage,
            statuses={s: self._count(everything.narrowed("status", s)) for s in STATUSES},
            first_pass=self._pair("first_attempt_passed"),
            final_pass=self._pair("final_passed"),
            repair=self._share("repaired"),
            retries=self._total(everything.summing("retries")),
            retry_distribution=self._distribution("retries"),
            violations=tuple(self._violation(kind) for kind in get_args(ViolationKind)),
            totals={name: self._total(everything.summing(name)) for name in TOTALS},
            providers=tuple(self._provider(name) for name in self._provider_names()),
            f=self._f_score(),
            by_language=self._groups("language"),
            by_tag=self._groups("tags"),
            scores=tuple(self._score(name) for name in self._score_names()),
        )

    def _f_score(self) -> RatioView | None:
        """Return the F score, which is a ratio of sums over the judged answers."""
        sums: dict[str, Cluster] = {}
        answers = 0
        for row in self._rows:
            right, wrong, none = (row.fact(name) == 1 for name in RULINGS)
            if right or wrong or none:
                answers += 1
                old = sums.get(row.key.case_id, Cluster(0.0, 0.0))
                part = f_part(right, wrong, none)
                sums[row.key.case_id] = Cluster(old.total + part[0], old.weight + part[1])
        found = clustered_ratio(
            list(sums.values()), seed=self._seed, confidence=self._settings.confidence
        )
        return (
            RatioView(value=found.value, low=found.low, high=found.high, n=answers)
            if found
            else None
        )

    def _count(self, trace: Trace) -> Count:
        return count(self._rows, trace, known=self._all.where)

    def _total(self, trace: Trace) -> Total:
        return total(self._rows, trace, known=self._all.where)

    def _rate(self, hit: Trace, of: Trace) -> Rate:
        hits = find(self._rows, hit, known=self._all.where)
        trials = find(self._rows, of, known=self._all.where)
        low, high = clustered_wilson(_by_case(hits, trials), self._settings.confidence)
        return Rate(k=len(hits), n=len(trials), low=low, high=high, trace_k=hit, trace_n=of)

    def _share(self, column: str, within: Trace | None = None) -> Rate:
        """Return the share of ones among the trials that have a value in `column`."""
        trials = within or self._all
        return self._rate(trials.narrowed(column, *_YES), trials.narrowed(column, *_BINARY))

    def _pair(self, column: str) -> RatePair:
        strict = self._rate(self._all.narrowed(column, *_YES), self._all)
        return RatePair(strict=strict, conditional=self._share(column))

    def _distribution(self, column: str) -> tuple[tuple[int, Count], ...]:
        found = (row.fact(column) for row in self._rows)
        highest = max((int(value) for value in found if isinstance(value, int)), default=0)
        values = range(max(highest, self._summary.max_retries) + 1)
        return tuple(
            (value, self._count(self._all.narrowed(column, str(value)))) for value in values
        )

    def _violation(self, kind: str) -> ViolationView:
        return ViolationView(
            kind=kind, first=self._share(f"first_{kind}"), final=self._share(f"final_{kind}")
        )

    def _names(self, *prefixes: str) -> list[str]:
        """Return what follows one of the prefixes in the columns that these rows fill."""
        columns = self._rows[0].columns if self._rows else Columns()
        return [
            name.removeprefix(prefix)
            for name in columns
            for prefix in prefixes
            if name.startswith(prefix) and any(row.fact(name) is not None for row in self._rows)
        ]

    def _groups(self, column: str) -> dict[str, GroupView]:
        found: set[str] = set()
        for row in self._rows:
            value = row.fact(column)
            if isinstance(value, str | tuple):
                found |= {value} if isinstance(value, str) else {*value}
        return {name: self._group(self._all.narrowed(column, name)) for name in sorted(found)}

    def _group(self, trace: Trace) -> GroupView:
        return GroupView(
            first=self._share("first_attempt_passed", trace),
            final=self._share("final_passed", trace),
        )

    def _provider_names(self) -> list[str]:
        tried = [name.rpartition(":")[0] for name in self._names("tries:")]
        names = {*tried, *self._names("served_by:")}
        chain = [*self._summary.search.split(" > "), *sorted(names)]
        return sorted(names, key=chain.index)

    def _provider(self, name: str) -> ProviderView:
        return ProviderView(
            name=name,
            served=self._total(self._all.summing(f"served_by:{name}")),
            outcomes=tuple(
                (outcome, self._total(self._all.summing(f"tries:{name}:{outcome}")))
                for outcome in OUTCOMES
            ),
        )

    def _score_names(self) -> list[str]:
        present = {name.removeprefix(UNSCORED) for name in self._names("")}
        columns = self._rows[0].columns if self._rows else Columns()
        return [name for name in score_names(columns) if name in present]

    def _score(self, name: str) -> ScoreView:
        values = [row.fact(name) for row in self._rows]
        is_weighted = any(row.fact(WEIGHT + name) is not None for row in self._rows)
        unit = self._rows[0].columns.measure(name).unit
        is_binary = (
            unit == "yes_no" and not is_weighted and all(value in {0, 1, None} for value in values)
        )
        clusters = self._clusters(name)
        is_share = unit in {"yes_no", "share"} and all(
            not isinstance(value, int | float) or 0 <= value <= 1 for value in values
        )
        lowest = self._rows[0].columns.measure(name).lowest
        estimate = self._estimate(clusters, is_share=is_share, lowest=lowest)
        has_bounds = is_share or (estimate is not None and estimate.low < estimate.high)
        unscored = UNSCORED + name
        return ScoreView(
            name=name,
            scored=self._count(self._all.narrowed(name, "*")),
            unscored={c: self._count(self._all.narrowed(unscored, c)) for c in CAUSES},
            mean=estimate.value if estimate else None,
            low=estimate.low if has_bounds and estimate else None,
            high=estimate.high if has_bounds and estimate else None,
            weight=math.fsum(cluster.weight for cluster in clusters),
            effective=effective_units(clusters) if is_share else float(len(clusters)),
            is_share=is_share,
            rate=self._share(name) if is_binary else None,
            trace=self._all.summing(name),
        )

    def _estimate(
        self, clusters: list[Cluster], *, is_share: bool, lowest: float
    ) -> Estimate | None:
        if not is_share:
            return clustered_mean(clusters, self._settings.confidence, lowest=lowest)
        weight = math.fsum(cluster.weight for cluster in clusters)
        if not weight:
            return None
        value = math.fsum(cluster.total for cluster in clusters) / weight
        bounds = clustered_wilson(clusters, self._settings.confidence)
        return Estimate(value, *bounds, max(1, round(weight)))

    def _clusters(self, name: str) -> list[Cluster]:
        """Return what each case adds to the weighted mean of a score."""
        sums: dict[str, Cluster] = {}
        for row in self._rows:
            value, weight = row.fact(name), row.fact(WEIGHT + name)
            if isinstance(value, int | float):
                part = weight if isinstance(weight, int | float) else 1.0
                old = sums.get(row.key.case_id, Cluster(0.0, 0.0))
                sums[row.key.case_id] = Cluster(old.total + part * value, old.weight + part)
        return list(sums.values())
