"""Providers and extractors that somebody wrote: an API in ten lines, and faults that end one call alone."""

import asyncio
import random
import re
import sys
import types
from pathlib import Path

import httpx
import pytest

from research_eval.cli.notice import warn_of_retired
from research_eval.clock import VirtualClock
from research_eval.errors import ConfigError
from research_eval.ledger import SourceRegistry
from research_eval.schema import SearchHit
from research_eval.tool.fetch import FetchSettings, FetchTool
from research_eval.tool.search import (
    SearchError,
    SearchReply,
    SearchSettings,
    WebSearchTool,
    build_search,
    missing_secrets,
    search_addresses,
)

DOCS = Path(__file__).parents[2] / "docs/search.md"
[EXAMPLE] = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def own(monkeypatch):
    """Make a module of the user's code that a chain can name."""

    def make(**content: object) -> None:
        module = types.ModuleType("custom_code")
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, "custom_code", module)

    return make


def chain_of(provider: str, answer=None, secrets=None, **resilience):
    asked: list[httpx.Request] = []

    def serve(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return answer

    settings = SearchSettings.model_validate({"chain": [provider], "resilience": resilience})
    built = build_search(
        settings,
        http=httpx.AsyncClient(transport=httpx.MockTransport(serve)),
        clock=VirtualClock(),
        secrets=secrets or {},
        rng=random.Random(0),
    )
    return built, asked, settings


@pytest.fixture
def documented(own):
    names: dict[str, object] = {}
    exec(compile(EXAMPLE, "docs/search.md", "exec"), names)
    own(Harbour=names["Harbour"])


def harbour(answer: httpx.Response, key: str = "sk-harbour-1"):
    return chain_of("custom_code:Harbour", answer, {"HARBOUR_API_KEY": key})


def test_the_provider_of_the_page_is_ten_lines():
    assert len([line for line in EXAMPLE.splitlines() if line.strip()]) <= 10


def test_the_provider_of_the_page_asks_and_reads_its_api(documented):
    rows = [{"link": "https://a.example/", "title": "Tides", "excerpt": "Noon.", "date": "2026"}]
    chain, asked, _ = harbour(httpx.Response(200, json={"found": {"pages": rows}}))
    reply = asyncio.run(chain.search("why tides " * 100, 5))

    assert reply.hits == (
        SearchHit(url="https://a.example/", title="Tides", snippet="Noon.", date="2026", rank=1),
    )
    assert reply.served_by == "harbour"
    assert asked[0].headers["authorization"] == "Bearer sk-harbour-1"
    assert len(asked[0].url.params["q"]) <= 500


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, {"error": "bad key"}, "auth"),
        (429, {"error": "too many requests"}, "rate_limited"),
        (402, {}, "quota"),
        (500, {}, "server"),
        (200, {"error": "daily quota exceeded"}, "quota"),
        (200, {"found": 3}, "malformed"),
        (200, {"found": {"pages": [1]}}, "malformed"),
    ],
)
def test_the_provider_of_the_page_has_all_classes_of_errors(documented, status, body, kind):
    chain, _, _ = harbour(httpx.Response(status, json=body))
    with pytest.raises(SearchError) as caught:
        asyncio.run(chain.search("tides", 5))

    assert caught.value.tries[-1].error == kind


def test_the_provider_of_the_page_needs_its_key(documented):
    _, _, settings = chain_of("custom_code:Harbour")

    assert missing_secrets(settings, {}) == ("HARBOUR_API_KEY",)
    assert missing_secrets(settings, {"HARBOUR_API_KEY": "k"}) == ()


class Faulty:
    """A provider whose search does what it is told."""

    name = "faulty"
    does: object = None

    def __init__(self, *, settings, http, clock, secrets) -> None:
        self.asked = 0

    async def search(self, query: str, max_results: int) -> SearchReply:
        if isinstance(self.does, BaseException):
            raise self.does
        return self.does


FAULTS = [
    KeyError("hits"),
    RuntimeError("boom"),
    RecursionError(),
    AssertionError("no"),
    ValueError(b"\xff"),
    None,
    "text",
    asyncio.CancelledError(),
    [SearchHit(url="https://a.example/", rank=1)],
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_whatever_a_provider_does_is_an_error_of_that_search(own, fault):
    own(Faulty=type("Faulty", (Faulty,), {"does": fault}))
    chain, _, _ = chain_of("custom_code:Faulty")
    events: list[object] = []
    tool = WebSearchTool(chain, ledger=SourceRegistry(), clock=VirtualClock(), emit=events.append)
    outcome = asyncio.run(tool({"query": "tides"}))

    assert (outcome.ok, outcome.error) == (False, "crashed")
    [tried] = events[0].tries
    assert (tried.provider, tried.error, tried.requests) == ("faulty", "crashed", 1)


@pytest.mark.parametrize("method", ["request", "hits", "refusal"])
def test_whatever_an_own_wire_format_raises_is_an_error_of_that_search(own, documented, method):
    def raises(*_: object, **__: object) -> None:
        raise KeyError(method)

    base = sys.modules["custom_code"].Harbour
    own(Harbour=type("Harbour", (base,), {method: raises}))
    chain, _, _ = harbour(httpx.Response(400 if method == "refusal" else 200, json={"found": {}}))
    with pytest.raises(SearchError) as caught:
        asyncio.run(chain.search("tides", 5))

    assert caught.value.tries[-1].error == "crashed"


def test_cancelling_a_search_of_one_s_own_is_no_error(own):
    async def search(self, query: str, max_results: int) -> SearchReply:
        await asyncio.Event().wait()

    async def cancelled() -> None:
        task = asyncio.create_task(chain.search("tides", 5))
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    own(Faulty=type("Faulty", (Faulty,), {"search": search}))
    chain, _, _ = chain_of("custom_code:Faulty")
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


def test_a_provider_that_cannot_be_made_is_a_mistake_of_the_file(own):
    def factory(**_: object) -> None:
        raise OSError("no index")

    own(factory=factory)
    with pytest.raises(ConfigError, match="OSError: no index"):
        chain_of("custom_code:factory")


@pytest.mark.parametrize("fault", FAULTS[:-1], ids=lambda fault: type(fault).__name__)
def test_whatever_an_extractor_does_is_an_error_of_that_page(own, fault, monkeypatch):
    def extractor(html: str, *, url: str) -> object:
        if isinstance(fault, BaseException):
            raise fault
        return fault

    own(extractor=extractor)
    monkeypatch.setattr("research_eval.tool.fetch.extraction.is_light", lambda *_, **__: True)
    ledger = SourceRegistry()
    events: list[object] = []
    page = httpx.Response(200, headers={"content-type": "text/html"}, text="<p>Tides turn. " * 90)
    tool = FetchTool(
        FetchSettings(extractor="custom_code:extractor"),
        http=httpx.AsyncClient(transport=httpx.MockTransport(lambda _: page)),
        ledger=ledger,
        clock=VirtualClock(),
        emit=events.append,
    )
    outcome = asyncio.run(tool({"url": "https://a.example/"}))

    assert outcome.error == "extractor_failed"
    assert "help: " in outcome.text
    assert events[0].ok is False
    known = ledger.get("https://a.example/")
    assert known is None or known.state != "fetched"


def test_an_extractor_that_raises_in_the_worker_is_an_error_of_that_page(tmp_path, monkeypatch):
    (tmp_path / "worker_code.py").write_text("def extractor(html, *, url):\n    return html[9]()\n")
    monkeypatch.syspath_prepend(tmp_path)
    from research_eval.tool.fetch import extract, extraction

    extraction._WORKER.close()  # one that runs already does not know this folder

    page = extract(
        b"<p>Tides turn twice.",
        url="https://worker.example/",
        content_type="text/html",
        extractor="worker_code:extractor",
    )

    assert page.error == "extractor_failed"
    assert "TypeError: 'str' object is not callable, at " in page.message


def test_a_chain_tells_where_its_apis_stand(documented):
    _, _, settings = chain_of("custom_code:Harbour")

    assert search_addresses(settings) == ("https://api.harbour.example/v1",)


def test_a_closed_provider_is_warned_of_once_and_its_users_told_what_to_do(capsys):
    settings = SearchSettings.model_validate({"chain": ["bing", "google_cse"]})
    warn_of_retired([settings, settings])

    lines = capsys.readouterr().err.splitlines()
    assert [line.partition("'")[2].partition("'")[0] for line in lines] == ["bing", "google_cse"]
    assert "give the `endpoint`" in lines[0]
