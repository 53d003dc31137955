"""Jina: the search of its Reader; here it brings results without the pages."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from research_eval.tool.search.listed import ListedWire, ListShape
from research_eval.tool.search.wire import ProviderDetails, WireRequest

__all__ = ["JinaWire"]


class JinaWire(ListedWire):
    """The wire format of `s.jina.ai`; that nothing was found comes as an error of status 422."""

    shape = ListShape(
        path=("data",), nothing="No search results", snippets=("description", "content")
    )
    details = ProviderDetails(
        name="jina",
        endpoint="https://s.jina.ai/",
        key_name="JINA_API_KEY",
        max_results=20,
        max_query_chars=2000,
    )

    @override
    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return a GET for JSON without the content of pages."""
        headers = {
            "Authorization": f"Bearer {key}",
            "Accept": "application/json",
            "X-Respond-With": "no-content",
        }
        return WireRequest("GET", headers, {"q": query, "num": max_results, **extra})
