"""One provider made dependable: cache, circuit breaker, rate limit, request retries."""

import random
from collections.abc import Callable

from pydantic import Field, field_validator

from research_eval.clock import Clock
from research_eval.schema import ProviderTry, Record, SearchHit
from research_eval.tool.search.breaker import BreakerState, CircuitBreaker, Permit
from research_eval.tool.search.cache import FreshCache
from research_eval.tool.search.fallback import failed_try
from research_eval.tool.search.flight import SharedFlight
from research_eval.tool.search.limiter import TokenBucket
from research_eval.tool.search.protocol import (
    SearchError,
    SearchErrorKind,
    SearchProvider,
    SearchReply,
)
from research_eval.tool.search.query import clean_text
from research_eval.waiting import Waits

__all__ = ["ResilienceSettings", "ResilientSearchProvider"]

_HOPELESS = frozenset({"auth", "quota", "bad_query", "unconfigured", "off_tape"})
"""Kinds of failure that the same request would meet again."""

_UNCOUNTED = frozenset({"bad_query", "unconfigured", "off_tape", "breaker_open"})
"""Kinds of failure that say nothing of the provider's health."""


class ResilienceSettings(Record):
    """How a provider is protected, and others from it.

    Where a setting can be `None`, a file says `"none"`, since TOML has no word for it.
    """

    cache_ttl_s: float = Field(default=300, ge=0)
    """How long an answer stays fresh, in seconds."""
    cache_size: int = Field(default=100, ge=0)
    """Answers that are kept; 0 keeps none."""
    evict_expired: bool = True
    """Whether stale answers make room before fresh ones."""
    coalesce: bool = True
    """Whether identical searches at the same time share one request."""
    failure_threshold: int | None = Field(default=5, ge=1)
    """Failures in a row that open the circuit breaker; `None` never opens it."""
    cooldown_s: float = Field(default=60, ge=0)
    """How long the breaker stays open, in seconds."""
    probes: int | None = Field(default=1, ge=1)
    """Searches let through at once while half-open; `None` lets all through."""
    empty_is_failure: bool = False
    """Whether the breaker counts an empty answer as a failure."""
    quota_cooldown_s: float | None = Field(default=600, ge=0)
    """How long to leave a provider alone whose key or quota was refused; `None`: no rule."""
    rate_per_s: float | None = Field(default=1, gt=0)
    """Requests a second; `None` is no limit."""
    burst: int = Field(default=1, ge=1)
    """Requests that may follow each other at once after a pause."""
    may_overdraw: bool = False
    """Whether callers who wait together take the same token together."""
    max_wait_s: float | None = Field(default=10, ge=0)
    """The longest wait for the rate limit or a Retry-After; what is longer fails at once."""
    request_retries: int = Field(default=1, ge=0)
    """Times that a failed request is sent again."""
    backoff_s: float = Field(default=0.5, ge=0)
    """The wait before the first request retry; it doubles each time."""
    backoff_jitter: float = Field(default=0.5, ge=0, le=1)
    """The share of each back-off that is left to (seeded) chance."""
    honour_retry_after: bool = True
    """Whether a provider is left alone for as long as it asks."""
    retry_hopeless: bool = False
    """Whether requests are sent again that cannot succeed: bad key, spent quota, bad query."""

    @field_validator("*", mode="before")
    @classmethod
    def _none_is_a_word(cls, value: object) -> object:
        return None if value == "none" else value

    def bucket(self, clock: Clock) -> TokenBucket:
        """Return a rate limit of these settings."""
        return TokenBucket(
            clock,
            rate_per_s=self.rate_per_s,
            burst=self.burst,
            may_overdraw=self.may_overdraw,
        )

    @classmethod
    def original(cls) -> "ResilienceSettings":
        """Return the plainest form: same numbers, none of the later refinements."""
        return cls(
            evict_expired=False,
            coalesce=False,
            probes=None,
            empty_is_failure=True,
            quota_cooldown_s=None,
            may_overdraw=True,
            max_wait_s=None,
            backoff_jitter=0,
            honour_retry_after=False,
            retry_hopeless=True,
        )


class ResilientSearchProvider:
    """Cache, then breaker, then rate limit, then request retries, around one provider.

    A cancelled search is neither sent again nor counted as a failure.
    """

    def __init__(
        self,
        inner: SearchProvider,
        settings: ResilienceSettings,
        *,
        clock: Clock,
        rng: random.Random,
        on_breaker: Callable[[float, BreakerState], None] | None = None,
        bucket: TokenBucket | None = None,
        waits: Waits | None = None,
        on_failure: Callable[[SearchError], None] | None = None,
    ) -> None:
        """Protect `inner`.

        Args:
            inner: The provider.
            settings: How.
            clock: For limits, back-off and breaker.
            rng: The chance in back-offs.
            on_breaker: Is told of every turn of the breaker.
            bucket: A rate limit that is shared with other trials, instead of one of its own; each
                waits its turn, however long, so that no outcome depends on how many run at a time.
            waits: Is told when the trial is held back, and when the provider is waited for.
            on_failure: Is told of every request that failed.
        """
        self.name = inner.name
        self._inner = inner
        self._settings = settings
        self._clock = clock
        self._rng = rng
        self._cache: FreshCache[tuple[str, int], tuple[SearchHit, ...]] = FreshCache(
            size=settings.cache_size,
            ttl_s=settings.cache_ttl_s,
            evict_expired=settings.evict_expired,
        )
        self._breaker = CircuitBreaker(
            failure_threshold=settings.failure_threshold,
            cooldown_s=settings.cooldown_s,
            probes=settings.probes,
            on_change=on_breaker,
        )
        self._bucket = bucket or settings.bucket(clock)
        self._is_shared = bucket is not None
        self._waits = waits or Waits(clock)
        self._on_failure = on_failure
        self._flight: SharedFlight[tuple[str, int], SearchReply] = SharedFlight()

    async def search(self, query: str, max_results: int) -> SearchReply:
        """Return a fresh answer from the cache, or the provider's.

        Raises:
            SearchError: If there was none; of kind `breaker_open` if nothing was sent at all.
        """
        key = (clean_text(query), max_results)
        hits = self._cache.get(key, self._clock.now())
        if hits is not None:
            return self._cached(hits)
        if not self._settings.coalesce:
            return await self._ask(key)
        is_shared = self._flight.is_under_way(key)
        try:
            reply = await self._flight.join(key, lambda: self._ask(key))
        except SearchError as exc:
            raise _without_requests(exc) if is_shared else exc from exc.__cause__
        return self._cached(reply.hits) if is_shared else reply

    def _cached(self, hits: tuple[SearchHit, ...]) -> SearchReply:
        tried = ProviderTry(provider=self.name, outcome="cached")
        return SearchReply(hits=hits, served_by=self.name, tries=(tried,))

    async def _ask(self, key: tuple[str, int]) -> SearchReply:
        permit = self._breaker.admit(self._clock.now())
        if permit is None:
            raise self._skipped("breaker_open", "is left alone after failures")
        call = _Call(is_virtual=self._clock.is_virtual)
        try:
            reply = await self._request(key, permit, call)
        except SearchError as exc:
            opened = self._count_failure(permit, exc)
            raise call.told(self.name, exc, opened=opened) from exc.__cause__
        except BaseException:
            self._breaker.release(permit)
            raise
        opened = self._count_reply(permit, reply)
        if reply.hits:
            self._cache.put(key, reply.hits, self._clock.now())
        return call.tell(self.name, reply, opened=opened)

    async def _request(self, key: tuple[str, int], permit: Permit, call: "_Call") -> SearchReply:
        """Wait for the rate limit, then send, and send again where that may help."""
        settings = self._settings
        limit = settings.max_wait_s
        if limit is not None and self._wait_ahead_s() > limit:
            raise self._skipped("rate_limited", "has too many searches waiting")
        with self._waits.held():
            call.waited_s += await self._bucket.acquire()
        if not settings.may_overdraw and not self._breaker.is_current(permit):
            raise self._skipped("breaker_open", "failed while this search waited")
        for sent in range(settings.request_retries + 1):
            try:
                with self._waits.awaited(self.name):
                    reply = await self._inner.search(*key)
            except SearchError as exc:
                if self._on_failure is not None:
                    self._on_failure(exc)
                call.add(exc.tries or (failed_try(self.name, exc),))
                wait = self._back_off(exc, sent)
                if wait is None:
                    raise
            else:
                call.add(reply.tries or (_served(self.name),))
                if reply.pause_s:
                    self._bucket.pause(reply.pause_s)
                return reply
            call.waited_s += wait
            with self._waits.held():
                await self._clock.sleep(wait)
        raise AssertionError("unreachable")

    def _wait_ahead_s(self) -> float:
        """Return the wait that counts against the limit; a queue of other trials is no part of it."""
        return self._bucket.paused_s() if self._is_shared else self._bucket.wait_s()

    def _back_off(self, exc: SearchError, sent: int) -> float | None:
        """Return the wait before the request is sent again, or `None` where it is not."""
        settings = self._settings
        if sent >= settings.request_retries:
            return None
        if exc.kind in _HOPELESS and not settings.retry_hopeless:
            return None
        wait = settings.backoff_s * 2.0**sent
        if settings.backoff_jitter:
            wait *= 1 - settings.backoff_jitter * self._rng.random()
        if settings.honour_retry_after and exc.retry_after_s is not None:
            wait = max(wait, exc.retry_after_s)
            if settings.max_wait_s is not None and wait > settings.max_wait_s:
                return None
        return round(wait, 6)

    def _count_failure(self, permit: Permit, exc: SearchError) -> bool:
        now, settings = self._clock.now(), self._settings
        if settings.honour_retry_after and exc.retry_after_s:
            return self._breaker.hold(permit, now, now + exc.retry_after_s)
        if settings.quota_cooldown_s is not None and exc.kind in {"auth", "quota"}:
            return self._breaker.hold(permit, now, now + settings.quota_cooldown_s)
        if exc.kind in _UNCOUNTED or (exc.kind == "rate_limited" and exc.status is None):
            self._breaker.release(permit)
            return False
        return self._breaker.fail(permit, now)

    def _count_reply(self, permit: Permit, reply: SearchReply) -> bool:
        if not reply.hits and self._settings.empty_is_failure:
            return self._breaker.fail(permit, self._clock.now())
        self._breaker.succeed(permit, self._clock.now())
        return False

    def _skipped(self, kind: SearchErrorKind, why: str) -> SearchError:
        tried = ProviderTry(provider=self.name, outcome="skipped", error=kind)
        return SearchError(f"{self.name} {why}", kind=kind, tries=(tried,))


class _Call:
    """What one search cost until now: requests, waits, latency."""

    def __init__(self, *, is_virtual: bool) -> None:
        self.waited_s = 0.0
        self._is_virtual = is_virtual
        self._tries: list[ProviderTry] = []

    def add(self, tries: tuple[ProviderTry, ...]) -> None:
        self._tries += tries

    def tell(self, name: str, reply: SearchReply, *, opened: bool) -> SearchReply:
        last = reply.tries[-1] if reply.tries else _served(name)
        return reply.model_copy(update={"tries": (self._summed(last, opened=opened),)})

    def told(self, name: str, exc: SearchError, *, opened: bool) -> SearchError:
        last = exc.tries[-1] if exc.tries else failed_try(name, exc)
        return SearchError(
            str(exc),
            kind=exc.kind,
            status=exc.status,
            retry_after_s=exc.retry_after_s,
            tries=(self._summed(last, opened=opened),),
        )

    def _summed(self, last: ProviderTry, *, opened: bool) -> ProviderTry:
        took = [tried.latency_s for tried in self._tries if tried.latency_s is not None]
        return last.model_copy(
            update={
                "requests": sum(tried.requests for tried in self._tries),
                "waited_s": round(self.waited_s, 6) if self._is_virtual else None,
                "latency_s": round(sum(took), 6) if took else None,
                "breaker_opened": opened,
            }
        )


def _served(name: str) -> ProviderTry:
    return ProviderTry(provider=name, outcome="served", requests=1)


def _without_requests(exc: SearchError) -> SearchError:
    """Return the failure of a request that another search made."""
    nothing = {"requests": 0, "waited_s": None, "breaker_opened": False}
    return SearchError(
        str(exc),
        kind=exc.kind,
        status=exc.status,
        retry_after_s=exc.retry_after_s,
        tries=tuple(tried.model_copy(update=nothing) for tried in exc.tries),
    )
