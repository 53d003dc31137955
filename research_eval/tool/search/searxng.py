"""SearXNG: a metasearch engine that one runs oneself."""

import re
from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from research_eval.schema import SearchHit
from research_eval.tool.search.listed import ListedWire, ListShape
from research_eval.tool.search.protocol import SearchError, SearchErrorKind
from research_eval.tool.search.wire import ProviderDetails, WireAnswer, WireRequest, as_text, refuse

__all__ = ["SearxngWire"]

_BLOCKED = re.compile(r"captcha|too many|suspended|denied|过于频繁", re.IGNORECASE)


class SearxngWire(ListedWire):
    """The wire format of `/search?format=json`; the instance is the setting `endpoint`."""

    shape = ListShape(
        path=("results",),
        snippets=("content",),
        date="publishedDate",
    )
    details = ProviderDetails(
        name="searxng", endpoint="", key_name=None, max_results=100, max_query_chars=2000
    )

    @override
    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return a GET; how many results come back the instance decides."""
        del max_results, key
        return WireRequest("GET", {}, {"q": query, "format": "json", **extra})

    @override
    def hits(self, answer: WireAnswer) -> list[SearchHit]:
        """Return the results.

        Raises:
            SearchError: If there are none because every engine behind it failed, or the answer is
                of another shape.
        """
        found = super().hits(answer)
        if found:
            return found
        failed = answer.json().get("unresponsive_engines")
        reasons = [_reason(engine) for engine in failed] if isinstance(failed, list) else []
        if reasons:
            said = ", ".join(reasons)
            kind: SearchErrorKind = "rate_limited" if _BLOCKED.search(said) else "server"
            raise refuse(self.details.name, kind, answer, f"no engine answered: {said}")
        return []

    @override
    def refusal(self, answer: WireAnswer) -> SearchError:
        """Return the error; 403 means that the instance does not offer JSON."""
        if answer.status == 403:
            hint = "the instance does not allow format=json"
            return refuse(self.details.name, "auth", answer, hint)
        return super().refusal(answer)


def _reason(engine: object) -> str:
    parts = engine if isinstance(engine, list) else [engine]
    return " ".join(text for text in map(as_text, parts) if text) or "an engine failed"
