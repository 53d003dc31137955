"""Exa: a neural search API."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from research_eval.tool.search.listed import ListedWire, ListShape
from research_eval.tool.search.query import split_sites
from research_eval.tool.search.wire import ProviderDetails, WireRequest

__all__ = ["ExaWire"]


class ExaWire(ListedWire):
    """The wire format of `api.exa.ai`."""

    shape = ListShape(
        path=("results",),
        snippets=("highlights", "summary", "text"),
        date="publishedDate",
    )
    details = ProviderDetails(
        name="exa",
        endpoint="https://api.exa.ai/search",
        key_name="EXA_API_KEY",
        max_results=100,
        max_query_chars=2000,
    )

    @override
    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return a POST that asks for highlights; `site:` operators become lists of domains."""
        asked = split_sites(query)
        body: dict[str, Any] = {
            "query": asked.text,
            "numResults": max_results,
            "contents": {"highlights": True},
        }
        if asked.sites:
            body["includeDomains"] = list(asked.sites)
        if asked.excluded_sites:
            body["excludeDomains"] = list(asked.excluded_sites)
        return WireRequest("POST", {"x-api-key": key}, json={**body, **extra})
