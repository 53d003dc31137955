"""SerpApi: pages of results of Google and others as JSON."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from research_eval.tool.search.listed import ListedWire, ListShape
from research_eval.tool.search.wire import ProviderDetails, WireRequest

__all__ = ["SerpApiWire"]


class SerpApiWire(ListedWire):
    """The wire format of `serpapi.com/search.json`; that nothing was found comes as an `error` beside a success."""

    shape = ListShape(
        path=("organic_results",),
        marks=frozenset({"search_metadata"}),
        nothing="Google hasn't returned any results",
        url="link",
    )
    details = ProviderDetails(
        name="serpapi",
        endpoint="https://serpapi.com/search.json",
        key_name="SERPAPI_API_KEY",
        max_results=10,
        max_query_chars=2048,
    )

    @override
    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return a GET; the API takes the key as a parameter alone, and one page of results."""
        del max_results
        params = {"engine": "google", "q": query, "api_key": key, **extra}
        return WireRequest("GET", {}, params)
