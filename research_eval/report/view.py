"""What a report shows, as plain values: rates, totals and counts for each configuration."""

from dataclasses import dataclass
from typing import Literal

from research_eval.report.row import TrialRow
from research_eval.report.trace import Count, Total, Trace
from research_eval.schema import ConfigurationSummary, Record, RunRecord

__all__ = [
    "ConfigurationView",
    "DifferenceView",
    "GroupView",
    "ProviderView",
    "RankView",
    "Rate",
    "RatePair",
    "RatioView",
    "RepeatView",
    "ReportSettings",
    "ResilienceView",
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


class ViolationView(Record):
    """One kind of violation under one configuration."""

    kind: str
    first: Rate
    """Trials whose first answer had it, of those that gave an answer."""
    final: Rate
    """Trials whose last answer had it, of the same."""


class ProviderView(Record):
    """What one search provider did under one configuration."""

    name: str
    served: Total
    """Searches whose hits are its own."""
    outcomes: tuple[tuple[str, Total], ...]
    """Its tries by outcome."""


class ScoreView(Record):
    """One scorer under one configuration."""

    name: str
    scored: Count
    unscored: dict[str, Count]
    """Trials without a value, by cause."""
    mean: float | None
    """Mean of the values, each with its weight."""
    low: float | None
    high: float | None
    """Wilson interval of a share; of a mean the interval over cases, whose trials belong together,
    and none where all values are the same, which shows no spread to go by."""
    weight: float
    """Sum of the weights, the denominator of the mean."""
    effective: float
    """How many independent units that is worth, where units of one case belong together."""
    is_share: bool
    """Whether every value lies between 0 and 1."""
    rate: Rate | None
    """Where every value is 0 or 1 and counts alike."""
    trace: Trace


class GroupView(Record):
    """The trials of one language, or of one tag, under one configuration."""

    first: Rate
    """Trials whose first answer passed, of those judged."""
    final: Rate
    """Trials that passed in the end, of the same."""


class RatioView(Record):
    """A ratio that no single score holds."""

    value: float
    low: float
    high: float
    """By a bootstrap over cases."""
    n: int
    """Trials that it rests on."""


class ConfigurationView(Record):
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
    f: RatioView | None
    """Harmonic mean of accuracy and precision; `None` without judged answers."""
    by_language: dict[str, GroupView]
    by_tag: dict[str, GroupView]
    scores: tuple[ScoreView, ...]
    """Every scorer, those behind the numbers above included."""

    @property
    def name(self) -> str:
        """The configuration's name."""
        return self.summary.name


class DifferenceView(Record):
    """How one configuration differs from another in one measure, over the cases of both."""

    base: str
    head: str
    measure: str
    cases: int
    difference: float | None
    """Head minus base."""
    low: float | None
    high: float | None
    p: float | None
    """Of the paired permutation test."""
    adjusted_p: float | None
    """After Holm's correction over the configurations compared."""
    detectable: float | None
    """The difference that so many cases show with a chance of 80 %."""
    needed_cases: int | None
    """How many cases show a difference of 10 percentage points with that chance."""
    is_bound: bool
    """Whether both are the most that is left possible where no case differs from another."""
    verdict: str


class RankView(Record):
    """The rank of a configuration, with the ranks that other draws of the cases give it."""

    name: str
    rank: int
    low: int
    high: int
    cases: int


class ResilienceView(Record):
    """What a fault costs one configuration in one measure, over the cases of both."""

    clean: str
    """The configuration that differs in nothing but the fault."""
    faulted: str
    faults: tuple[str, ...]
    measure: str
    clean_rate: float | None
    faulted_rate: float | None
    ratio: float | None
    low: float | None
    high: float | None
    strict_ratio: float | None
    """Over all planned trials: one that broke has passed nothing."""
    strict_interval: tuple[float, float] | None = None
    clean_interval: tuple[float, float] | None = None
    faulted_interval: tuple[float, float] | None = None
    cases: int
    faulted_coverage: float
    """Share of the trials under the fault that could be judged."""
    detectable: float | None = None
    """The difference of both rates that so many cases show with a chance of 80 %."""
    needed_cases: int | None = None
    """How many cases show a difference of 10 percentage points with that chance."""
    is_bound: bool = False
    """Whether both are the most that is left possible where no case differs from another."""


class RepeatView(Record):
    """How the trials of one case agree."""

    name: str
    k: int
    """Trials of each case."""
    cases: int
    every: float | None
    """pass^k: the share of cases of which every trial passed in the end."""
    every_low: float | None
    every_high: float | None
    """Wilson's interval, over cases."""
    any: float | None
    """pass@k: the share of cases of which some trial did."""
    any_low: float | None
    any_high: float | None


@dataclass(frozen=True)
class RunView:
    """Everything that a report shows of a run, but for the trials' details."""

    manifest: RunRecord
    settings: ReportSettings
    configurations: tuple[ConfigurationView, ...]
    rows: tuple[TrialRow, ...]
    """One a planned trial, in the order of the plan."""
    repeats: tuple[RepeatView, ...]
    differences: tuple[DifferenceView, ...] = ()
    """Each configuration against the first, without reference agents."""
    ranks: tuple[RankView, ...] = ()
    """By the first attempt, without reference agents."""
    resilience: tuple[ResilienceView, ...] = ()
    """Each configuration with a fault against its twin without."""

    @property
    def is_conclusive(self) -> bool:
        """Whether every configuration reached the coverage floor."""
        return all(c.verdict == "conclusive" for c in self.configurations)
