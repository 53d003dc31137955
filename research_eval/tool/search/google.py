"""Google's Custom Search JSON API, closed to new customers."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from research_eval.tool.search.listed import ListedWire, ListShape
from research_eval.tool.search.wire import ProviderDetails, WireRequest

__all__ = ["GoogleWire"]


class GoogleWire(ListedWire):
    """The wire format of `customsearch/v1`; the search engine's id is the parameter `cx`."""

    shape = ListShape(
        path=("items",),
        marks=frozenset({"kind", "searchInformation", "queries"}),
        url="link",
    )
    details = ProviderDetails(
        name="google_cse",
        endpoint="https://www.googleapis.com/customsearch/v1",
        key_name="GOOGLE_CSE_API_KEY",
        max_results=10,
        max_query_chars=2048,
        retired="Google takes no new customers for its Custom Search JSON API; take another provider",
    )

    @override
    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return a GET; the key travels in a header, where no log keeps it."""
        params = {"q": query, "num": max_results, **extra}
        return WireRequest("GET", {"X-Goog-Api-Key": key}, params)
