"""Numbers of a run: who served, what it cost in time, requests and money, how the breaker did."""

from collections import Counter
from collections.abc import Sequence

from research_eval.failover.trace import LabTrace, outages
from research_eval.schema import ProviderTry, Record

__all__ = ["Metrics", "measure", "percentile"]


class Metrics(Record):
    """The numbers of one scenario under one variant."""

    scenario: str
    variant: str
    searches: int
    served_share: float
    """Searches that got results, of all."""
    served_by: dict[str, int]
    """Searches by the provider whose results they got."""
    cached: int
    """Searches answered without a request of their own."""
    cached_in_outage: int
    """Of these, while a provider was failing by the clock."""
    latency_p50_s: float
    latency_p95_s: float
    latency_p99_s: float
    added_p50_s: float
    """Latency added by the faults: this run against the same without them, search by search."""
    added_p95_s: float
    added_p99_s: float
    requests: int
    wasted_requests: int
    """Requests that brought no results."""
    request_retries: int
    """Requests sent again for the same search to the same provider."""
    skipped: int
    """Times that a provider was passed over without a request."""
    openings: int
    """Times that a breaker opened."""
    time_to_open_s: float | None
    """From the start of the first outage to the first opening; `None` without either."""
    time_to_recover_s: float | None
    """From the end of the last outage to the next search that its provider served."""
    probes: int
    """Requests that went out while a breaker was half-open."""
    cost_usd: float
    """Answered requests by their price, US dollars."""
    answers: int
    answers_passed: int
    """Agent's answers that the gate passed."""
    answers_passed_share: float | None


def measure(trace: LabTrace, calm: LabTrace) -> Metrics:
    """Return the numbers of `trace`, with the same load without faults beside it."""
    searches = trace.searches
    took = [search.took_s for search in searches]
    added = [a.took_s - b.took_s for a, b in zip(searches, calm.searches, strict=True)]
    served = Counter(search.served_by for search in searches if search.served_by)
    tries = [one for search in searches for one in search.tries]
    good = sum(1 for one in tries if one.outcome == "served" and one.requests)
    requests = sum(one.requests for one in tries)
    passed = sum(1 for status in trace.answers if status == "completed")
    opened, recovered = _breaker_times(trace)
    return Metrics(
        scenario=trace.scenario.name,
        variant=trace.variant,
        searches=len(searches),
        served_share=_round(served.total() / len(searches)),
        served_by={name: served[name] for name in sorted(served)},
        cached=sum(1 for search in searches if search.is_cached),
        cached_in_outage=_cached_in_outage(trace),
        latency_p50_s=percentile(took, 50),
        latency_p95_s=percentile(took, 95),
        latency_p99_s=percentile(took, 99),
        added_p50_s=percentile(added, 50),
        added_p95_s=percentile(added, 95),
        added_p99_s=percentile(added, 99),
        requests=requests,
        wasted_requests=requests - good,
        request_retries=sum(_retries(search.tries) for search in searches),
        skipped=sum(1 for one in tries if one.outcome == "skipped"),
        openings=sum(1 for turn in trace.turns if turn.state == "open"),
        time_to_open_s=opened,
        time_to_recover_s=recovered,
        probes=sum(1 for request in trace.requests if request.state == "half_open"),
        cost_usd=_round(_cost(trace)),
        answers=len(trace.answers),
        answers_passed=passed,
        answers_passed_share=_round(passed / len(trace.answers)) if trace.answers else None,
    )


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the value below which `percent` of `values` lie, by the nearest rank.

    >>> percentile([4, 1, 3, 2], 50)
    2.0
    """
    ordered = sorted(values)
    rank = max(1, -(-len(ordered) * percent // 100))
    return _round(float(ordered[int(rank) - 1]))


def _retries(tries: Sequence[ProviderTry]) -> int:
    """Return how many requests of one search went to a provider that it had asked before."""
    sent: Counter[str] = Counter()
    for one in tries:
        sent[one.provider] += one.requests
    return sum(count - 1 for count in sent.values() if count)


def _round(value: float) -> float:
    return round(value, 6) + 0.0


def _cost(trace: LabTrace) -> float:
    prices = {entry.provider: entry.price_usd for entry in trace.scenario.provider}
    return sum(prices[name] * count for name, count in trace.answered.items())


def _cached_in_outage(trace: LabTrace) -> int:
    scenario = trace.scenario
    windows = [w for entry in scenario.provider for w in outages(scenario, entry.provider)]
    return sum(
        1
        for search in trace.searches
        if search.is_cached and any(start <= search.at_s < end for start, end in windows)
    )


def _breaker_times(trace: LabTrace) -> tuple[float | None, float | None]:
    """Return how long the first opening took, and how long the first service after the end."""
    failing = {
        entry.provider: windows
        for entry in trace.scenario.provider
        if (windows := outages(trace.scenario, entry.provider))
    }
    if not failing:
        return None, None
    start = min(window[0] for windows in failing.values() for window in windows)
    opened = next((t.at_s for t in trace.turns if t.state == "open" and t.at_s >= start), None)
    last, end = max(
        ((name, end) for name, windows in failing.items() for _, end in windows),
        key=lambda item: item[1],
    )
    back = (
        search.at_s + search.took_s
        for search in trace.searches
        if search.served_by == last and not search.is_cached
    )
    served = [at for at in back if at >= end]
    return (
        None if opened is None else _round(opened - start),
        _round(min(served) - end) if served else None,
    )
