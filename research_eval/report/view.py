"""What a report shows, as plain values: rates, totals and counts for each configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from research_eval.analysis.comparison import Comparison, Rank
from research_eval.analysis.resilience import Resilience
from research_eval.analysis.scoring import ScoredRun
from research_eval.analysis.summary import Reliability, Summary
from research_eval.report.chunk import TrialChunks
from research_eval.report.row import Rows
from research_eval.report.trace import Count, Total, Trace
from research_eval.schema import (
    Cause,
    ConfigurationSummary,
    Record,
    Requirements,
    RunRecord,
    TrialKey,
    ViolationKind,
)
from research_eval.stats.interval import Estimate

__all__ = [
    "ConfigurationView",
    "GroupView",
    "ProviderView",
    "Rate",
    "RatePair",
    "ReportSettings",
    "RunView",
    "ScoreView",
    "ViolationView",
]


class ReportSettings(Record):
    """How trials are turned into a report."""

    coverage_floor: float = 0.9
    """Share of the planned trials that must be judged before a configuration has a verdict."""
    confidence: float = 0.95
    """Level of every interval."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of trials with its Wilson interval."""

    k: int
    n: int
    low: float
    high: float
    trace_k: Trace
    trace_n: Trace

    @property
    def value(self) -> float | None:
        """The share; `None` where there is nothing to share."""
        return self.k / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class RatePair:
    """The same successes over two denominators."""

    strict: Rate
    """Of all planned trials."""
    conditional: Rate
    """Of the trials that could be judged."""


@dataclass(frozen=True)
class ViolationView:
    """One kind of violation under one configuration."""

    kind: str
    first: Rate
    """Trials whose first answer had it, of those that gave an answer."""
    final: Rate
    """Trials whose last answer had it, of the same."""


@dataclass(frozen=True)
class ProviderView:
    """What one search provider did under one configuration."""

    name: str
    served: Total
    """Searches whose hits are its own."""
    outcomes: tuple[tuple[str, Total], ...]
    """Its tries by outcome."""


@dataclass(frozen=True)
class ScoreView:
    """One measure under one configuration."""

    name: str
    """Its column."""
    summary: Summary
    scored: Count
    unscored: dict[str, Count]
    """Trials without a value, by cause."""
    rate: Rate | None
    """Where every value is yes or no."""
    trace: Trace

    @property
    def mean(self) -> float | None:
        """Mean of the values, each with its weight."""
        return self.summary.value

    @property
    def low(self) -> float | None:
        """Lower bound of the interval."""
        return self.summary.low

    @property
    def high(self) -> float | None:
        """Upper bound of the interval."""
        return self.summary.high

    @property
    def weight(self) -> float:
        """Sum of the weights, the denominator of the mean."""
        return self.summary.n

    @property
    def is_share(self) -> bool:
        """Whether every value lies between 0 and 1."""
        return self.summary.measure.is_rate


@dataclass(frozen=True)
class GroupView:
    """The trials of one language, or of one tag, under one configuration."""

    first: Rate
    """Trials whose first answer passed, of those judged."""
    final: Rate
    """Trials that passed in the end, of the same."""


@dataclass(frozen=True)
class ConfigurationView:
    """One configuration of the table."""

    summary: ConfigurationSummary
    verdict: Literal["conclusive", "inconclusive"]
    """Inconclusive: too few of the planned trials could be judged."""
    planned: Count
    run: Count
    coverage: Rate
    """Trials that could be judged, of those planned."""
    statuses: dict[str, Count]
    first_pass: RatePair
    final_pass: RatePair
    repair: Rate
    """Trials that passed in the end, of those whose first answer failed."""
    retries: Total
    retry_distribution: tuple[tuple[int, Count], ...]
    violations: tuple[ViolationView, ...]
    totals: dict[str, Total]
    """Turns, searches, fetches, failover and usage: a column of the rows summed."""
    providers: tuple[ProviderView, ...]
    f: Estimate | None
    """Harmonic mean of accuracy and precision; `None` without judged answers."""
    by_language: dict[str, GroupView]
    by_tag: dict[str, GroupView]
    scores: tuple[ScoreView, ...]
    """Every measure, those behind the numbers above included."""
    served: tuple[tuple[str, int], ...]
    """The models that replies name, with the number of their replies, the most frequent first."""
    repeats: Reliability | None
    """How the trials of one case agree, where there are several."""

    @property
    def name(self) -> str:
        """The configuration's name."""
        return self.summary.name

    @property
    def served_otherwise(self) -> tuple[tuple[str, int], ...]:
        """The models that replies name, where they are not the one that was asked for alone."""
        if self.summary.is_reference_agent:
            return ()
        asked = self.summary.model.partition(":")[2]
        others = [name for name, _ in self.served if name.removeprefix("models/") != asked]
        return self.served if others else ()


@dataclass(frozen=True)
class RunView:
    """Everything that a report shows of a run, but for the trials' details."""

    manifest: RunRecord
    settings: ReportSettings
    configurations: tuple[ConfigurationView, ...]
    rows: Rows
    """One a planned trial, in the order of the plan."""
    run: ScoredRun
    """The table that all of it is read from."""
    kinds: tuple[ViolationKind, ...]
    """What gates of the run can find."""
    causes: tuple[Cause, ...] = ()
    """What trials that ended in an error failed of, the most frequent first."""
    failures: Mapping[TrialKey, str] = field(default_factory=dict)
    """What each of them failed of, in the words of what failed."""
    differences: tuple[Comparison, ...] = ()
    """Each configuration against the first, without reference agents."""
    ranks: tuple[Rank, ...] = ()
    """By the first attempt, without reference agents."""
    resilience: tuple[Resilience, ...] = ()
    """Each configuration with a fault against its twin without."""
    details: TrialChunks | None = None
    """The trials' details, where they were packed as the records were read."""
    requirements: Requirements | None = None
    """What came of the experiment's requirements, where it has any."""

    @property
    def is_complete(self) -> bool:
        """Whether enough is there to rule: by the requirements, where there are any, and all ran."""
        if self.requirements is None:
            return self.is_conclusive
        return all(c.run.value == c.planned.value for c in self.configurations)

    @property
    def is_conclusive(self) -> bool:
        """Whether every configuration reached the coverage floor."""
        return all(c.verdict == "conclusive" for c in self.configurations)
