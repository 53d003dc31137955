"""Laws of search: parsers never crash, limits are kept, caches are bounded and fresh."""

import asyncio
import json

from hypothesis import given, strategies as st

from research_eval.clock import EventClock, run_on_event_clock
from research_eval.fault import FaultSettings
from research_eval.fault.body import MUTATIONS
from research_eval.fault.settings import parse_numbers
from research_eval.tool.search import WIRES, SearchError, WireAnswer, read_answer
from research_eval.tool.search.cache import FreshCache
from research_eval.tool.search.limiter import TokenBucket
from research_eval.tool.search.query import clean_text, split_sites, tidy_query

KEYS = st.sampled_from([
    "organic", "results", "web", "items", "webPages", "value", "link", "url", "title", "name", "snippet", "mixed",
    "main", "type", "index", "error", "errors", "detail", "message", "code", "meta", "status", "unresponsive_engines",
    "query", "position", "highlights", "page_age", "age", "kind",
])  # fmt: skip
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
    | st.sampled_from(["https://a.example/", "http://[", "\ud800", "web", "search"])
)  # fmt: skip
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)
BODIES = st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode())


@given(st.sampled_from(sorted(WIRES)), st.integers(100, 599), BODIES, st.text(max_size=30))
def test_every_answer_is_read_or_refused(name, status, body, header):
    answer = WireAnswer(status, {"retry-after": header, "x-ratelimit-reset": header}, body)

    try:
        hits = read_answer(WIRES[name], answer)
    except SearchError as exc:
        str(exc).encode()
    else:
        assert 200 <= status < 300
        assert all(hit.url.lower().startswith("http") and hit.rank > 0 for hit in hits)
        assert all(hit.model_dump_json().encode() for hit in hits)


@given(st.text(max_size=200), st.integers(1, 50), st.none() | st.integers(1, 9))
def test_a_tidy_query_is_within_bounds_and_stays_itself(text, chars, words):
    tidy = tidy_query(text, max_chars=chars, max_words=words)

    assert len(tidy) <= chars
    assert words is None or len(tidy.split(" ")) <= words
    assert tidy_query(tidy, max_chars=chars, max_words=words) == tidy


@given(st.text(max_size=100))
def test_clean_text_is_one_line_and_can_be_written(text):
    clean = clean_text(text)

    assert clean.encode().decode() == clean
    assert len(clean.splitlines()) <= 1
    assert clean == clean.strip() == clean_text(clean)


@given(st.text(max_size=60))
def test_splitting_off_sites_never_empties_a_query(text):
    tidy = tidy_query(text, max_chars=60)

    assert bool(split_sites(tidy).text) == bool(tidy)


@given(
    st.lists(st.floats(0, 3), min_size=1, max_size=25),
    st.sampled_from([0.5, 1, 4]),
    st.integers(1, 4),
    st.sets(st.integers(0, 24)),
    st.sets(st.integers(0, 24)),
)
def test_a_bucket_never_hands_out_more_than_its_rate_however_many_wait(
    gaps, rate, burst, cancelled, slowed
):
    async def main(clock: EventClock) -> list[float]:
        bucket = TokenBucket(clock, rate_per_s=rate, burst=burst, recovery_s=5)
        granted: list[float] = []

        async def take() -> None:
            await bucket.acquire()
            granted.append(clock.now())

        tasks = []
        for number, gap in enumerate(gaps):
            await clock.sleep(gap)
            tasks.append(asyncio.create_task(take()))
            await asyncio.sleep(0)
            if number in cancelled:
                tasks[-1].cancel()
            if number in slowed:
                bucket.slow_down(clock.now())
        await asyncio.wait(tasks)
        left = sum(1 for task in tasks if task.cancelled())
        assert len(granted) == len(tasks) - left
        return granted

    granted = run_on_event_clock(main)

    for first in range(len(granted)):
        for last in range(first, len(granted)):
            allowed = burst + (granted[last] - granted[first]) * rate
            assert last - first + 1 <= allowed + 1e-3


@given(
    st.integers(0, 4),
    st.booleans(),
    st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans(), st.floats(0, 6)), max_size=40),
)
def test_a_cache_is_bounded_and_never_serves_what_is_stale(size, evict_expired, steps):
    cache: FreshCache[str, float] = FreshCache(size=size, ttl_s=5, evict_expired=evict_expired)
    now = 0.0
    for key, is_put, gap in steps:
        now += gap
        if is_put:
            cache.put(key, now, now)
        else:
            found = cache.get(key, now)
            assert found is None or now - found < 5
        assert len(cache) <= size


@given(st.sampled_from(sorted(set(MUTATIONS) - {"huge"})), BODIES)
def test_a_mutation_of_any_body_is_bytes(kind, body):
    assert isinstance(MUTATIONS[kind](body), bytes)


@given(st.text(alphabet="0123456789,- ", max_size=12))
def test_request_numbers_are_ranges_or_refused(text):
    try:
        ranges = parse_numbers(text)
    except ValueError:
        return
    rule = FaultSettings(channel="search", status=500, requests=text)
    assert all(rule.strikes_number(first) for first, _ in ranges)
    assert not rule.strikes_number(0)
