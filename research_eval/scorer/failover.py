"""How the searches of a trial were served: by whom, after how many fall-backs, at what cost."""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from research_eval.dataset import Case
from research_eval.schema import (
    ProviderTry,
    Score,
    Searched,
    TrialRecord,
)
from research_eval.scorer.measure import Measure, declares
from research_eval.scorer.protocol import Pages, scored

__all__ = ["search_failover"]

MEASURES = tuple(
    Measure(name, "count", "lower", heading, meaning, "failover", "every trial that ran")
    for name, heading, meaning in (
        ("search_unserved", "search unserved", "Searches that no provider answered."),
        ("search_fallbacks", "search fallbacks",
         "Searches that another provider than the first one answered."),
        ("search_cache_hits", "search cache hits", "Searches that the cache answered."),
        ("search_requests", "search requests",
         "HTTP requests to search providers, retries included."),
        ("search_errors", "search errors", "Tries in which a provider failed."),
        ("search_rate_limited", "search rate limited",
         "Tries that a provider turned away with a rate limit."),
        ("breaker_openings", "breaker openings",
         "Times that a provider's circuit breaker opened."),
        ("breaker_skips", "breaker skips",
         "Tries that were left out because the breaker was open."),
    )
)  # fmt: skip
COUNTED = tuple(measure.name for measure in MEASURES)
SERVED_BY = Measure(
    "served_by:*",
    "count",
    "neither",
    "served by",
    "Searches whose hits came from this provider.",
    applies="trials that it served",
)


@declares(*MEASURES, SERVED_BY)
def search_failover(case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
    """Count fall-backs, failures and cache hits, and searches by the provider that served them."""
    del case, pages
    counts: Counter[str] = Counter()
    served: Counter[str] = Counter()
    for event in trial.transcript:
        if type(event) is not Searched:
            continue
        for one in event.tries:
            _count(one, counts)
        if event.served_by is None:
            counts["search_unserved"] += 1
            continue
        served[event.served_by] += 1
        counts["search_fallbacks"] += _fell_back(event)
    values = tuple(counts[name] for name in COUNTED)
    yield from _counted(values)
    for provider, count in sorted(served.items()):
        yield scored(f"served_by:{provider}", float(count))


@lru_cache(maxsize=4096)
def _counted(counts: tuple[int, ...]) -> tuple[Score, ...]:
    return tuple(scored(name, float(n)) for name, n in zip(COUNTED, counts, strict=True))


def _fell_back(event: Searched) -> bool:
    return bool(event.tries) and event.tries[0].provider != event.served_by


def _count(one: ProviderTry, counts: Counter[str]) -> None:
    counts["search_cache_hits"] += one.outcome == "cached"
    counts["search_requests"] += one.requests
    counts["search_errors"] += one.outcome == "error"
    counts["search_rate_limited"] += one.error == "rate_limited"
    counts["breaker_openings"] += one.breaker_opened
    counts["breaker_skips"] += one.outcome == "skipped"
