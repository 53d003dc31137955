"""Perplexity: its Search API, which gives results and no written answer."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from research_eval.tool.search.listed import ListedWire, ListShape
from research_eval.tool.search.query import split_sites
from research_eval.tool.search.wire import ProviderDetails, WireRequest

__all__ = ["PerplexityWire"]


class PerplexityWire(ListedWire):
    """The wire format of `api.perplexity.ai/search`."""

    shape = ListShape(path=("results",))
    details = ProviderDetails(
        name="perplexity",
        endpoint="https://api.perplexity.ai/search",
        key_name="PERPLEXITY_API_KEY",
        max_results=20,
        max_query_chars=2000,
    )

    @override
    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return a POST; `site:` operators become one list of domains, those left out with a `-`."""
        asked = split_sites(query)
        body: dict[str, Any] = {"query": asked.text, "max_results": max_results}
        domains = [*asked.sites, *(f"-{site}" for site in asked.excluded_sites)]
        if domains:
            body["search_domain_filter"] = domains
        headers = {"Authorization": f"Bearer {key}"}
        return WireRequest("POST", headers, json={**body, **extra})
