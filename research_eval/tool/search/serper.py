"""Serper: Google's results as JSON."""

from collections.abc import Mapping
from typing import Any

from research_eval.schema import SearchHit
from research_eval.tool.search.protocol import SearchError
from research_eval.tool.search.wire import (
    ProviderDetails,
    WireAnswer,
    WireRequest,
    as_text,
    kind_of,
    make_hit,
    refuse,
    result_rows,
)
from research_eval.waiting import retry_after

__all__ = ["SerperWire"]


class SerperWire:
    """The wire format of `google.serper.dev`."""

    details = ProviderDetails(
        name="serper",
        endpoint="https://google.serper.dev/search",
        key_name="SERPER_API_KEY",
        max_results=100,
        max_query_chars=2048,
    )

    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return a POST with the query as JSON."""
        body = {"q": query, "num": max_results, **extra}
        return WireRequest("POST", {"X-API-KEY": key}, json=body)

    def hits(self, answer: WireAnswer) -> list[SearchHit]:
        """Return the organic results; every other block may be absent.

        Raises:
            SearchError: If there is no `organic` list.
        """
        data = answer.json()
        if not isinstance(data, dict) or not isinstance(data.get("organic"), list):
            if isinstance(data, dict) and isinstance(data.get("message"), str):
                raise self.refusal(answer)
            raise refuse(self.details.name, "malformed", answer, "no list of organic results")
        return [
            make_hit(
                as_text(row.get("link")),
                as_text(row.get("title")),
                as_text(row.get("snippet")),
                _position(row.get("position"), place),
                as_text(row.get("date")),
            )
            for place, row in enumerate(result_rows(self.details.name, answer, data["organic"]), 1)
        ]

    def refusal(self, answer: WireAnswer) -> SearchError:
        """Return the error that `message` speaks of; a spent balance comes as 400."""
        data = answer.json()
        message = as_text(data.get("message")) if isinstance(data, dict) else answer.text()
        status = answer.status if answer.status >= 300 else _status_in(data)
        kind = kind_of(status, message)
        return refuse(self.details.name, kind, answer, message, retry_after(answer.headers))

    def pause_s(self, answer: WireAnswer) -> float | None:
        """Return `None`: Serper says nothing of pauses."""
        del answer
        return None


def _position(value: object, place: int) -> int:
    is_rank = isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10_000
    return value if is_rank and isinstance(value, int) else place


def _status_in(data: object) -> int:
    status = data.get("statusCode") if isinstance(data, dict) else None
    return status if isinstance(status, int) and 300 <= status < 600 else 299
