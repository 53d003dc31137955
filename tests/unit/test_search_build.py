"""From settings to a chain."""

import asyncio
import random
import sys
import types

import httpx
import pytest
from pydantic import ValidationError

from research_eval.clock import SystemClock, VirtualClock
from research_eval.errors import ConfigError
from research_eval.schema import SearchHit
from research_eval.tool.search import (
    ProviderSettings,
    SearchReply,
    SearchSettings,
    TokenBucket,
    build_search,
    missing_secrets,
)


def build(chain, *, secrets=None, handler=None, **settings):
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return handler(request) if handler else httpx.Response(503)

    provider = build_search(
        SearchSettings.model_validate({"chain": chain, **settings}),
        http=httpx.AsyncClient(transport=httpx.MockTransport(answer)),
        clock=VirtualClock(),
        secrets={} if secrets is None else secrets,
        rng=random.Random(0),
    )
    return provider, asked


def test_a_name_alone_is_a_provider():
    settings = SearchSettings.model_validate(
        {"chain": ["serper", {"provider": "brave", "timeout_s": 3}]}
    )

    assert settings.chain[0] == ProviderSettings(provider="serper")
    assert settings.chain[1].timeout_s == 3
    assert settings.summary == "serper > brave"


def test_without_a_chain_there_is_no_search():
    assert build([])[0] is None


def test_the_path_of_a_collection_is_not_part_of_the_summary():
    assert SearchSettings.model_validate({"chain": ["corpus:/home/me/pages"]}).summary == "corpus"


def test_a_provider_without_its_key_sends_nothing():
    provider, asked = build(["serper"])

    with pytest.raises(Exception, match=r"serper is not configured: no key in SERPER_API_KEY"):
        asyncio.run(provider.search("q", 5))

    assert asked == []


def test_the_keys_that_are_missing_can_be_asked_for():
    settings = SearchSettings.model_validate(
        {"chain": ["serper", "searxng", {"provider": "brave", "key_name": "OTHER_KEY"}]}
    )

    assert missing_secrets(settings, {"SERPER_API_KEY": "x"}) == ("OTHER_KEY",)


def test_another_key_can_be_named():
    provider, asked = build([{"provider": "serper", "key_name": "MINE"}], secrets={"MINE": "k-1"})

    with pytest.raises(Exception, match=r"503"):
        asyncio.run(provider.search("q", 5))

    assert asked[0].headers["x-api-key"] == "k-1"


@pytest.mark.parametrize("chain", [["nobody"], ["searxng"], ["no.such.module:thing"]])
def test_what_cannot_be_built_is_a_mistake_of_the_file(chain):
    with pytest.raises(ConfigError):
        build(chain)


def test_a_typo_is_refused():
    with pytest.raises(ValidationError):
        SearchSettings.model_validate({"chain": ["serper"], "resilience": {"cache_tll_s": 1}})


def test_own_settings_of_a_provider_come_before_the_chain_s():
    chain = [{"provider": "serper", "resilience": {"request_retries": 0}}, "brave"]
    provider, asked = build(
        chain,
        secrets={"SERPER_API_KEY": "a", "BRAVE_API_KEY": "b"},
        resilience={"request_retries": 2},
    )

    with pytest.raises(Exception, match=r"serper answered 503.*brave answered 503"):
        asyncio.run(provider.search("q", 5))

    assert [request.url.host for request in asked].count("google.serper.dev") == 1
    assert [request.url.host for request in asked].count("api.search.brave.com") == 3


class Custom:
    """A provider that somebody wrote."""

    name = "own"

    def __init__(self, *, settings, http, clock, secrets) -> None:
        self.settings = settings

    async def search(self, query: str, max_results: int) -> SearchReply:
        hit = SearchHit(url=f"https://own.example/{self.settings.extra['x']}", rank=1)
        return SearchReply(hits=(hit,), served_by=self.name)


def test_a_provider_of_one_s_own_is_protected_like_the_others(monkeypatch):
    module = types.ModuleType("custom_search")
    module.Custom = Custom
    monkeypatch.setitem(sys.modules, "custom_search", module)
    provider, _ = build([{"provider": "custom_search:Custom", "extra": {"x": 7}}])

    first = asyncio.run(provider.search("q", 5))
    second = asyncio.run(provider.search("q", 5))

    assert first.hits[0].url == "https://own.example/7"
    assert (first.tries[0].outcome, second.tries[0].outcome) == ("served", "cached")


def test_a_chain_falls_from_one_provider_to_the_next():
    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.host == "google.serper.dev":
            return httpx.Response(400, json={"message": "Not enough credits", "statusCode": 400})
        results = [{"url": "https://a.example/", "title": "A", "description": "x"}]
        return httpx.Response(
            200, json={"type": "search", "query": {}, "web": {"results": results}}
        )

    keys = {"SERPER_API_KEY": "a", "BRAVE_API_KEY": "b"}
    provider, asked = build(["serper", "brave"], secrets=keys, handler=handler)

    reply = asyncio.run(provider.search("q", 5))
    again = asyncio.run(provider.search("other", 5))

    assert reply.served_by == "brave"
    assert [(t.provider, t.outcome, t.error, t.status) for t in reply.tries] == [
        ("serper", "error", "quota", 400),
        ("brave", "served", None, 200),
    ]
    assert again.tries[0].outcome == "skipped"
    assert len(asked) == 3


@pytest.mark.parametrize("is_virtual", [True, False])
def test_trials_on_the_system_s_clock_share_a_rate_limit(is_virtual):
    limits: dict[str, TokenBucket] = {}
    for _ in range(2):
        build_search(
            SearchSettings(chain=["serper"]),
            http=httpx.AsyncClient(),
            clock=VirtualClock() if is_virtual else SystemClock(),
            secrets={"SERPER_API_KEY": "k"},
            rng=random.Random(0),
            limits=limits,
        )

    assert list(limits) == ([] if is_virtual else ["serper"])
