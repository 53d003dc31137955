"""Brave: its own index, as JSON with HTML inside."""

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from research_eval.schema import SearchHit
from research_eval.tool.search.protocol import SearchError, SearchErrorKind
from research_eval.tool.search.query import clean_text
from research_eval.tool.search.wire import (
    ProviderDetails,
    WireAnswer,
    WireRequest,
    as_text,
    kind_of,
    make_hit,
    refuse,
    result_rows,
    rows,
)
from research_eval.waiting import retry_after

__all__ = ["BraveWire", "plain"]

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_ENDLESS = re.compile(r"&#[xX]?[0-9a-fA-F]{9,};?")
"""Character references that name no character; `unescape` fails on the longest of them."""

_CODES: Mapping[str, SearchErrorKind] = {
    "SUBSCRIPTION_TOKEN_INVALID": "auth",
    "SUBSCRIPTION_TOKEN_MISSING": "auth",
    "SUBSCRIPTION_NOT_FOUND": "auth",
    "OPTION_NOT_IN_PLAN": "auth",
    "RESOURCE_NOT_ALLOWED": "auth",
    "RATE_LIMITED": "rate_limited",
    "QUOTA_LIMITED": "quota",
    "USAGE_LIMIT_EXCEEDED": "quota",
}


class BraveWire:
    """The wire format of `api.search.brave.com`: of `web/search`, and of `news/search`."""

    details = ProviderDetails(
        name="brave",
        endpoint="https://api.search.brave.com/res/v1/web/search",
        key_name="BRAVE_API_KEY",
        max_results=20,
        max_query_chars=400,
        max_query_words=50,
    )

    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return a GET that asks for text without highlighting."""
        headers = {"X-Subscription-Token": key, "Accept": "application/json"}
        params = {"q": query, "count": max_results, "text_decorations": "false", **extra}
        return WireRequest("GET", headers, params)

    def hits(self, answer: WireAnswer) -> list[SearchHit]:
        """Return the web results in the order of display; an absent block is an empty one.

        The answer of `news/search`, which an `endpoint` may name, holds its results at the top.

        Raises:
            SearchError: If this is no answer to a web or news search.
        """
        data = answer.json()
        if not isinstance(data, dict):
            raise refuse(self.details.name, "malformed", answer, "no JSON object")
        if "error" in data or "errors" in data:
            raise self.refusal(answer)
        kind = data.get("type", "search")
        if kind not in ("search", "news") or not {"query", "web", "mixed"} & data.keys():
            raise refuse(
                self.details.name, "malformed", answer, "no answer to a web or news search"
            )
        block = data if kind == "news" else data.get("web", {"results": []})
        results = block.get("results") if isinstance(block, dict) else None
        if not isinstance(results, list):
            raise refuse(self.details.name, "malformed", answer, "no list of web results")
        listed = result_rows(self.details.name, answer, results)
        return [_hit(row, rank) for row, rank in _ranked(listed, data.get("mixed"))]

    def refusal(self, answer: WireAnswer) -> SearchError:
        """Return the error by its code; a bad key comes as 422, and 429 has two meanings."""
        error = _error_in(answer.json())
        message = as_text(error.get("detail")) or answer.text()
        told = error.get("meta")
        meta = told if isinstance(told, dict) else {}
        code = as_text(error.get("code"))
        status = answer.status if answer.status >= 300 else _status_in(error)
        kind = _CODES.get(code) or kind_of(status, message)
        if "x-subscription-token" in str(meta).lower():
            kind = "auth"
        if kind == "rate_limited" and _quota_is_spent(meta):
            kind = "quota"
        wait = retry_after(answer.headers)
        if kind == "rate_limited" and wait is None:
            wait = _first_number(answer.headers.get("x-ratelimit-reset", ""))
        return refuse(self.details.name, kind, answer, f"{code} {message}", wait)

    def pause_s(self, answer: WireAnswer) -> float | None:
        """Return the reset of the window of a second, when nothing is left in it."""
        limit = _first_number(answer.headers.get("x-ratelimit-limit", ""))
        left = _first_number(answer.headers.get("x-ratelimit-remaining", ""))
        if not limit or left is None or left > 0:
            return None
        return _first_number(answer.headers.get("x-ratelimit-reset", ""))


def plain(html: object) -> str:
    """Return a title or description without tags and entities.

    >>> plain("<strong>Tides</strong> &amp; currents")
    'Tides & currents'
    """
    if not isinstance(html, str):
        return ""
    return clean_text(unescape(_ENDLESS.sub("", _TAG.sub("", html))))


def _hit(row: Mapping[str, Any], rank: int) -> SearchHit:
    age = as_text(row.get("age"))
    return make_hit(
        as_text(row.get("url")),
        plain(row.get("title")),
        plain(row.get("description")),
        rank,
        as_text(row.get("page_age")) or age,
        age,
    )


def _ranked(results: list[dict[str, Any]], mixed: object) -> list[tuple[dict[str, Any], int]]:
    """Put web results in their order on the page; what the page does not list comes last."""
    main = rows(mixed.get("main")) if isinstance(mixed, dict) else []
    shown = [(place, row.get("index")) for place, row in enumerate(main, 1) if _is_web(row)]
    ranks = {index: place for place, index in reversed(shown) if isinstance(index, int)}
    unlisted = len(main)
    placed = [
        (ranks.get(index, unlisted + index + 1), index, row) for index, row in enumerate(results)
    ]
    return [(row, rank) for rank, _, row in sorted(placed, key=lambda item: item[:2])]


def _is_web(row: Mapping[str, Any]) -> bool:
    return row.get("type") == "web" and row.get("all") is not True


def _error_in(data: object) -> dict[str, Any]:
    if not isinstance(data, dict):
        return {}
    error = data.get("error")
    if isinstance(error, dict):
        return error
    return next(iter(rows(data.get("errors"))), {})


def _status_in(error: Mapping[str, Any]) -> int:
    status = error.get("status")
    return status if isinstance(status, int) and 300 <= status < 600 else 299


def _quota_is_spent(meta: Mapping[str, Any]) -> bool:
    limit, current = meta.get("quota_limit"), meta.get("quota_current")
    if not isinstance(limit, int) or not isinstance(current, int):
        return False
    return current >= limit > 0


def _first_number(value: str) -> float | None:
    first = value.partition(",")[0].strip()
    return float(first) if first.isascii() and first.isdigit() and len(first) < 10 else None
