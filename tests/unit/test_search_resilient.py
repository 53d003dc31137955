"""Cache, breaker, rate limit and request retries around one provider."""

import asyncio
import random

import pytest

from research_eval.clock import EventClock, VirtualClock, run_on_event_clock
from research_eval.schema import SearchHit
from research_eval.tool.search import (
    ResilienceSettings,
    ResilientSearchProvider,
    SearchError,
    SearchReply,
)

FREE = {"rate_per_s": None, "request_retries": 0, "cache_size": 0}


class Provider:
    """Answers what a script says, one entry a request; the last one stays."""

    name = "p"

    def __init__(self, *script, clock=None, takes_s: float = 0) -> None:
        self.script = list(script) or ["ok"]
        self.requests: list[float] = []
        self.clock = clock
        self.takes_s = takes_s

    async def search(self, query: str, max_results: int) -> SearchReply:
        self.requests.append(self.clock.now())
        if self.takes_s:
            await self.clock.sleep(self.takes_s)
        entry = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if entry == "ok":
            hit = SearchHit(url=f"https://a.example/{query}", rank=1)
            return SearchReply(hits=(hit,), served_by=self.name)
        if entry == "empty":
            return SearchReply(hits=(), served_by=self.name)
        kind, _, wait = entry.partition(":")
        raise SearchError(entry, kind=kind, status=500, retry_after_s=float(wait) if wait else None)


class Rig:
    """A protected provider on a clock of one trial."""

    def __init__(self, *script, original: bool = False, **settings) -> None:
        self.clock = VirtualClock()
        self.inner = Provider(*script, clock=self.clock)
        base = ResilienceSettings.original() if original else ResilienceSettings()
        resolved = base.model_copy(update=settings)
        self.turns: list[tuple[float, str]] = []
        self.provider = ResilientSearchProvider(
            self.inner,
            ResilienceSettings.model_validate(resolved.model_dump()),
            clock=self.clock,
            rng=random.Random(0),
            on_breaker=lambda now, state: self.turns.append((now, state)),
        )

    def ask(self, query: str = "q") -> SearchReply | SearchError:
        async def once() -> SearchReply | SearchError:
            try:
                return await self.provider.search(query, 5)
            except SearchError as exc:
                return exc

        return asyncio.run(once())

    def outcomes(self, count: int) -> list[str]:
        return [self.ask(f"q{n}").tries[-1].outcome for n in range(count)]


def test_the_original_s_numbers_are_those_of_the_design():
    settings = ResilienceSettings.original()

    assert (settings.cache_ttl_s, settings.cache_size) == (300, 100)
    assert (settings.failure_threshold, settings.cooldown_s) == (5, 60)
    assert settings.rate_per_s == 1
    assert (settings.request_retries, settings.backoff_s) == (1, 0.5)
    assert (settings.failure_rate, settings.slow_call_s, settings.cooldown_factor) == (
        None,
        None,
        1,
    )


def test_a_preset_is_named_alone_or_beside_settings_of_one_s_own():
    original = ResilienceSettings.original()

    assert ResilienceSettings.model_validate("original") == original
    mixed = ResilienceSettings.model_validate({"preset": "original", "rate_per_s": 5})
    assert mixed == original.model_copy(update={"rate_per_s": 5})
    assert ResilienceSettings.model_validate({"preset": "default"}) == ResilienceSettings()


@pytest.mark.parametrize("preset", ["orignal", 3, None])
def test_an_unknown_preset_is_refused_with_those_that_there_are(preset):
    with pytest.raises(ValueError, match=r"unknown preset .*; known: default, 0\.1, original"):
        ResilienceSettings.model_validate({"preset": preset})


def test_a_fresh_answer_comes_from_the_cache():
    rig = Rig()
    rig.ask()
    rig.clock.advance(299)

    reply = rig.ask()

    assert reply.tries[0].outcome == "cached"
    assert reply.hits[0].url == "https://a.example/q"
    assert len(rig.inner.requests) == 1


def test_a_stale_answer_does_not():
    rig = Rig()
    rig.ask()
    rig.clock.advance(301)

    assert rig.ask().tries[0].outcome == "served"


def test_spelling_that_a_search_engine_ignores_hits_the_cache():
    rig = Rig()
    rig.ask("what  are tides")

    assert rig.ask(" what are\ttides ").tries[0].outcome == "cached"


def test_the_least_recently_used_answer_leaves_a_full_cache():
    rig = Rig(cache_size=2, rate_per_s=None)
    for query in ("a", "b", "a", "c"):
        rig.ask(query)

    assert rig.ask("a").tries[0].outcome == "cached"
    assert rig.ask("b").tries[0].outcome == "served"


@pytest.mark.parametrize("original", [True, False])
def test_stale_answers_make_room_first_unless_it_is_the_original(original):
    rig = Rig(original=original, cache_size=2, cache_ttl_s=100, rate_per_s=None)
    rig.ask("early")
    rig.clock.advance(50)
    rig.ask("late")
    rig.clock.advance(45)
    rig.ask("early")
    rig.clock.advance(10)
    rig.ask("third")

    kept = rig.ask("late").tries[0].outcome
    assert kept == ("served" if original else "cached")


def test_five_failures_open_the_breaker_for_a_minute():
    rig = Rig("server", **FREE, cooldown_s=60)

    assert rig.outcomes(7) == ["error"] * 5 + ["skipped"] * 2
    rig.clock.advance(59.9)
    assert rig.outcomes(1) == ["skipped"]
    rig.clock.advance(0.2)
    assert rig.outcomes(1) == ["error"]
    assert len(rig.inner.requests) == 6


def test_the_try_that_opened_the_breaker_says_so():
    rig = Rig("server", **FREE)

    assert [rig.ask().tries[0].breaker_opened for _ in range(6)] == [False] * 4 + [True, False]


def test_a_success_between_failures_starts_the_count_again():
    rig = Rig("server", "server", "server", "server", "ok", "server", **FREE)

    assert "skipped" not in rig.outcomes(9)


def test_a_good_probe_closes_the_breaker():
    rig = Rig(*["server"] * 5, "ok", **FREE)
    rig.outcomes(5)
    rig.clock.advance(60)

    assert rig.outcomes(3) == ["served"] * 3
    assert [state for _, state in rig.turns] == ["open", "half_open", "closed"]


def test_a_bad_probe_opens_it_for_another_minute():
    rig = Rig("server", **FREE)
    rig.outcomes(5)
    rig.clock.advance(60)

    assert rig.outcomes(2) == ["error", "skipped"]


def test_the_cache_answers_while_the_breaker_is_open():
    rig = Rig("ok", "server", **{**FREE, "cache_size": 10})
    rig.ask("known")
    rig.outcomes(5)

    assert rig.ask("new").tries[0].outcome == "skipped"
    assert rig.ask("known").tries[0].outcome == "cached"


def test_without_a_threshold_the_breaker_never_opens():
    assert Rig("server", **FREE, failure_threshold=None).outcomes(20) == ["error"] * 20


def test_requests_are_a_second_apart():
    rig = Rig(cache_size=0)
    rig.outcomes(4)

    assert rig.inner.requests == [0, 1, 2, 3]
    assert rig.ask().tries[0].waited_s == 1


def test_a_failed_request_is_sent_once_more_after_half_a_second():
    rig = Rig("server", "ok", backoff_jitter=0, rate_per_s=None)

    reply = rig.ask()

    assert rig.inner.requests == [0, 0.5]
    assert [(one.outcome, one.requests, one.waited_s) for one in reply.tries] == [
        ("error", 1, 0),
        ("served", 1, 0.5),
    ]


def test_a_request_retry_keeps_the_rate_limit():
    rig = Rig("server", "ok", rate_per_s=0.25)
    rig.ask()

    assert rig.inner.requests == [0, 4]


def test_in_place_a_failed_request_is_sent_once_more_within_the_attempt():
    rig = Rig("server", "ok", backoff_jitter=0, fallback_first=False)

    assert rig.ask().tries[0].requests == 2
    assert rig.inner.requests == [0, 0.5]


def test_back_off_doubles():
    rig = Rig("server", request_retries=3, backoff_jitter=0, rate_per_s=None)
    rig.ask()

    assert rig.inner.requests == [0, 0.5, 1.5, 3.5]


def test_jitter_shortens_the_wait_and_is_the_same_for_the_same_seed():
    first, second = (Rig("server", "ok", rate_per_s=None) for _ in range(2))
    first.ask()
    second.ask()

    assert first.inner.requests == second.inner.requests
    assert 0.25 <= first.inner.requests[1] < 0.5


@pytest.mark.parametrize("kind", ["auth", "quota", "bad_query"])
@pytest.mark.parametrize("original", [True, False])
def test_a_request_that_cannot_succeed_is_not_sent_again_unless_it_is_the_original(kind, original):
    rig = Rig(kind, original=original)
    rig.ask()

    assert len(rig.inner.requests) == (2 if original else 1)


def test_a_refused_key_is_left_alone_for_a_while():
    rig = Rig("auth", **FREE)

    assert rig.outcomes(3) == ["error", "skipped", "skipped"]
    rig.clock.advance(601)
    assert rig.outcomes(1) == ["error"]


def test_a_bad_query_does_not_count_against_the_provider():
    assert Rig("bad_query", **FREE).outcomes(9) == ["error"] * 9


def test_a_short_retry_after_is_waited_for():
    rig = Rig("rate_limited:3", "ok")
    rig.ask()

    assert rig.inner.requests == [0, 3]


def test_a_long_retry_after_leaves_the_provider_alone_for_as_long():
    rig = Rig("rate_limited:30", "ok", rate_per_s=None, cache_size=0)

    assert rig.outcomes(2) == ["error", "skipped"]
    assert rig.clock.now() == 0
    rig.clock.advance(30)
    assert rig.outcomes(1) == ["served"]


def test_the_original_ignores_retry_after():
    rig = Rig("rate_limited:30", "ok", original=True)
    rig.ask()

    assert rig.inner.requests == [0, 0.5]


@pytest.mark.parametrize("original", [True, False])
def test_an_empty_answer_is_no_outage_unless_it_is_the_original(original):
    rig = Rig("empty", original=original, **FREE)
    replies = [rig.ask(f"q{n}") for n in range(7)]

    skipped = [r for r in replies if r.tries and r.tries[-1].outcome == "skipped"]
    assert len(skipped) == (2 if original else 0)


def test_an_empty_answer_is_not_cached():
    rig = Rig("empty", "ok", rate_per_s=None)
    rig.ask()

    assert rig.ask().hits


class Crowd:
    """Many callers at once, on the clock for many tasks."""

    def __init__(self, *script, takes_s: float = 0.2, original: bool = False, **settings) -> None:
        base = ResilienceSettings.original() if original else ResilienceSettings()
        self.settings = ResilienceSettings.model_validate({**base.model_dump(), **settings})
        self.script, self.takes_s = script, takes_s
        self.times: list[float] = []

    def run(self, queries, *, cancel_after: float | None = None, first_alone_s: float = 0):
        async def main(clock: EventClock):
            self.inner = Provider(*self.script, clock=clock, takes_s=self.takes_s)
            self.provider = ResilientSearchProvider(
                self.inner, self.settings, clock=clock, rng=random.Random(0)
            )

            async def one(query: str):
                try:
                    return (await self.provider.search(query, 5)).tries[-1].outcome
                except SearchError as exc:
                    return exc.tries[-1].outcome
                except asyncio.CancelledError:
                    return "cancelled"

            tasks = [asyncio.create_task(one(query)) for query in queries]
            if cancel_after is not None:
                await clock.sleep(cancel_after)
                tasks[0].cancel()
            return [await task for task in tasks], self.inner.requests, clock.now()

        return run_on_event_clock(main)


@pytest.mark.parametrize("original", [True, False])
def test_identical_searches_at_the_same_time_share_one_request_unless_it_is_the_original(original):
    outcomes, requests, _ = Crowd(original=original, rate_per_s=None).run(["q"] * 4)

    assert len(requests) == (4 if original else 1)
    assert outcomes == (["served"] * 4 if original else ["served", "cached", "cached", "cached"])


def test_a_shared_failure_counts_its_requests_once():
    crowd = Crowd("server", rate_per_s=None, failure_threshold=1, fallback_first=False)

    async def main(clock: EventClock):
        inner = Provider("server", clock=clock, takes_s=0.1)
        provider = ResilientSearchProvider(inner, crowd.settings, clock=clock, rng=random.Random(0))

        async def one() -> tuple[int, bool]:
            with pytest.raises(SearchError) as caught:
                await provider.search("q", 5)
            return caught.value.tries[0].requests, caught.value.tries[0].breaker_opened

        tasks = [asyncio.create_task(one()) for _ in range(3)]
        return [await task for task in tasks]

    assert run_on_event_clock(main) == [(3, True), (0, False), (0, False)]


@pytest.mark.parametrize("original", [True, False])
def test_callers_that_wait_together_each_wait_for_their_own_token_unless_original(original):
    _, requests, _ = Crowd(original=original, cache_size=0).run(["a", "b", "c", "d"])

    assert requests == ([0, 1, 1, 1] if original else [0, 1, 2, 3])


@pytest.mark.parametrize("original", [True, False])
def test_one_probe_at_a_time_goes_to_a_provider_that_may_be_back_unless_original(original):
    crowd = Crowd("server", original=original, rate_per_s=None, request_retries=0, cooldown_s=1)

    async def main(clock: EventClock):
        inner = Provider("server", clock=clock, takes_s=0.1)
        provider = ResilientSearchProvider(inner, crowd.settings, clock=clock, rng=random.Random(0))

        async def one(number: int) -> None:
            with pytest.raises(SearchError):
                await provider.search(f"q{number}", 5)

        for number in range(5):
            await one(number)
        await clock.sleep(1.5)
        async with asyncio.TaskGroup() as group:
            for number in range(5, 15):
                group.create_task(one(number))
        return len(inner.requests) - 5

    assert run_on_event_clock(main) == (10 if original else 1)


def test_a_queue_longer_than_the_longest_wait_fails_at_once():
    outcomes, requests, ended = Crowd(cache_size=0, max_wait_s=2).run(list("abcdef"))

    assert outcomes == ["served"] * 3 + ["skipped"] * 3
    assert requests == [0, 1, 2]
    assert ended < 3


@pytest.mark.parametrize("pause_s", [0, 1.5, 30])
def test_the_queue_of_a_shared_limit_skips_nobody_unless_the_provider_itself_asked_for_it(pause_s):
    """How many trials run at a time must not decide which provider answers."""
    settings = ResilienceSettings(max_wait_s=2)

    async def main(clock: EventClock):
        inner = Provider(clock=clock)
        bucket = settings.bucket(clock)
        bucket.pause(pause_s)

        async def trial(number: int) -> str:
            provider = ResilientSearchProvider(
                inner, settings, clock=clock, rng=random.Random(0), bucket=bucket
            )
            try:
                return (await provider.search(f"q{number}", 5)).tries[-1].outcome
            except SearchError as exc:
                return exc.tries[-1].outcome

        return await asyncio.gather(*map(trial, range(40)))

    assert set(run_on_event_clock(main)) == {"served" if pause_s < 2 else "skipped"}


def test_a_search_that_waits_while_the_provider_fails_does_not_ask_it_any_more():
    crowd = Crowd("server", failure_threshold=1, request_retries=0, cache_size=0)

    outcomes, requests, _ = crowd.run(["a", "b", "c"])

    assert outcomes == ["error", "skipped", "skipped"]
    assert requests == [0]


def test_a_cancelled_search_stops_waiting_for_the_limiter_and_sends_nothing():
    crowd = Crowd(cache_size=0)

    async def main(clock: EventClock):
        inner = Provider(clock=clock)
        provider = ResilientSearchProvider(inner, crowd.settings, clock=clock, rng=random.Random(0))
        await provider.search("first", 5)
        waiting = asyncio.create_task(provider.search("second", 5))
        await clock.sleep(0.5)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        stopped = clock.now()
        await provider.search("third", 5)
        return stopped, inner.requests

    assert run_on_event_clock(main) == (0.5, [0, 1])


def test_a_cancelled_search_is_neither_sent_again_nor_counted():
    crowd = Crowd(failure_threshold=1, request_retries=3, rate_per_s=None, takes_s=5)

    outcomes, requests, _ = crowd.run(["a", "b"], cancel_after=1)

    assert outcomes == ["cancelled", "served"]
    assert requests == [0, 0]


def test_cancelling_one_of_several_that_share_a_request_leaves_the_others_theirs():
    outcomes, requests, _ = Crowd(takes_s=5, rate_per_s=None).run(["q"] * 3, cancel_after=1)

    assert outcomes == ["cancelled", "cached", "cached"]
    assert requests == [0]


def test_cancelling_all_that_share_a_request_cancels_it():
    crowd = Crowd(takes_s=5, rate_per_s=None)

    outcomes, _, ended = crowd.run(["q"], cancel_after=1)

    assert (outcomes, ended) == (["cancelled"], 1)


def test_a_cancelled_probe_leaves_its_place_to_the_next():
    crowd = Crowd("server", failure_threshold=1, request_retries=0, rate_per_s=None, cooldown_s=1)

    async def main(clock: EventClock):
        inner = Provider("server", "ok", clock=clock, takes_s=1)
        provider = ResilientSearchProvider(inner, crowd.settings, clock=clock, rng=random.Random(0))
        with pytest.raises(SearchError):
            await provider.search("a", 5)
        await clock.sleep(1)
        probe = asyncio.create_task(provider.search("b", 5))
        await clock.sleep(0.5)
        probe.cancel()
        with pytest.raises(asyncio.CancelledError):
            await probe
        return (await provider.search("c", 5)).tries[-1].outcome

    assert run_on_event_clock(main) == "served"


def test_a_file_can_say_that_there_is_no_limit():
    settings = ResilienceSettings.model_validate(
        {"failure_threshold": "none", "rate_per_s": "none"}
    )

    assert (settings.failure_threshold, settings.rate_per_s) == (None, None)
