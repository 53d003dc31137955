"""Firecrawl: a search API that can bring pages too; here it brings results alone."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from research_eval.tool.search.listed import ListedWire, ListShape
from research_eval.tool.search.wire import ProviderDetails, WireRequest

__all__ = ["FirecrawlWire"]


class FirecrawlWire(ListedWire):
    """The wire format of `api.firecrawl.dev/v2/search`; without results the block `web` may be absent."""

    shape = ListShape(path=("data", "web"), marks=frozenset({"data"}), snippets=("description",))
    details = ProviderDetails(
        name="firecrawl",
        endpoint="https://api.firecrawl.dev/v2/search",
        key_name="FIRECRAWL_API_KEY",
        max_results=100,
        max_query_chars=500,
    )

    @override
    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return a POST; `site:` operators stay in the query, where the API reads them."""
        headers = {"Authorization": f"Bearer {key}"}
        return WireRequest("POST", headers, json={"query": query, "limit": max_results, **extra})
