"""What every search provider does with the answers of its API, whatever their shape."""

import json
import random
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import httpx
import pytest

from research_eval.clock import EventClock, VirtualClock, run_on_event_clock
from research_eval.tool.search import (
    WIRES,
    ProviderSettings,
    RemoteSearchProvider,
    ResilienceSettings,
    SearchError,
    SearchReply,
    SearchSettings,
    WireAnswer,
    build_search,
    read_answer,
    retired_notes,
)

pytestmark = pytest.mark.anyio


def _samples():
    spec = spec_from_file_location("search_samples", Path(__file__).with_name("search_samples.py"))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


samples = _samples()
SAMPLES, ERRORS = samples.SAMPLES, samples.ERRORS
KEY = "sk-not-a-real-key"
PROVIDERS = sorted(WIRES)


class Server:
    """Answers always the same, and keeps what it was asked."""

    def __init__(
        self, body: bytes | Exception, status: int = 200, headers: dict | None = None
    ) -> None:
        self.body, self.status, self.headers = body, status, headers or {}
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if isinstance(self.body, Exception):
            raise self.body
        return httpx.Response(self.status, content=self.body, headers=self.headers)

    def provider(self, name: str, **settings) -> RemoteSearchProvider:
        client = httpx.AsyncClient(transport=httpx.MockTransport(self))
        settings.setdefault(
            "endpoint", WIRES[name].details.endpoint or "https://searxng.example/search"
        )
        return RemoteSearchProvider(
            WIRES[name], http=client, clock=VirtualClock(), key=KEY, **settings
        )

    async def failure(self, name: str) -> SearchError:
        with pytest.raises(SearchError) as caught:
            await self.provider(name).search("tides", 5)
        return caught.value

    async def reply(
        self, name: str, query: str = "tides", limit: int = 5, **settings
    ) -> SearchReply:
        return await self.provider(name, **settings).search(query, limit)

    @property
    def sent(self) -> dict:
        """What the last request asked, wherever it says it."""
        request = self.requests[-1]
        if request.content.startswith(b"{"):
            return json.loads(request.content)
        query = request.content.decode() if request.content else request.url.query.decode()
        return dict(httpx.QueryParams(query))


def good(name: str) -> Server:
    return Server(SAMPLES[name].full, headers={"content-type": SAMPLES[name].content_type})


def test_every_provider_has_samples():
    assert set(SAMPLES) == set(WIRES)
    assert {refused.provider for refused in ERRORS} == set(WIRES)


@pytest.mark.parametrize("name", PROVIDERS)
async def test_results_come_with_title_snippet_date_and_rank(name):
    sample = SAMPLES[name]

    reply = await good(name).reply(name)

    first, second = reply.hits
    assert (first.url, second.url) == (samples.FIRST, samples.SECOND)
    assert (first.title, first.snippet) == (sample.title, sample.snippet)
    assert (first.date, first.age) == (sample.date, sample.age)
    assert first.rank == 1
    assert second.rank > 1


@pytest.mark.parametrize("name", PROVIDERS)
async def test_the_provider_says_that_it_served(name):
    reply = await good(name).reply(name)

    assert reply.served_by == name
    assert [(t.provider, t.outcome, t.requests, t.status) for t in reply.tries] == [
        (name, "served", 1, 200)
    ]


@pytest.mark.parametrize("name", PROVIDERS)
async def test_no_more_results_than_asked_for(name):
    assert len((await good(name).reply(name, limit=1)).hits) == 1


@pytest.mark.parametrize("name", PROVIDERS)
async def test_nothing_found_is_an_answer_and_not_an_error(name):
    reply = await Server(SAMPLES[name].empty).reply(name)

    assert reply.hits == ()


@pytest.mark.parametrize(
    "refused", ERRORS, ids=[f"{r.provider}-{r.status}-{r.kind}-{n}" for n, r in enumerate(ERRORS)]
)
async def test_a_refusal_is_classified_by_what_it_says(refused):
    body = refused.body.encode() if isinstance(refused.body, str) else samples.dump(refused.body)

    failed = await Server(body, refused.status, refused.headers).failure(refused.provider)

    assert failed.kind == refused.kind
    assert failed.status == refused.status
    assert failed.retry_after_s == refused.wait_s
    assert (failed.tries[0].outcome, failed.tries[0].error) == ("error", refused.kind)


RUBBISH = {
    "nothing": b"",
    "a page": b"<html><body>Down for maintenance</body></html>",
    "half": b'{"organic":[{"title":"a","li',
    "null": b"null",
    "a list": b"[]",
    "a number": b"3",
    "another shape": b'{"unexpected":[1,2]}',
    "no list": b'{"organic":{"a":1},"results":"x","web":[],"items":7,"webPages":{"value":1}}',
    "deep": b"[" * 20000 + b"]" * 20000,
    "binary": bytes(range(256)),
}


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("body", RUBBISH.values(), ids=RUBBISH)
async def test_what_cannot_be_read_is_malformed_and_never_empty(name, body):
    assert (await Server(body).failure(name)).kind == "malformed"


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, "auth"),
        (402, "quota"),
        (429, "rate_limited"),
        (500, "server"),
        (502, "server"),
        (503, "server"),
        (529, "server"),
        (302, "malformed"),
        (400, "bad_query"),
    ],
)
async def test_a_bare_status_has_a_meaning_too(name, status, kind):
    assert (await Server(b"", status).failure(name)).kind == kind


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(
    ("exception", "kind"),
    [
        (httpx.ReadTimeout("slow"), "timeout"),
        (httpx.ConnectTimeout("slow"), "timeout"),
        (httpx.ConnectError("refused"), "connection"),
        (httpx.ReadError("reset"), "connection"),
        (httpx.RemoteProtocolError("cut"), "connection"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value,
)
async def test_a_broken_connection_is_named(name, exception, kind):
    failed = await Server(exception).failure(name)

    assert (failed.kind, failed.status) == (kind, None)


@pytest.mark.parametrize("name", PROVIDERS)
async def test_an_error_never_holds_the_key(name):
    body = json.dumps(
        {"message": f"key {KEY} is bad", "error": {"detail": KEY}, "detail": KEY}
    ).encode()

    failed = await Server(body, 401).failure(name)

    assert KEY not in str(failed)
    assert KEY not in repr(failed.tries)


@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_hit_never_holds_the_key(name):
    server = good(name)
    server.body = server.body.replace(b"tide", KEY.encode())
    assert KEY.encode() in server.body
    found = await server.reply(name)
    assert found.hits
    assert KEY not in found.model_dump_json()


@pytest.mark.parametrize("name", PROVIDERS)
async def test_an_answer_without_end_is_given_up(name):
    failed = await Server(b" " * (5 * 1024 * 1024)).failure(name)

    assert failed.kind == "malformed"


@pytest.mark.parametrize("name", [name for name in PROVIDERS if name != "duckduckgo"])
async def test_results_without_addresses_are_malformed_and_not_empty(name):
    answer = json.loads(SAMPLES[name].full)
    for key in ("organic", "results", "items", "organic_results", "data"):
        answer[key] = [{"title": "t"}] if key in answer else None
    if name == "firecrawl":
        answer["data"] = {"web": [{"title": "t", "url": "javascript:alert(1)"}]}
    answer["web"] = {"results": [{"title": "t"}]}
    answer["webPages"] = {"value": [{"name": "t", "url": "javascript:alert(1)"}]}

    assert (await Server(json.dumps(answer).encode()).failure(name)).kind == "malformed"


@pytest.mark.parametrize("name", [name for name in PROVIDERS if name != "duckduckgo"])
@pytest.mark.parametrize("rows", [[None], [7, "x"], [["https://a.example/"]], [True, 1.5]])
async def test_results_that_are_no_objects_are_malformed_and_not_empty(name, rows):
    answer = {"organic": rows, "results": rows, "items": rows, "type": "search", "query": {}}
    answer |= {"web": {"results": rows}, "webPages": {"value": rows}, "organic_results": rows}
    answer["data"] = {"web": rows} if name == "firecrawl" else rows

    assert (await Server(json.dumps(answer).encode()).failure(name)).kind == "malformed"


@pytest.mark.parametrize("query", ["Bouguer anomaly", "anomaly.js challenge-form"])
async def test_a_search_for_the_words_of_a_robot_check_is_none(query):
    page = (
        f'<form action="/html/"><input name="q" value="{query}"></form><div class="result">'
        f'<a class="result__a" href="https://a.example/anomaly.js">{query}</a></div>'
    )

    assert len((await Server(page.encode()).reply("duckduckgo", query)).hits) == 1


class Dripping(httpx.AsyncByteStream):
    """A body that sends a byte now and then, for ever."""

    def __init__(self, clock: EventClock) -> None:
        self.clock = clock

    async def __aiter__(self):
        while True:
            await self.clock.sleep(0.4)
            yield b" "


def drip(clock_of) -> tuple[SearchError, float]:
    """Return how a search of a server that drips ends, and after how long."""

    async def main(clock: EventClock):
        transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=Dripping(clock)))
        provider = RemoteSearchProvider(
            WIRES["serper"],
            http=httpx.AsyncClient(transport=transport),
            clock=clock_of(clock),
            key=KEY,
            timeout_s=1,
        )
        with pytest.raises(SearchError) as caught:
            await provider.search("tides", 5)
        return caught.value, clock.now()

    return run_on_event_clock(main)


class LikeTheSystem:
    """The event clock as a live run sees the system's: deadlines are those of the loop."""

    is_virtual = False

    def __init__(self, inner: EventClock) -> None:
        self.now = inner.now
        self.sleep = inner.sleep


@pytest.mark.parametrize(
    ("clock_of", "ended"),
    [(lambda clock: clock, 1.2), (LikeTheSystem, 1.0)],
    ids=["virtual", "live"],
)
def test_the_time_limit_holds_for_the_whole_answer(clock_of, ended):
    failed, now = drip(clock_of)

    assert (failed.kind, failed.tries[0].error, now) == ("timeout", "timeout", ended)


async def test_duplicates_are_folded_by_the_ledger_s_key():
    rows = [
        {"link": url}
        for url in (
            "https://a.example/x?utm_source=y",
            "https://www.a.example/x",
            "https://b.example/",
        )
    ]

    reply = await Server(samples.dump({"organic": rows})).reply("serper")

    assert [hit.url for hit in reply.hits] == [
        "https://a.example/x?utm_source=y",
        "https://b.example/",
    ]


async def test_odd_rows_do_not_spoil_the_good_ones():
    rows = [
        None,
        7,
        {"link": None},
        {"link": "ftp://x.example/"},
        {"link": "https://a b.example"},
        {"link": "https://a.example/", "title": 3, "snippet": ["x"], "position": "1", "date": 5},
    ]

    reply = await Server(samples.dump({"organic": rows})).reply("serper")

    assert [(h.url, h.title, h.snippet, h.date) for h in reply.hits] == [
        ("https://a.example/", "", "", None)
    ]


async def test_serper_ranks_may_skip():
    reply = await good("serper").reply("serper")

    assert [hit.rank for hit in reply.hits] == [1, 3]


async def test_brave_ranks_are_places_on_the_page():
    reply = await good("brave").reply("brave")

    assert [hit.rank for hit in reply.hits] == [1, 3]


async def test_brave_shows_when_nothing_is_left_of_this_second():
    server = Server(SAMPLES["brave"].full, headers={**samples.RATE, "x-ratelimit-reset": "1, 99"})

    assert (await server.reply("brave")).pause_s == 1


async def test_a_monthly_limit_of_nothing_means_no_limit():
    headers = {
        "x-ratelimit-limit": "50, 0",
        "x-ratelimit-remaining": "49, 0",
        "x-ratelimit-reset": "1, 9",
    }

    assert (await Server(SAMPLES["brave"].full, headers=headers).reply("brave")).pause_s is None


async def test_retry_after_as_a_date_counts_from_the_answer_s_own_date():
    headers = {
        "date": "Mon, 02 Mar 2026 10:00:00 GMT",
        "retry-after": "Mon, 02 Mar 2026 10:00:30 GMT",
    }

    assert (await Server(b"{}", 429, headers).failure("tavily")).retry_after_s == 30


@pytest.mark.parametrize("name", PROVIDERS)
async def test_the_query_goes_out_and_the_key_stays_out_of_the_url(name):
    server = good(name)
    await server.reply(name, "why tides?")

    assert "why tides?" in server.sent.values()
    is_in_url = name == "serpapi"  # the API takes it nowhere else; recordings take it out
    assert (KEY in str(server.requests[-1].url)) == is_in_url


@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_query_is_cut_between_words_to_what_the_api_takes(name):
    server, details = good(name), WIRES[name].details
    await server.reply(name, "tides " * 2000)

    sent = server.sent.get("q") or server.sent.get("query")
    assert len(sent) <= details.max_query_chars
    assert sent.endswith("tides")
    if details.max_query_words:
        assert len(sent.split()) <= details.max_query_words


@pytest.mark.parametrize("name", PROVIDERS)
async def test_no_more_is_asked_than_the_api_gives(name):
    server = good(name)
    await server.reply(name, limit=10_000)

    asked = [
        v
        for k, v in server.sent.items()
        if k in {"num", "count", "max_results", "numResults", "limit"}
    ]
    assert all(int(value) == WIRES[name].details.max_results for value in asked)


@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_query_of_nothing_is_not_sent(name):
    server = good(name)
    with pytest.raises(SearchError) as caught:
        await server.reply(name, " \x00\n ")

    assert caught.value.kind == "bad_query"
    assert server.requests == []
    assert caught.value.tries[0].requests == 0


@pytest.mark.parametrize("name", PROVIDERS)
async def test_own_parameters_and_an_own_address_are_passed_on(name):
    server = good(name)
    await server.reply(name, endpoint="https://proxy.example/s", extra={"gl": "de"})

    assert server.sent["gl"] == "de"
    assert server.requests[-1].url.host == "proxy.example"


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("tavily", "include_domains"),
        ("exa", "includeDomains"),
        ("perplexity", "search_domain_filter"),
    ],
)
async def test_a_site_operator_becomes_a_list_of_domains_where_the_api_has_one(name, field):
    server = good(name)
    await server.reply(name, "tides site:sea.example")

    assert (server.sent["query"], server.sent[field]) == ("tides", ["sea.example"])


@pytest.mark.parametrize("name", PROVIDERS)
async def test_the_chain_is_built_from_names_alone(name):
    endpoint = {"endpoint": "https://searxng.example/search"} if name == "searxng" else {}
    settings = SearchSettings(
        chain=[{"provider": name, **endpoint}], resilience=ResilienceSettings(rate_per_s=None)
    )
    server = good(name)
    chain = build_search(
        settings,
        http=httpx.AsyncClient(transport=httpx.MockTransport(server)),
        clock=VirtualClock(),
        secrets={WIRES[name].details.key_name or "": KEY},
        rng=random.Random(0),
    )

    reply = await chain.search("tides", 5)

    assert reply.served_by == name
    request = server.requests[-1]
    assert KEY in f"{request.headers.raw} {request.url}" or WIRES[name].details.key_name is None
    assert settings.chain[0] == ProviderSettings(provider=name, **endpoint)


async def test_a_character_reference_without_end_spoils_nothing():
    row = {"url": "https://a.example/", "title": f"Moon&#{'1' * 5000};s", "description": "&#39;"}
    answer = {"type": "search", "query": {}, "web": {"results": [row]}}

    reply = await Server(samples.dump(answer)).reply("brave")

    assert (reply.hits[0].title, reply.hits[0].snippet) == ("Moons", "'")


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("location", ["mailto:a@example.org", "http://xn--127/", "http:10.0.0.1"])
async def test_a_redirect_to_no_web_address_is_a_classified_error(name, location):
    failure = await Server(b"", 302, {"location": location}).failure(name)

    assert failure.kind == "malformed"
    assert "redirects to a malformed address" in str(failure)


async def test_brave_s_news_are_read_as_its_pages():
    row = {
        "type": "news_result",
        "title": "Tide <strong>tables</strong>",
        "url": samples.FIRST,
        "description": "High water at noon.",
        "age": "2 hours ago",
        "page_age": "2026-03-02T08:00:00",
        "meta_url": {"hostname": "harbour.example"},
    }
    answer = {"type": "news", "query": {"original": "tides"}, "results": [row]}
    endpoint = "https://api.search.brave.com/res/v1/news/search"
    reply = await Server(samples.dump(answer)).reply("brave", endpoint=endpoint)

    [hit] = reply.hits
    assert (hit.url, hit.title, hit.snippet) == (samples.FIRST, "Tide tables", row["description"])
    assert (hit.date, hit.age) == ("2026-03-02T08:00:00", "2 hours ago")


async def test_brave_s_news_without_results_are_empty_and_of_another_shape_malformed():
    nothing = {"type": "news", "query": {"original": "tides"}, "results": []}

    assert (await Server(samples.dump(nothing)).reply("brave")).hits == ()
    for broken in ({**nothing, "results": 3}, {"type": "videos", "query": {}, "results": []}):
        assert (await Server(samples.dump(broken)).failure("brave")).kind == "malformed"


def with_each_value_replaced(value):
    """Yield `value` with one value in it, at any depth, of another type."""
    if isinstance(value, (dict, list)):
        keys = value if isinstance(value, dict) else range(len(value[:2]))
        for key in keys:
            for inner in (
                None,
                [],
                ["a"],
                {"a": []},
                7,
                True,
                "a",
                *with_each_value_replaced(value[key]),
            ):
                copy = dict(value) if isinstance(value, dict) else list(value)
                copy[key] = inner
                yield copy


@pytest.mark.parametrize("name", [name for name in PROVIDERS if name != "duckduckgo"])
def test_a_value_of_another_type_is_never_a_crash(name):
    whole = json.loads(samples.SAMPLES[name].full)
    for changed in with_each_value_replaced(whole):
        for status in (200, 429):
            with suppress(SearchError):
                read_answer(WIRES[name], WireAnswer(status, {}, samples.dump(changed)))


@pytest.mark.parametrize("name", PROVIDERS)
def test_only_closed_providers_are_marked_and_a_place_of_one_s_own_is_none_of_them(name):
    is_closed = name in {"bing", "google_cse"}
    own = {"provider": name, "endpoint": "https://proxy.example/s"}

    assert bool(retired_notes(SearchSettings(chain=[name]))) == is_closed
    assert retired_notes(SearchSettings(chain=[own])) == ()
