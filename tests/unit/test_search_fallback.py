"""A chain asks in order, and says what became of each."""

import asyncio
import random
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from research_eval.clock import EventClock, run_on_event_clock
from research_eval.errors import ConfigError
from research_eval.schema import SearchHit
from research_eval.tool.search import (
    FallbackSearchProvider,
    ResilienceSettings,
    ResilientSearchProvider,
    SearchError,
    SearchReply,
    UnconfiguredSearchProvider,
)

HIT = SearchHit(url="https://a.example/", rank=1)


class One:
    """A provider that finds so many, or fails."""

    def __init__(self, name: str, found: int | str) -> None:
        self.name = name
        self.found = found
        self.asked = 0

    async def search(self, query: str, max_results: int) -> SearchReply:
        self.asked += 1
        if isinstance(self.found, str):
            raise SearchError(f"{self.name} broke", kind=self.found, status=500)
        return SearchReply(hits=(HIT,) * self.found, served_by=self.name)


@pytest.mark.anyio
async def test_the_first_that_finds_something_serves_and_later_ones_are_not_asked():
    last = One("c", 1)
    chain = FallbackSearchProvider([One("a", "server"), One("b", 1), last])

    reply = await chain.search("q", 5)

    assert reply.served_by == "b"
    assert [(t.provider, t.outcome, t.error) for t in reply.tries] == [
        ("a", "error", "server"),
        ("b", "served", None),
    ]
    assert last.asked == 0


@pytest.mark.anyio
async def test_an_empty_answer_counts_as_a_failure():
    reply = await FallbackSearchProvider([One("a", 0), One("b", 1)]).search("q", 5)

    assert [(t.provider, t.outcome) for t in reply.tries] == [("a", "empty"), ("b", "served")]


@pytest.mark.anyio
async def test_when_all_fail_one_error_carries_each():
    chain = FallbackSearchProvider([One("a", "timeout"), One("b", 0), One("c", "auth")])

    with pytest.raises(SearchError) as caught:
        await chain.search("q", 5)

    assert caught.value.kind == "all_failed"
    assert str(caught.value) == "a broke; b found nothing; c broke"
    assert [t.error for t in caught.value.tries] == ["timeout", "empty", "auth"]


@pytest.mark.anyio
async def test_a_provider_without_a_key_is_skipped_without_a_request():
    chain = FallbackSearchProvider(
        [UnconfiguredSearchProvider("a", "no key in A_KEY"), One("b", 1)]
    )

    reply = await chain.search("q", 5)

    assert (reply.tries[0].outcome, reply.tries[0].requests) == ("skipped", 0)
    assert reply.served_by == "b"


def test_a_chain_of_nobody_is_refused():
    with pytest.raises(ConfigError):
        FallbackSearchProvider([])


def test_a_chain_is_named_after_its_providers_in_order():
    assert FallbackSearchProvider([One("a", 1), One("b", 1)]).name == "a > b"


class Scripted:
    """Does what its script says at each request, the last entry for ever; takes its time."""

    def __init__(self, name: str, clock: EventClock, *script: str, takes_s: float = 0.4) -> None:
        self.name = name
        self.clock = clock
        self.script = list(script) or ["ok"]
        self.takes_s = takes_s
        self.times: list[float] = []

    async def search(self, query: str, max_results: int) -> SearchReply:
        return await self.search_within(query, max_results, 60)

    async def search_within(self, query: str, max_results: int, within_s: float) -> SearchReply:
        self.times.append(self.clock.now())
        entry = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        kind, _, number = entry.partition(":")
        needs_s = float(number) if kind == "slow" else self.takes_s
        await self.clock.sleep(min(needs_s, within_s))
        if needs_s > within_s:
            raise SearchError(f"{self.name} is late", kind="timeout")
        if kind in {"ok", "slow"}:
            return SearchReply(hits=(HIT,), served_by=self.name)
        if kind == "empty":
            return SearchReply(hits=(), served_by=self.name)
        raise SearchError(
            f"{self.name} failed", kind=kind, status=429, retry_after_s=float(number or 0) or None
        )


class Lab:
    """A chain of protected providers, and searches that come at given times."""

    def __init__(self, *scripts: tuple[str, ...], **settings) -> None:
        free = {"rate_per_s": None, "cache_size": 0, "backoff_jitter": 0}
        self.settings = ResilienceSettings.model_validate({**free, **settings})
        self.scripts = scripts

    def run(self, times, *, cancel_at: float | None = None, queries: list[str] | None = None):
        async def main(clock: EventClock):
            self.inner = [
                Scripted(name, clock, *script)
                for name, script in zip("abc", self.scripts, strict=False)
            ]
            chain = FallbackSearchProvider(
                [
                    ResilientSearchProvider(
                        inner,
                        self.settings,
                        clock=clock,
                        rng=random.Random(0),
                        has_fallback=inner is not self.inner[-1],
                    )
                    for inner in self.inner
                ],
                clock=clock,
            )

            async def one(number: int, at_s: float):
                await clock.sleep(at_s)
                try:
                    reply = await chain.search(queries[number] if queries else f"q{number}", 5)
                except SearchError as exc:
                    return None, clock.now() - at_s, exc.tries
                except asyncio.CancelledError:
                    return "cancelled", clock.now() - at_s, ()
                return reply.served_by, clock.now() - at_s, reply.tries

            tasks = [asyncio.create_task(one(n, at)) for n, at in enumerate(times)]
            if cancel_at is not None:
                await clock.sleep(cancel_at)
                for task in tasks:
                    task.cancel()
            return [await task for task in tasks]

        return run_on_event_clock(main)


def served(found) -> list:
    return [one[0] for one in found]


@given(st.lists(st.floats(0, 30), min_size=1, max_size=30), st.sampled_from([2, 7, 45]))
def test_a_retry_after_holds_for_every_search_and_all_move_on_at_once(times, pause_s):
    lab = Lab((f"rate_limited:{pause_s}",), ("ok",))

    found = lab.run(times)

    assert set(served(found)) == {"b"}
    assert max(took for _, took, _ in found) <= 0.8 + 1e-6
    asked = sorted(lab.inner[0].times)
    for sent in asked:
        told = sent + 0.4
        assert not [other for other in asked if told < other < told + pause_s - 1e-6]


def test_a_single_provider_is_waited_for_within_the_longest_wait():
    found = Lab(("rate_limited:7", "ok")).run([0, 1, 2])

    assert served(found) == ["a"] * 3
    assert [round(took, 3) for _, took, _ in found] == [7.8, 6.8, 5.8]
    assert [one.outcome for one in found[1][2]] == ["skipped", "served"]
    assert found[1][2][-1].waited_s == 6.4


@given(st.lists(st.floats(0, 30), min_size=1, max_size=9), st.sampled_from([2, 7, 0.1]))
def test_the_end_of_a_pause_is_met_at_whatever_time_it_began(times, pause_s):
    found = Lab((f"rate_limited:{pause_s}", "ok")).run(times)

    assert served(found) == ["a"] * len(times)


def test_a_single_provider_that_asks_for_more_is_not_waited_for():
    found = Lab(("rate_limited:11", "ok")).run([0, 1])

    assert served(found) == [None, None]
    assert max(took for _, took, _ in found) < 1


def test_the_other_providers_are_asked_before_a_request_is_sent_again():
    lab = Lab(("server", "ok"), ("server",))

    (who, took, tries), *_ = lab.run([0])

    assert (who, [one.provider for one in tries]) == ("a", ["a", "b", "a"])
    assert took == pytest.approx(0.4 * 3 + 0.1)


def test_in_place_they_are_asked_after_it():
    (who, _, tries), *_ = Lab(("server",), ("ok",), fallback_first=False).run([0])

    assert (who, [(one.provider, one.requests) for one in tries]) == ("b", [("a", 3), ("b", 1)])


def test_every_provider_is_sent_no_more_than_its_retries():
    lab = Lab(
        ("server",), ("timeout",), request_retries=2, failure_threshold=None, failure_rate=None
    )

    (who, _, tries), *_ = lab.run([0])

    assert who is None
    assert [len(inner.times) for inner in lab.inner] == [3, 3]
    assert len(tries) == 6


def test_half_of_the_requests_failing_opens_the_breaker_of_whoever_has_a_fallback():
    def asked(**settings) -> int:
        lab = Lab(("server", "ok") * 50, ("ok",), window_s=1000, **settings)
        assert None not in served(lab.run(range(0, 80, 2)))
        return len(lab.inner[0].times)

    assert asked(failure_rate=None) == 40
    assert asked() < 30


def test_slow_answers_open_the_breaker_of_whoever_has_a_fallback():
    lab = Lab(("slow:9",), ("ok",))

    found = lab.run(range(0, 100, 10))

    assert served(found) == ["b"] * 10
    assert len(lab.inner[0].times) < 10
    assert served(Lab(("slow:9",)).run(range(0, 100, 10))) == ["a"] * 10


@pytest.mark.parametrize("slow_call_s", [1, 3])
def test_a_slow_answer_is_not_waited_for_where_another_provider_is_ready(slow_call_s):
    (who, took, tries), *_ = Lab(("slow:9",), ("ok",), slow_call_s=slow_call_s).run([0])

    assert (who, took) == ("b", pytest.approx(slow_call_s + 0.4))
    assert [(one.provider, one.error) for one in tries] == [("a", "timeout"), ("b", None)]


@pytest.mark.parametrize("other", ["server", "empty"])
def test_a_slow_answer_is_waited_for_once_nobody_else_has_one(other):
    (who, _, tries), *_ = Lab(("slow:9",), (other,), failure_rate=None).run([0])

    assert who == "a"
    assert [one.provider for one in tries][:2] == ["a", "b"]


def test_a_slow_answer_is_waited_for_while_the_others_rest():
    lab = Lab(("empty", "slow:9"), ("server",), failure_threshold=1, cooldown_s=1000)

    found = lab.run([0, 20])

    assert (found[1][0], found[1][1]) == ("a", 9)


@pytest.mark.parametrize("settings", [{"fallback_first": False}, {"slow_call_s": None}])
def test_a_slow_answer_is_waited_for_where_settings_say_so(settings):
    (who, took, _), *_ = Lab(("slow:9",), ("ok",), **settings).run([0])

    assert (who, took) == ("a", 9)


@pytest.mark.parametrize("preset", ["0.1", "original"])
def test_presets_of_before_wait_for_every_answer(preset):
    (who, took, _), *_ = Lab(("slow:9",), ("ok",), preset=preset).run([0])

    assert (who, took) == ("a", 9)


@pytest.mark.parametrize("fallback_first", [True, False])
def test_an_answer_that_any_provider_has_given_is_not_asked_for_again(fallback_first):
    lab = Lab(("server", "ok"), ("ok",), cache_size=9, fallback_first=fallback_first)
    lab.settings = lab.settings.model_copy(update={"request_retries": int(fallback_first)})

    found = lab.run([0, 5], queries=["same", "same"])

    assert [who for who, _, _ in found] == ["b", "b" if fallback_first else "a"]
    assert found[1][2][-1].outcome == ("cached" if fallback_first else "served")


def test_a_search_that_nobody_else_can_serve_probes_a_provider_that_rests():
    lab = Lab(("server",) * 12 + ("ok",), ("empty",), request_retries=0, cooldown_s=5)

    found = lab.run(range(0, 400, 10))

    assert served(found)[:12] == [None] * 12
    assert set(served(found)[12:]) == {"a"}


def test_a_provider_that_finds_nothing_twice_is_asked_last_and_still_asked():
    lab = Lab(("empty",), ("ok", "ok", "ok", "ok", "server"), request_retries=0)

    found = lab.run([0, 2, 4, 6, 8])

    assert [[one.provider for one in tries] for _, _, tries in found] == [
        *[["a", "b"]] * 2,
        *[["b"]] * 2,
        ["b", "a"],
    ]


def test_a_search_goes_where_the_queue_is_shorter():
    lab = Lab(("ok",), ("ok",), rate_per_s=1)

    found = lab.run([0] * 6)

    assert served(found) == ["a", "a", "b", "b", "a", "b"]
    assert max(took for _, took, _ in found) == pytest.approx(2.4)


def test_a_429_that_names_no_pause_slows_the_requests_down_until_none_comes():
    lab = Lab(("rate_limited",) * 3 + ("ok",), rate_per_s=4, request_retries=3, window_s=60)

    found = lab.run([0] * 4 + [30] * 2 + [300] * 4)

    assert served(found) == ["a"] * 10
    times = lab.inner[0].times
    assert times[:4] == [0] * 4
    gaps = [later - sooner for sooner, later in pairwise(times[4:-4])]
    assert min(gaps) == pytest.approx(0.25)
    assert times[-4:] == [300] * 4


def test_requests_that_went_out_together_slow_the_next_ones_down_once():
    lab = Lab(("rate_limited",) * 4 + ("ok",), ("ok",), rate_per_s=4, max_waiting=None)

    found = lab.run([0] * 4 + [10, 10])

    assert served(found) == ["b"] * 4 + ["a"] * 2
    assert lab.inner[0].times[4:] == [10, 10.25]


def test_each_further_429_halves_the_rate_down_to_an_eighth():
    lab = Lab(("rate_limited", "ok") * 4 + ("ok",), rate_per_s=1)

    found = lab.run([0, 10, 20, 40])

    assert served(found) == ["a"] * 4
    assert [round(at, 6) for at in lab.inner[0].times] == [0, 2.4, 10, 14.4, 20, 28.4, 40, 48.4]


def test_a_provider_that_is_slowed_down_is_not_queued_for_while_another_is_ready():
    lab = Lab(("rate_limited",), ("ok",), rate_per_s=4, failure_rate=None, failure_threshold=None)

    found = lab.run([n / 4 for n in range(40)])

    assert served(found) == ["b"] * 40
    assert max(took for _, took, _ in found) < 2
    assert len(lab.inner[0].times) < 12


def test_a_provider_that_is_slowed_down_is_waited_for_once_nobody_else_serves():
    lab = Lab(("rate_limited",) * 2 + ("ok",), ("empty",), rate_per_s=1, max_waiting=None)

    found = lab.run([0, 20, 20])

    assert served(found) == ["a"] * 3


@pytest.mark.parametrize("preset", ["0.1", "original"])
def test_presets_of_before_keep_their_rate_after_a_429(preset):
    lab = Lab(("rate_limited", "ok"), ("ok",), preset=preset, rate_per_s=4, request_retries=0)

    lab.run([0, 1, 2, 2.3])

    assert [round(at, 6) for at in lab.inner[0].times] == [0, 1, 2, 2.3]


def test_cancelled_searches_open_nothing_and_block_nothing():
    lab = Lab(("slow:50",), ("ok",), failure_threshold=1)
    found = lab.run([0, 0.3, 0.6, 0.9, 1.2, 1.5], cancel_at=2)

    assert served(found) == ["cancelled"] * 6
    assert len(lab.inner[0].times) == 6
    assert lab.inner[1].times == []
