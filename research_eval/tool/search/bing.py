"""Bing's Web Search API v7, closed since August 2025, and services that speak like it."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from research_eval.tool.search.listed import ListedWire, ListShape
from research_eval.tool.search.wire import ProviderDetails, WireRequest

__all__ = ["BingWire"]


class BingWire(ListedWire):
    """The wire format of `v7.0/search`; without pages the block `webPages` is absent."""

    shape = ListShape(
        path=("webPages", "value"),
        marks=frozenset({"_type", "queryContext", "rankingResponse"}),
        title="name",
        date="datePublished",
        age="datePublishedDisplayText",
    )
    details = ProviderDetails(
        name="bing",
        endpoint="https://api.bing.microsoft.com/v7.0/search",
        key_name="BING_API_KEY",
        max_results=50,
        max_query_chars=1500,
        retired="Microsoft closed Bing's search API in August 2025; give the `endpoint` of a service "
        "that speaks like it, or take another provider",
    )

    @override
    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return a GET for web pages alone."""
        params = {"q": query, "count": max_results, "responseFilter": "Webpages", **extra}
        return WireRequest("GET", {"Ocp-Apim-Subscription-Key": key}, params)
