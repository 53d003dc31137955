"""Bing's Web Search API v7, and services that speak like it."""

from collections.abc import Mapping
from typing import Any

from research_eval.schema import SearchHit
from research_eval.tool.search.listed import ListShape
from research_eval.tool.search.protocol import SearchError
from research_eval.tool.search.wire import WireAnswer, WireRequest, WireTerms

__all__ = ["BingWire"]

_SHAPE = ListShape(
    provider="bing",
    path=("webPages", "value"),
    marks=frozenset({"_type", "queryContext", "rankingResponse"}),
    title="name",
    date="datePublished",
    age="datePublishedDisplayText",
)


class BingWire:
    """The wire format of `v7.0/search`; without pages the block `webPages` is absent."""

    terms = WireTerms(
        name="bing",
        endpoint="https://api.bing.microsoft.com/v7.0/search",
        key_name="BING_API_KEY",
        max_results=50,
        max_query_chars=1500,
    )

    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return a GET for web pages alone."""
        params = {"q": query, "count": max_results, "responseFilter": "Webpages", **extra}
        return WireRequest("GET", {"Ocp-Apim-Subscription-Key": key}, params)

    def hits(self, answer: WireAnswer) -> list[SearchHit]:
        """Return the web pages.

        Raises:
            SearchError: If the answer holds an error, or is of another shape.
        """
        return _SHAPE.hits(answer)

    def refusal(self, answer: WireAnswer) -> SearchError:
        """Return the error by its message and code."""
        return _SHAPE.refusal(answer)

    def pause_s(self, answer: WireAnswer) -> float | None:
        """Return `None`: Bing says nothing of pauses."""
        del answer
        return None
