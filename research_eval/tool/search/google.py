"""Google's Custom Search JSON API."""

from collections.abc import Mapping
from typing import Any

from research_eval.schema import SearchHit
from research_eval.tool.search.listed import ListShape
from research_eval.tool.search.protocol import SearchError
from research_eval.tool.search.wire import WireAnswer, WireRequest, WireTerms

__all__ = ["GoogleWire"]

_SHAPE = ListShape(
    provider="google_cse",
    path=("items",),
    marks=frozenset({"kind", "searchInformation", "queries"}),
    url="link",
)


class GoogleWire:
    """The wire format of `customsearch/v1`; the search engine's id is the parameter `cx`."""

    terms = WireTerms(
        name="google_cse",
        endpoint="https://www.googleapis.com/customsearch/v1",
        key_name="GOOGLE_CSE_API_KEY",
        max_results=10,
        max_query_chars=2048,
    )

    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return a GET; the key travels in a header, where no log keeps it."""
        params = {"q": query, "num": max_results, **extra}
        return WireRequest("GET", {"X-Goog-Api-Key": key}, params)

    def hits(self, answer: WireAnswer) -> list[SearchHit]:
        """Return the results; `items` is absent when there are none.

        Raises:
            SearchError: If the answer holds an error, or is of another shape.
        """
        return _SHAPE.hits(answer)

    def refusal(self, answer: WireAnswer) -> SearchError:
        """Return the error by its message and reason."""
        return _SHAPE.refusal(answer)

    def pause_s(self, answer: WireAnswer) -> float | None:
        """Return `None`: Google says nothing of pauses."""
        del answer
        return None
