"""The providers' servers of the laboratory: a request in, an answer in their own wire format out."""

import json
import random
import re
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs

import httpx
from typing_extensions import override

from research_eval.clock import Clock
from research_eval.failover.scenario import ScenarioProvider
from research_eval.tool.search import WIRES

__all__ = ["LabServers", "endpoint_of", "host_of", "page_url", "query_of"]

RESULTS = 5


def endpoint_of(provider: str) -> str:
    """Return where a provider is asked in the laboratory."""
    return WIRES[provider].details.endpoint or f"https://{provider}.example/search"


def host_of(provider: str) -> str:
    """Return the host of a provider in the laboratory."""
    return httpx.URL(endpoint_of(provider)).host


def page_url(query: str, number: int) -> str:
    """Return the address of one of the pages that a query finds."""
    slug = re.sub(r"[^a-z0-9]+", "-", query.lower()).strip("-")
    return f"https://site{number}.example/{slug}"


class LabServers(httpx.AsyncBaseTransport):
    """Answers for every provider of a scenario; counts what it answered.

    Attributes:
        answered: Requests that were answered with results, by provider.
    """

    def __init__(
        self, providers: tuple[ScenarioProvider, ...], *, clock: Clock, rng: random.Random
    ) -> None:
        self._providers = {host_of(provider.provider): provider for provider in providers}
        self._clock = clock
        self._seed = rng.getrandbits(32)
        self._asked: Counter[tuple[str, str]] = Counter()
        self._tokens = {host: [1.0, clock.now()] for host in self._providers}
        self._bodies: dict[tuple[str, str], tuple[bytes, str]] = {}
        self.answered = {provider.provider: 0 for provider in providers}

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        host = request.url.host
        provider = self._providers[host]
        latency = provider.latency_s * (2 + 2 * self._chance(host, query_of(request))) / 3
        if provider.server_rate_per_s is not None and not self._allow(host, provider):
            return httpx.Response(429, json={"message": "Too many requests"})
        await self._clock.sleep(latency)
        self.answered[provider.provider] += 1
        body, kind = self._body(provider, query_of(request))
        return httpx.Response(200, content=body, headers={"content-type": kind})

    def _chance(self, host: str, query: str) -> float:
        """Return the same number for the same request, whatever else a variant asks."""
        self._asked[host, query] += 1
        what = f"{self._seed}/{host}/{query}/{self._asked[host, query]}"
        return zlib.crc32(what.encode()) / 2**32

    def _allow(self, host: str, provider: ScenarioProvider) -> bool:
        rate, now = provider.server_rate_per_s or 1.0, self._clock.now()
        tokens, since = self._tokens[host]
        tokens = min(1.0, tokens + (now - since) * rate)
        # the smallest slack, so that a client that keeps the rate exactly is within it
        allowed = tokens > 1 - 1e-3
        self._tokens[host] = [tokens - 1 if allowed else tokens, now]
        return allowed

    def _body(self, provider: ScenarioProvider, query: str) -> tuple[bytes, str]:
        key = (provider.provider, query)
        if key not in self._bodies:
            chance = zlib.crc32(f"{provider.provider}/{query}".encode()) / 2**32
            count = RESULTS if chance < provider.knows_share else 0
            self._bodies[key] = _written(provider.provider, query, count)
        return self._bodies[key]


def query_of(request: httpx.Request) -> str:
    """Return what a request asks for, in whichever provider's format."""
    content = request.content
    if content.startswith(b"{"):
        asked = json.loads(content)
        return str(asked.get("q") or asked.get("query") or "")
    if content:
        return parse_qs(content.decode()).get("q", [""])[0]
    return str(request.url.params.get("q", ""))


def _written(provider: str, query: str, count: int) -> tuple[bytes, str]:
    found = [(page_url(query, n), f"{query} {n}", f"About {query}.") for n in range(1, count + 1)]
    if provider == "duckduckgo":
        return _page(found), "text/html"
    write = _WRITERS.get(provider, _plain_list)
    return json.dumps(write(found)).encode(), "application/json"


Found = list[tuple[str, str, str]]


def _named(found: Found, url: str, title: str, text: str) -> list[dict[str, str]]:
    return [{url: u, title: t, text: s} for u, t, s in found]


def _serper(found: Found) -> Mapping[str, Any]:
    organic = _named(found, "link", "title", "snippet")
    return {"searchParameters": {"type": "search"}, "organic": organic, "credits": 1}


def _brave(found: Found) -> Mapping[str, Any]:
    body: dict[str, Any] = {"type": "search", "query": {"original": ""}}
    return {**body, "web": {"results": _named(found, "url", "title", "description")}}


def _google(found: Found) -> Mapping[str, Any]:
    items = _named(found, "link", "title", "snippet")
    return {"kind": "customsearch#search", **({"items": items} if items else {})}


def _bing(found: Found) -> Mapping[str, Any]:
    pages = {"webPages": {"value": _named(found, "url", "name", "snippet")}}
    return {"_type": "SearchResponse", **(pages if found else {})}


def _firecrawl(found: Found) -> Mapping[str, Any]:
    web = _named(found, "url", "title", "description")
    return {"success": True, "data": {"web": web} if web else {}}


def _jina(found: Found) -> Mapping[str, Any]:
    return {"code": 200, "status": 20000, "data": _named(found, "url", "title", "description")}


def _serpapi(found: Found) -> Mapping[str, Any]:
    organic = _named(found, "link", "title", "snippet")
    nothing = {"error": "Google hasn't returned any results for this query."}
    told = {"organic_results": organic} if organic else nothing
    return {"search_metadata": {"status": "Success"}, **told}


def _plain_list(found: Found) -> Mapping[str, Any]:
    rows = [{"url": u, "title": t, "content": s, "highlights": [s]} for u, t, s in found]
    return {"results": rows}


_WRITERS: Mapping[str, Callable[[Found], Mapping[str, Any]]] = {
    "serper": _serper,
    "brave": _brave,
    "google_cse": _google,
    "bing": _bing,
    "firecrawl": _firecrawl,
    "jina": _jina,
    "serpapi": _serpapi,
}


def _page(found: Found) -> bytes:
    rows = [
        f'<div class="result"><a class="result__a" href="{url}">{title}</a>'
        f'<a class="result__snippet">{text}</a></div>'
        for url, title, text in found
    ]
    return "".join(rows or ['<div class="no-results">No results.</div>']).encode()
