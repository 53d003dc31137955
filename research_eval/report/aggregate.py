"""Turn the table of a run into the view that every report is made from; it computes nothing itself."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import get_args

import numpy as np
import numpy.typing as npt

from research_eval.analysis.comparison import Comparison, Rank, compare_sides, rank_sides
from research_eval.analysis.difference import CompareSettings
from research_eval.analysis.requirement import rule_requirements
from research_eval.analysis.resilience import Resilience, clean_twins, resilience
from research_eval.analysis.scoring import ScoredRun, ScoreTrial, score_run, tabulate
from research_eval.analysis.side import Side, sides_of
from research_eval.analysis.store import run_cases
from research_eval.analysis.summary import Summary, f_score, reliability, summarise
from research_eval.analysis.table import Row
from research_eval.journal import RunFolder
from research_eval.report.chunk import TrialChunks
from research_eval.report.fact import Fact
from research_eval.report.row import (
    UNSCORED,
    WEIGHT,
    Facts,
    Rows,
    make_rows,
    score_column,
    score_names,
)
from research_eval.report.trace import Condition, Count, Total, Trace, find, total
from research_eval.report.view import (
    ConfigurationView,
    GroupView,
    ProviderView,
    Rate,
    RatePair,
    ReportSettings,
    RunView,
    ScoreView,
    ViolationView,
)
from research_eval.schema import ConfigurationSummary, RunRecord, Score, TrialRecord, TrialStatus
from research_eval.scorer import DEFAULT_SCORERS, Registry, Scorer, registry
from research_eval.scorer.outcome import kinds_of_run

__all__ = ["STATUSES", "TOTALS", "build_view", "load_view"]

Places = npt.NDArray[np.intp]

STATUSES: tuple[str, ...] = (*get_args(TrialStatus), "not_run")
"""How a planned trial can have ended."""

COMPARED = ("first_attempt_passed", "final_passed")
"""What configurations are compared by."""
UNDER_FAULTS = (*COMPARED, "correct_and_clean")
"""What is compared with and without a fault."""
CAUSES = ("undecided", "not_applicable", "error")
OUTCOMES = ("served", "cached", "empty", "error", "skipped")

TOTALS = (
    "attempts", "violations", "turns", "request_retries", "tool_calls", "failed_tool_calls",
    "searches", "search_unserved", "search_fallbacks", "search_cache_hits", "search_requests",
    "search_errors", "search_rate_limited", "breaker_openings", "breaker_skips", "fetches",
    "failed_fetches", "unrecorded", "model_requests", "input_tokens", "output_tokens",
    "unmeasured_requests", "cost_usd", "virtual_seconds", "replay_hits", "replay_misses",
    "replay_unplayed",
)  # fmt: skip
"""The columns that are summed for each configuration."""


def load_view(
    folder: RunFolder,
    *,
    scorers: Sequence[Scorer] = DEFAULT_SCORERS,
    settings: ReportSettings | None = None,
    has_details: bool = False,
) -> RunView:
    """Return the view of the run in `folder`, with the scores that were added to it later.

    Args:
        folder: The run.
        scorers: Whose scores are made here.
        settings: How trials are turned into a report.
        has_details: Whether the trials' details are packed on the way, for a report that shows them.

    Raises:
        RecordError: If the manifest or a trial can't be read.
        DatasetError: If the run's own cases can't be read.
    """
    facts = Facts()
    details = TrialChunks(run_cases(folder)) if has_details else None

    def see(line: int, trial: TrialRecord, scores: Sequence[Score]) -> None:
        facts.see(line, trial, scores)
        if details is not None:
            details.see(trial, facts.note_of(trial.key))

    run = score_run(folder, scorers=scorers, seen=see)
    if details is not None:
        details.close()
    view = _view(run, facts, settings or ReportSettings())
    return replace(view, requirements=rule_requirements(folder), details=details)


def build_view(
    manifest: RunRecord,
    trials: Iterable[TrialRecord],
    *,
    score: ScoreTrial,
    known: Registry | None = None,
    settings: ReportSettings | None = None,
) -> RunView:
    """Return what a report shows of some trials, which are read once, in the journal's order."""
    facts = Facts()
    run = tabulate(manifest, trials, score, known or registry(manifest), seen=facts.see)
    for case_id in manifest.case_ids:
        for summary in manifest.configurations:
            for number in range(1, manifest.trials + 1):
                row = Row(summary.name, case_id, number)
                if row not in run.statuses:
                    run.table.add(row, (), has_run=False)
    return _view(run, facts, settings or ReportSettings())


def _view(run: ScoredRun, facts: Facts, settings: ReportSettings) -> RunView:
    rows = make_rows(run, facts)
    sides = sides_of(run)
    models = [side for side in sides if not side.configuration.is_reference_agent]
    how = CompareSettings(
        measures=COMPARED,
        alpha=round(1 - settings.confidence, 12),
        coverage_floor=settings.coverage_floor,
        seed=run.manifest.seed,
    )
    is_many = len(models) > 1
    return RunView(
        manifest=run.manifest,
        settings=settings,
        run=run,
        kinds=kinds_of_run(run.manifest),
        configurations=tuple(_configuration(side, rows, settings, facts) for side in sides),
        rows=rows,
        causes=facts.causes(),
        failures=facts.failures,
        differences=_differences(models, how) if is_many else (),
        ranks=_ranks(models, run.manifest.seed) if is_many else (),
        resilience=_costs_of_faults(sides, how),
    )


def _differences(models: Sequence[Side], how: CompareSettings) -> tuple[Comparison, ...]:
    """Return how each model differs from the first one; reference agents take no part.

    Sides have the names of configurations: a run's folder is another one for each reader.
    """
    base, *heads = [side.configuration.name for side in models]
    found = compare_sides(models[0], models[1:], how)
    return tuple(
        one.model_copy(update={"base": base, "head": head})
        for one, head in zip(found, heads, strict=True)
    )


def _ranks(models: Sequence[Side], seed: int) -> tuple[Rank, ...]:
    return tuple(rank_sides(models, COMPARED[0], seed))


def _costs_of_faults(sides: Sequence[Side], how: CompareSettings) -> tuple[Resilience, ...]:
    """Return what each fault costs the configurations that ran with and without it."""
    by_name = {side.configuration.name: side for side in sides}
    how = how.model_copy(update={"measures": UNDER_FAULTS})
    twins = clean_twins(side.configuration for side in sides)
    return tuple(
        one
        for clean, faulted in twins
        for one in resilience(by_name[clean.name], by_name[faulted.name], how)
    )


def _configuration(
    side: Side, rows: Rows, settings: ReportSettings, facts: Facts
) -> ConfigurationView:
    shown = _Shown(side, rows, settings)
    every, summary = shown.every, side.configuration
    coverage = shown.rate("final_passed", is_coverage=True)
    is_covered = (coverage.value or 0.0) >= settings.coverage_floor
    pair = partial(_pair, shown)
    trials = side.manifest.trials
    repeats = reliability(side.run.table, "final_passed", side.rows, trials, settings.confidence)
    return ConfigurationView(
        summary=summary,
        verdict="conclusive" if is_covered else "inconclusive",
        planned=shown.count(every),
        run=shown.count(every.narrowed("status", *STATUSES[:-1])),
        coverage=coverage,
        statuses={s: shown.count(every.narrowed("status", s)) for s in STATUSES},
        first_pass=pair("first_attempt_passed"),
        final_pass=pair("final_passed"),
        repair=shown.rate("repaired"),
        retries=shown.total("retries"),
        retry_distribution=shown.distribution("retries", summary),
        violations=tuple(
            ViolationView(
                kind=kind.name,
                first=shown.rate(f"first_{kind.name}"),
                final=shown.rate(f"final_{kind.name}"),
            )
            for kind in kinds_of_run(side.manifest)
        ),
        totals={name: shown.total(name) for name in (*TOTALS, *_summed(side.run.known))},
        providers=tuple(shown.provider(name) for name in shown.provider_names(summary)),
        f=f_score(side.run.table, side.rows, settings.confidence),
        by_language=shown.groups("language"),
        by_tag=shown.groups("tags"),
        scores=tuple(shown.score(name) for name in shown.names()),
        served=tuple(facts.served.get(summary.name, Counter()).most_common()),
        repeats=repeats[-1] if trials > 1 and repeats and repeats[-1].k == trials else None,
    )


def _summed(known: Registry) -> list[str]:
    """Return the measures of sections that show sums and means of columns."""
    return [one.name for one in known if one.section in {"work", "failover", "usage"}]


def _pair(shown: "_Shown", column: str) -> RatePair:
    return RatePair(strict=shown.rate(column, is_strict=True), conditional=shown.rate(column))


class _Shown:
    """The table's numbers of one configuration, each with the way to the trials behind it."""

    def __init__(self, side: Side, rows: Rows, settings: ReportSettings) -> None:
        self._side, self._rows, self._settings = side, rows, settings
        self.every = Trace(where=(Condition("configuration", (side.configuration.name,)),))
        self._places = find(rows, self.every)
        self._known = side.run.known
        self._summaries: dict[str, Summary] = {}

    def summary(self, name: str, places: Places | None = None) -> Summary:
        """Return what the table says of a measure, over all trials or some."""
        if places is None and name in self._summaries:
            return self._summaries[name]
        chosen = self._side.rows
        if places is not None:
            found = self._rows.places[places]
            chosen = found[found >= 0]
        table, measure = self._side.run.table, self._known.of(name)
        summary = summarise(table, measure, chosen, self._known, self._settings.confidence)
        if places is None:
            self._summaries[name] = summary
        return summary

    def count(self, trace: Trace) -> Count:
        """Return how many trials a trace finds."""
        rest = Trace(where=trace.where[1:])
        return Count(len(find(self._rows, rest, within=self._places)), trace)

    def total(self, column: str) -> Total:
        """Return the sum of a column."""
        return total(self._rows, self.every.summing(column), within=self._places)

    def rate(
        self,
        column: str,
        *,
        is_strict: bool = False,
        is_coverage: bool = False,
        within: tuple[Trace, Places] | None = None,
        shown: str | None = None,
    ) -> Rate:
        """Return the share of yes among the trials that have a value; strict: among all planned."""
        trials, places = within or (self.every, None)
        found = self.summary(column, places)
        value, bounds = found.value or 0.0, found.interval or (0.0, 1.0)
        k, n = round(value * found.n), found.scored
        column = shown or column
        hit, of = trials.narrowed(column, "1"), trials.narrowed(column, "0", "1")
        if is_coverage:
            k, n, bounds, hit, of = n, found.planned, (0.0, 1.0), of, trials
        elif is_strict:
            n, bounds, of = found.planned, found.strict_interval or (0.0, 1.0), trials
        return Rate(k=k, n=n, low=bounds[0], high=bounds[1], trace_k=hit, trace_n=of)

    def distribution(
        self, column: str, summary: ConfigurationSummary
    ) -> tuple[tuple[int, Count], ...]:
        """Return how many trials have each value of a column of whole numbers."""
        found = (value for value in self._facts(column) if isinstance(value, int))
        highest = max(found, default=0)
        values = range(max(highest, summary.max_retries) + 1)
        return tuple(
            (value, self.count(self.every.narrowed(column, str(value)))) for value in values
        )

    def _filled(self, prefix: str) -> list[str]:
        """Return what follows a prefix in the columns that this configuration fills."""
        return [
            name.removeprefix(prefix)
            for name in self._rows.columns
            if name.startswith(prefix) and self._facts(name)
        ]

    def _facts(self, column: str) -> list[Fact]:
        """Return the different facts that this configuration has in a column."""
        values = self._rows.columns.get(column)
        return [] if values is None else values.facts(self._places)

    def groups(self, column: str) -> dict[str, GroupView]:
        """Return the pass rates of each language, or of each tag."""
        found: set[str] = set()
        for value in self._facts(column):
            if isinstance(value, str | tuple):
                found |= {value} if isinstance(value, str) else {*value}
        return {name: self._group(self.every.narrowed(column, name)) for name in sorted(found)}

    def _group(self, trace: Trace) -> GroupView:
        within = (trace, find(self._rows, Trace(where=trace.where[1:]), within=self._places))
        first, final = (self.rate(name, within=within) for name in COMPARED)
        return GroupView(first=first, final=final)

    def provider_names(self, summary: ConfigurationSummary) -> list[str]:
        """Return the search providers that were asked, in the chain's order."""
        tried = [name.rpartition(":")[0] for name in self._filled("tries:")]
        names = {*tried, *self._filled("served_by:")}
        chain = [*summary.search.split(" > "), *sorted(names)]
        return sorted(names, key=chain.index)

    def provider(self, name: str) -> ProviderView:
        """Return what one search provider did."""
        return ProviderView(
            name=name,
            served=self.total(f"served_by:{name}"),
            outcomes=tuple(
                (outcome, self.total(f"tries:{name}:{outcome}")) for outcome in OUTCOMES
            ),
        )

    def names(self) -> list[str]:
        """Return the measures that this configuration has, in the order of tables."""
        present = {name.removeprefix(UNSCORED) for name in self._filled("")}
        return [name for name in score_names(self._rows.columns) if name in present]

    def _missing(self, found: Summary, unscored: str, cause: str) -> Count:
        """Return how many trials that ran have no value for a cause."""
        trace = self.every.narrowed(unscored, cause)
        counts = {"error": found.errors, "undecided": found.undecided, "not_applicable": 0}
        is_apart = cause == "not_applicable" and found.not_applicable
        return self.count(trace) if is_apart else Count(counts[cause], trace)

    def score(self, column: str) -> ScoreView:
        """Return one measure."""
        name = next(n for n in (column.removeprefix("score:"), column) if score_column(n) == column)
        found = self.summary(name)
        is_plain = found.measure.unit == "yes_no" and WEIGHT + column not in self._rows.columns
        unscored = UNSCORED + column
        return ScoreView(
            name=column,
            summary=found,
            scored=Count(found.scored, self.every.narrowed(column, "*")),
            unscored={c: self._missing(found, unscored, c) for c in CAUSES},
            rate=self.rate(name, shown=column) if is_plain else None,
            trace=self.every.summing(column),
        )
