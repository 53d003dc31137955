"""Tavily: a search API for agents."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from research_eval.tool.search.listed import ListedWire, ListShape
from research_eval.tool.search.query import split_sites
from research_eval.tool.search.wire import ProviderDetails, WireRequest

__all__ = ["TavilyWire"]


class TavilyWire(ListedWire):
    """The wire format of `api.tavily.com`; plan limits come as 432 and 433."""

    shape = ListShape(
        path=("results",),
        snippets=("content",),
        date="published_date",
    )
    details = ProviderDetails(
        name="tavily",
        endpoint="https://api.tavily.com/search",
        key_name="TAVILY_API_KEY",
        max_results=20,
        max_query_chars=400,
    )

    @override
    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return a POST; `site:` operators become lists of domains."""
        asked = split_sites(query)
        body: dict[str, Any] = {"query": asked.text, "max_results": max_results}
        if asked.sites:
            body["include_domains"] = list(asked.sites)
        if asked.excluded_sites:
            body["exclude_domains"] = list(asked.excluded_sites)
        headers = {"Authorization": f"Bearer {key}"}
        return WireRequest("POST", headers, json={**body, **extra})
