"""One provider made dependable: cache, circuit breaker, rate limit, request retries."""

import random
from collections.abc import Callable

from research_eval.clock import Clock
from research_eval.schema import ProviderTry, SearchHit
from research_eval.tool.search.breaker import BreakerState, CircuitBreaker, Permit
from research_eval.tool.search.cache import FreshCache
from research_eval.tool.search.fallback import Asking, failed_try
from research_eval.tool.search.flight import SharedFlight
from research_eval.tool.search.limiter import TokenBucket
from research_eval.tool.search.protocol import (
    BoundedProvider,
    SearchError,
    SearchErrorKind,
    SearchProvider,
    SearchReply,
)
from research_eval.tool.search.query import clean_text
from research_eval.tool.search.resilience import ResilienceSettings
from research_eval.waiting import Waits

__all__ = ["ResilientSearchProvider"]

_HOPELESS = frozenset(
    {"auth", "quota", "bad_query", "crashed", "empty", "unconfigured", "unrecorded"}
)
"""Kinds of failure that the same request would meet again."""

_UNCOUNTED = frozenset({"bad_query", "empty", "unconfigured", "unrecorded", "breaker_open"})
"""Kinds of failure that say nothing of the provider's health."""


_BARREN = 1_000_000
"""Longer than any queue: who finds nothing comes last."""


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
        has_fallback: bool = False,
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
            has_fallback: Whether another provider is asked where this one does not serve; if not,
                only failures in a row open the breaker, for a slow answer is better than none.
        """
        self.name = inner.name
        self._inner = inner
        self._bounded = inner if isinstance(inner, BoundedProvider) else None
        self._settings = settings
        self._clock = clock
        self._rng = rng
        self._cache: FreshCache[tuple[str, int], tuple[SearchHit, ...]] = FreshCache(
            size=settings.cache_size,
            ttl_s=settings.cache_ttl_s,
            evict_expired=settings.evict_expired,
        )
        self._breaker = CircuitBreaker(
            settings.breaker_policy(has_fallback=has_fallback), on_change=on_breaker
        )
        self._queue: set[object] = set()  # searches that wait for their turn
        self._empty_in_a_row = 0
        self._yields_until = 0.0
        self._bucket = bucket or settings.bucket(clock)
        self._is_shared = bucket is not None
        self._waits = waits or Waits(clock)
        self._on_failure = on_failure
        self._flight: SharedFlight[tuple[str, int], SearchReply] = SharedFlight()

    async def search(self, query: str, max_results: int) -> SearchReply:
        """Return a fresh answer from the cache, or the provider's; ask as often as settings allow.

        Raises:
            SearchError: If there was none; of kind `breaker_open` if nothing was sent at all.
        """
        asking = Asking((self,), query, max_results)
        reply = await asking.run(self._clock, self._waits)
        if reply is not None:
            return reply
        if isinstance(asking.last, SearchError):
            raise _with_tries(asking.last, tuple(asking.tries)) from asking.last.__cause__
        return SearchReply(hits=(), served_by=self.name, tries=tuple(asking.tries))

    async def attempt(
        self,
        query: str,
        max_results: int,
        *,
        is_last_chance: bool = False,
        is_replaceable: bool = False,
    ) -> SearchReply:
        """Return a fresh answer from the cache, or the provider's to one request.

        Where request retries come before the fallback, they are part of the attempt.

        Args:
            query: What is searched for.
            max_results: The most hits that are wanted.
            is_last_chance: Whether every other provider has been asked; then a provider that rests
                after failures may be asked as soon as its first cool-down is over.
            is_replaceable: Whether a provider that does not rest is asked next; then a slow answer is
                not waited for.

        Raises:
            SearchError: If there was none; of kind `breaker_open` if nothing was sent at all.
        """
        key = (clean_text(query), max_results)
        hits = self._cache.get(key, self._clock.now())
        if hits is not None:
            return self._cached(hits)
        is_shared = self._settings.coalesce and self._flight.is_under_way(key)
        call = _Call(
            is_virtual=self._clock.is_virtual,
            is_last_chance=is_last_chance,
            is_replaceable=is_replaceable and self._can_ask_again(),
        )
        if not is_shared:
            self._queue.add(call)
        try:
            if not self._settings.coalesce:
                return await self._ask(key, call)
            reply = await self._flight.join(key, lambda: self._ask(key, call))
        except SearchError as exc:
            raise _without_requests(exc) if is_shared else exc from exc.__cause__
        finally:
            self._queue.discard(call)
        return self._cached(reply.hits) if is_shared else reply

    def again_in_s(self, error: SearchError, *, attempts: int, waited_s: float) -> float | None:
        """Return when a search may ask this provider again: after its back-off, or its pause."""
        settings = self._settings
        if settings.honour_retry_after and error.retry_after_s is not None:
            wait = self._pause_left_s()
            is_short = settings.max_wait_s is None or waited_s + wait <= settings.max_wait_s
            return wait if is_short and attempts <= settings.request_retries else None
        if not settings.fallback_first:
            return None
        if error.tries[-1].outcome == "skipped":
            may_ask = attempts <= settings.request_retries
            is_early = may_ask and self._breaker.may_probe_early(self._clock.now())
            return 0.0 if is_early else None
        return self._back_off(error, attempts - 1)

    def rests(self) -> bool:
        """Return whether the breaker would let no search through now."""
        return self._breaker.refuses(self._clock.now())

    def yields(self, query: str, max_results: int) -> int:
        """Return the length of a queue that is too long, more for one that finds nothing.

        It is 0 for an answer from the cache, and less where such an answer goes before a request to
        another provider.
        """
        now = self._clock.now()
        key = (clean_text(query), max_results)
        if self._cache.has(key, now):
            return -1 if self._settings.fallback_first else 0
        ahead = self._ahead()
        is_barren = now < self._yields_until
        if self._flight.is_under_way(key):
            return 0
        return ahead + (_BARREN if is_barren else 0)

    def _ahead(self) -> int:
        """Return the searches of this chain that wait, as far as they are too many."""
        limit = self._settings.max_waiting
        if limit is None or self._settings.rate_per_s is None:
            return 0
        ahead = len(self._queue) - self._bucket.tokens()
        return ahead if ahead >= max(1, limit) else 0

    def _cached(self, hits: tuple[SearchHit, ...]) -> SearchReply:
        tried = ProviderTry(provider=self.name, outcome="cached")
        return SearchReply(hits=hits, served_by=self.name, tries=(tried,))

    async def _ask(self, key: tuple[str, int], call: "_Call") -> SearchReply:
        permit = self._breaker.admit(self._clock.now(), is_last_chance=call.is_last_chance)
        if permit is None:
            raise self._passed_over("is left alone after failures")
        try:
            reply = await self._request(key, permit, call)
        except SearchError as exc:
            opened = self._count_failure(permit, exc, call)
            raise call.told(self.name, exc, opened=opened) from exc.__cause__
        except BaseException:
            self._breaker.release(permit)
            raise
        opened = self._count_reply(permit, reply, call)
        if reply.hits:
            self._cache.put(key, reply.hits, self._clock.now())
        return call.tell(self.name, reply, opened=opened)

    async def _request(self, key: tuple[str, int], permit: Permit, call: "_Call") -> SearchReply:
        """Wait for the rate limit, then send; send again where that comes before the fallback."""
        await self._wait_for_turn(permit, call)
        sent = 0
        while True:
            began = self._clock.now()
            try:
                with self._waits.awaited(self.name):
                    reply = await self._send(key, call)
            except SearchError as exc:
                call.took_s = self._clock.now() - began
                if self._on_failure is not None:
                    self._on_failure(exc)
                call.add(exc.tries or (failed_try(self.name, exc),))
                wait = None if self._settings.fallback_first else self._back_off(exc, sent)
                if wait is None:
                    raise
            else:
                call.took_s = self._clock.now() - began
                call.add(reply.tries or (_served(self.name),))
                if reply.pause_s:
                    self._bucket.pause(reply.pause_s)
                return reply
            sent += 1
            call.waited_s += wait
            with self._waits.held():
                await self._clock.sleep(wait)

    async def _send(self, key: tuple[str, int], call: "_Call") -> SearchReply:
        slow_s = self._settings.slow_call_s
        if self._bounded is None or slow_s is None or not call.is_replaceable:
            return await self._inner.search(*key)
        return await self._bounded.search_within(*key, slow_s)

    def _can_ask_again(self) -> bool:
        """Return whether a search that moves on to the next provider may come back to this one."""
        return self._settings.fallback_first and self._settings.request_retries > 0

    async def _wait_for_turn(self, permit: Permit, call: "_Call") -> None:
        limit = self._settings.max_wait_s
        if limit is not None and self._wait_ahead_s() > limit:
            raise self._skipped("rate_limited", "has too many searches waiting")
        if call.is_replaceable and self._bucket.is_slowed:
            wait = self._bucket.wait_s()
            if wait * (self._settings.rate_per_s or 1) > 1:
                raise self._skipped("rate_limited", "is asked more slowly", wait)
        with self._waits.held():
            call.waited_s += await self._bucket.acquire()
        self._queue.discard(call)
        if not self._settings.may_overdraw and not self._breaker.is_current(permit):
            raise self._passed_over("failed while this search waited")

    def _wait_ahead_s(self) -> float:
        """Return the wait that counts against the limit; a queue of other trials is no part of it."""
        return self._bucket.paused_s() if self._is_shared else self._bucket.wait_s()

    def _back_off(self, exc: SearchError, sent_again: int) -> float | None:
        """Return the wait before the request is sent again, or `None` where it is not."""
        settings = self._settings
        if sent_again >= settings.request_retries:
            return None
        if exc.kind in _HOPELESS and not settings.retry_hopeless:
            return None
        if exc.retry_after_s is not None and settings.honour_retry_after:
            return None
        wait = settings.backoff_s * 2.0**sent_again
        if settings.backoff_jitter:
            wait *= 1 - settings.backoff_jitter * self._rng.random()
        return round(wait, 6)

    def _pause_left_s(self) -> float:
        left = self._breaker.reopens_at - self._clock.now()
        return (
            max(1e-6, round(left, 6)) if left > 0 else 0.0
        )  # a wait of 0 would be asked for for ever

    def _count_failure(self, permit: Permit, exc: SearchError, call: "_Call") -> bool:
        now, settings = self._clock.now(), self._settings
        was_asked = exc.tries[-1].outcome != "skipped" if exc.tries else True
        if settings.honour_retry_after and exc.retry_after_s and was_asked:
            self._breaker.release(permit)
            return self._breaker.hold(now, now + exc.retry_after_s, is_pause=True)
        if settings.quota_cooldown_s is not None and exc.kind in {"auth", "quota"}:
            self._breaker.release(permit)
            return self._breaker.hold(now, now + settings.quota_cooldown_s, is_pause=False)
        if exc.kind in _UNCOUNTED or self._says_nothing_new(exc, call):
            self._breaker.release(permit)
            return False
        return self._breaker.settle(permit, now, is_good=False, took_s=call.took_s)

    def _says_nothing_new(self, exc: SearchError, call: "_Call") -> bool:
        """Return whether requests came too fast that a slower rate, since then, would have held back."""
        if exc.kind != "rate_limited":
            return False
        if exc.status is None:
            return True
        if not self._settings.adapt_rate:
            return False
        return not self._bucket.slow_down(self._clock.now() - call.took_s)

    def _count_reply(self, permit: Permit, reply: SearchReply, call: "_Call") -> bool:
        now, settings = self._clock.now(), self._settings
        self._empty_in_a_row = 0 if reply.hits else self._empty_in_a_row + 1
        limit = settings.empty_threshold
        if limit is not None:
            is_barren = self._empty_in_a_row >= limit
            self._yields_until = now + settings.empty_rest_s if is_barren else 0.0
        is_good = bool(reply.hits) or not settings.empty_is_failure
        return self._breaker.settle(permit, now, is_good=is_good, took_s=call.took_s)

    def _passed_over(self, why: str) -> SearchError:
        """Return the error of a search that the breaker keeps from the provider."""
        if not self._breaker.is_held:
            return self._skipped("breaker_open", why)
        pause = self._pause_left_s()
        return self._skipped("breaker_open", f"asked for a pause of {pause:g} s", pause)

    def _skipped(
        self, kind: SearchErrorKind, why: str, retry_after_s: float | None = None
    ) -> SearchError:
        tried = ProviderTry(provider=self.name, outcome="skipped", error=kind)
        return SearchError(
            f"{self.name} {why}", kind=kind, retry_after_s=retry_after_s, tries=(tried,)
        )


class _Call:
    """What one search cost until now: requests, waits, latency."""

    def __init__(self, *, is_virtual: bool, is_last_chance: bool, is_replaceable: bool) -> None:
        self.is_last_chance = is_last_chance
        self.is_replaceable = is_replaceable  # by a provider that is ready, and then asked again
        self.waited_s = 0.0
        self.took_s = 0.0  # the last request
        self._is_virtual = is_virtual
        self._tries: list[ProviderTry] = []

    def add(self, tries: tuple[ProviderTry, ...]) -> None:
        self._tries += tries

    def tell(self, name: str, reply: SearchReply, *, opened: bool) -> SearchReply:
        last = reply.tries[-1] if reply.tries else _served(name)
        return reply.model_copy(update={"tries": (self._summed(last, opened=opened),)})

    def told(self, name: str, exc: SearchError, *, opened: bool) -> SearchError:
        last = exc.tries[-1] if exc.tries else failed_try(name, exc)
        return _with_tries(exc, (self._summed(last, opened=opened),))

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
    return _with_tries(exc, tuple(tried.model_copy(update=nothing) for tried in exc.tries))


def _with_tries(exc: SearchError, tries: tuple[ProviderTry, ...]) -> SearchError:
    return SearchError(
        str(exc),
        kind=exc.kind,
        status=exc.status,
        retry_after_s=exc.retry_after_s,
        tries=tries,
    )
