"""Exa: a neural search API."""

from collections.abc import Mapping
from typing import Any

from research_eval.schema import SearchHit
from research_eval.tool.search.listed import ListShape
from research_eval.tool.search.protocol import SearchError
from research_eval.tool.search.query import split_sites
from research_eval.tool.search.wire import WireAnswer, WireRequest, WireTerms

__all__ = ["ExaWire"]

_SHAPE = ListShape(
    provider="exa",
    path=("results",),
    marks=frozenset(),
    snippets=("highlights", "summary", "text"),
    date="publishedDate",
)


class ExaWire:
    """The wire format of `api.exa.ai`."""

    terms = WireTerms(
        name="exa",
        endpoint="https://api.exa.ai/search",
        key_name="EXA_API_KEY",
        max_results=100,
        max_query_chars=2000,
    )

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

    def hits(self, answer: WireAnswer) -> list[SearchHit]:
        """Return the results.

        Raises:
            SearchError: If the answer holds an error, or is of another shape.
        """
        return _SHAPE.hits(answer)

    def refusal(self, answer: WireAnswer) -> SearchError:
        """Return the error that `error` and `tag` speak of."""
        return _SHAPE.refusal(answer)

    def pause_s(self, answer: WireAnswer) -> float | None:
        """Return `None`: Exa says nothing of pauses."""
        del answer
        return None
