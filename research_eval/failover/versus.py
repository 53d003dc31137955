"""Two settings over the same scenarios and seeds: which serves more, and which is faster."""

import re
from collections.abc import Iterable, Sequence
from math import inf

from research_eval.errors import ConfigError
from research_eval.failover.lab import run_scenario
from research_eval.failover.measure import measure, percentile
from research_eval.failover.scenario import Scenario
from research_eval.failover.trace import LabTrace
from research_eval.failover.variant import variant
from research_eval.schema import Record
from research_eval.tool.search import SearchSettings

__all__ = ["Pairing", "SideSummary", "pairings", "parse_seeds", "versus_table"]

MOST_SEEDS = 1000
CLOSE_S = 0.02
"""Differences of a p95 up to this are no difference: a provider's own latency varies by far more."""


class SideSummary(Record):
    """One variant in one scenario, over all seeds together."""

    searches: int
    served: int
    """Searches that got results."""
    p95_s: float | None
    """Time until results for 95 of 100 searches; `None` where fewer were served at all."""
    wasted_requests: int
    above_rate: int
    """Requests that went out sooner than the rate limit of the settings allows."""
    cost_usd: float


class Pairing(Record):
    """The settings that are judged, beside those that they are judged by."""

    scenario: str
    has_fallback: bool
    settings: SideSummary
    against: SideSummary

    @property
    def serves_enough(self) -> bool:
        """Whether at least as many searches were served."""
        return self.settings.served >= self.against.served

    @property
    def is_good(self) -> bool:
        """Whether it serves enough and, where a fallback exists, is not slower."""
        return self.serves_enough and not (self.has_fallback and self.speed == "worse")

    @property
    def speed(self) -> str:
        """Whether results came sooner: `better`, `same`, `worse`, or `never` under both settings."""
        mine, other = self.settings.p95_s, self.against.p95_s
        if mine is None or other is None:
            return "never" if mine == other else "worse" if mine is None else "better"
        if abs(mine - other) <= CLOSE_S:
            return "same"
        return "better" if mine < other else "worse"


def pairings(
    scenarios: Iterable[Scenario],
    seeds: Sequence[int],
    settings: str = "default",
    against: str = "original",
) -> list[Pairing]:
    """Return how `settings` stand beside `against` in each scenario, over all seeds.

    The load is the same under both, and so are a server's latencies. Questions of the agent are left
    out.

    Raises:
        ConfigError: If there is no such variant.
    """
    return [
        Pairing(
            scenario=scenario.name,
            has_fallback=len(scenario.provider) > 1,
            settings=_side_summary(scenario, seeds, variant(scenario, settings)),
            against=_side_summary(scenario, seeds, variant(scenario, against)),
        )
        for scenario in scenarios
    ]


def _side_summary(
    scenario: Scenario, seeds: Sequence[int], settings: SearchSettings
) -> SideSummary:
    """Return what became of the scenario's searches over all seeds under `settings`."""
    load = scenario.load.model_copy(update={"answers": 0})
    took: list[float] = []
    wasted, above_rate, cost = 0, 0, 0.0
    for seed in seeds:
        seeded = scenario.model_copy(update={"seed": seed, "load": load})
        trace = run_scenario(seeded, settings)
        took += [search.took_s if search.served_by else inf for search in trace.searches]
        metrics = measure(trace, trace)
        wasted += metrics.wasted_requests
        cost += metrics.cost_usd
        above_rate += _above_rate(trace, settings)
    p95_s = sorted(took)[max(1, -(-len(took) * 95 // 100)) - 1]
    return SideSummary(
        searches=len(took),
        served=sum(1 for one in took if one < inf),
        p95_s=None if p95_s == inf else percentile(took, 95),
        wasted_requests=wasted,
        above_rate=above_rate,
        cost_usd=round(cost, 6),
    )


def _above_rate(trace: LabTrace, settings: SearchSettings) -> int:
    """Return the requests of a run that found the token bucket of their provider empty."""
    rate = settings.resilience.rate_per_s
    if rate is None:
        return 0
    burst = max(1.0, float(int(rate)))
    buckets: dict[str, tuple[float, float]] = {}
    found = 0
    for request in sorted(trace.requests):
        tokens, since = buckets.get(request.provider, (burst, request.at_s))
        tokens = min(burst, tokens + (request.at_s - since) * rate)
        is_within = tokens > 1 - 1e-3
        found += not is_within
        buckets[request.provider] = (tokens - is_within, request.at_s)
    return found


def versus_table(found: Iterable[Pairing]) -> str:
    """Return the table that shows what was chosen and why, one line a scenario."""
    lines = [
        "| scenario | searches | served | p95 to results, s | p95 | wasted | above rate | cost $ |",
        "| --- " * 8 + "|",
    ]
    for pair in found:
        old, new = pair.against, pair.settings
        lines.append(
            f"| {pair.scenario}{'' if pair.has_fallback else ' (no fallback)'} | {new.searches} "
            f"| {_change(f'{old.served}', f'{new.served}')}"
            f" | {_change(_seconds(old.p95_s), _seconds(new.p95_s))} | {pair.speed} "
            f"| {_change(f'{old.wasted_requests}', f'{new.wasted_requests}')} "
            f"| {_change(f'{old.above_rate}', f'{new.above_rate}')} "
            f"| {_change(f'{old.cost_usd:.2f}', f'{new.cost_usd:.2f}')} |"
        )
    return "\n".join(lines) + "\n"


def parse_seeds(text: str) -> range:
    """Return the seeds of `1..10`, or of one number.

    Raises:
        ConfigError: If it is neither, or more than a thousand.

    >>> parse_seeds("1..10")
    range(1, 11)
    """
    found = re.fullmatch(r"(\d{1,9})(?:\.\.(\d{1,9}))?", text)
    first = int(found[1]) if found else 0
    last = int(found[2] or first) if found else -1
    if not 0 <= last - first < MOST_SEEDS:
        raise ConfigError(
            f"--seeds {text!r}: expected a range such as 1..10, of up to {MOST_SEEDS}"
        )
    return range(first, last + 1)


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _change(old: str, new: str) -> str:
    return old if old == new else f"{old} → {new}"
