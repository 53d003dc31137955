"""What the wire formats of search APIs share: a request in, hits or a classified refusal out."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from research_eval.ledger import url_key
from research_eval.schema import SearchHit
from research_eval.schema.outside import read_json
from research_eval.tool.search.protocol import SearchError, SearchErrorKind
from research_eval.tool.search.query import clean_text

__all__ = [
    "ProviderDetails",
    "WireAnswer",
    "WireFormat",
    "WireRequest",
    "as_text",
    "kind_of",
    "make_hit",
    "read_answer",
    "refuse",
    "result_rows",
    "rows",
]

MAX_TITLE_CHARS = 300
MAX_SNIPPET_CHARS = 1000
MAX_URL_CHARS = 4000
MAX_MESSAGE_CHARS = 200

ADVICE: Mapping[SearchErrorKind, str] = {
    "auth": "the key was refused; trying again cannot help",
    "quota": "the quota is used up; trying again cannot help, use another provider",
    "rate_limited": "rate limited",
    "bad_query": "the query was refused; change it",
    "server": "the provider failed",
    "malformed": "the answer cannot be read",
}
"""What each class of refusal means for whoever asked."""

_BUDGET = r"(credits?|quota|balance|funds|budget|(usage|monthly|daily|plan|plan's|pay-as-you-go)( set)?( usage)? limit|searches)"
_GONE = r"(exceed\w*|exhausted|used up|spent|depleted|reached|insufficient|not enough|no more|no|out of|ran out of|run out of|low)"
_QUOTA = re.compile(
    rf"\b{_GONE}\b[^.:;]{{0,40}}\b{_BUDGET}\b|\b{_BUDGET}\b[^.:;]{{0,30}}\b{_GONE}\b"
    r"|payment required|\btop up\b|billing (is|has been|must be)",
    re.IGNORECASE,
)
"""A budget that is gone; a budget alone may be what somebody searches for."""
_RATE = re.compile(
    r"rate.?limit|too many requests|excessive requests|throttl|"
    r"(per|a|each) (\d+ )?(second|minute|hour)s?\b|requests/(s|sec|min)\b",
    re.IGNORECASE,
)
_AUTH = re.compile(
    r"api.?key|unauthori[sz]ed|authenti|subscription.?token|access denied|forbidden|"
    r"permission.?denied|invalid token",
    re.IGNORECASE,
)
_READINGS: tuple[tuple[re.Pattern[str], SearchErrorKind], ...] = (
    (_RATE, "rate_limited"),
    (_QUOTA, "quota"),
    (_AUTH, "auth"),
)
_LONG_WINDOW = re.compile(r"\b(per|a|each) (day|month)\b|\b(daily|monthly)\b", re.IGNORECASE)
_BAD_QUERY = re.compile(
    r"\b(invalid|malformed|missing|unsupported|bad|empty|illegal) (search )?(query|parameter)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'(?!\w)|“[^”]*”|`[^`]*`")
"""What a message repeats of the request."""

_CODES: Mapping[str, SearchErrorKind] = {
    "NO_MORE_CREDITS": "quota",
    "QUOTA_LIMITED": "quota",
    "USAGE_LIMIT_EXCEEDED": "quota",
    "dailyLimitExceeded": "quota",
    "RATE_LIMITED": "rate_limited",
    "rateLimitExceeded": "rate_limited",
    "userRateLimitExceeded": "rate_limited",
    "RATE_LIMIT_EXCEEDED": "rate_limited",
    "API_KEY_INVALID": "auth",
    "INVALID_API_KEY": "auth",
    "keyInvalid": "auth",
    "PERMISSION_DENIED": "auth",
    "UNAUTHENTICATED": "auth",
    "INVALID_REQUEST_BODY": "bad_query",
}
"""Codes that search APIs put beside their messages, by what they mean."""

_STATUSES: Mapping[int, SearchErrorKind] = {
    401: "auth",
    402: "quota",
    407: "auth",
    408: "timeout",
    432: "quota",
    433: "quota",
}
"""Statuses that mean one thing, whatever the message says; 432 and 433 are Tavily's."""


class WireRequest(NamedTuple):
    """One HTTP request to the API's address, before a client has turned it into bytes."""

    method: str
    headers: Mapping[str, str] = {}
    params: Mapping[str, str | int] = {}
    json: Mapping[str, Any] | None = None
    form: Mapping[str, str] | None = None


class WireAnswer(NamedTuple):
    """One HTTP response with its body decoded from any content encoding."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    is_injected: bool = False
    """Whether a fault rule answered in the API's place."""
    is_played: bool = False
    """Whether a recording did."""

    def json(self) -> Any:  # noqa: ANN401 - JSON of a stranger
        """Return the body as JSON, or `None` where it is none."""
        try:
            return read_json(self.body)
        except ValueError:
            return None

    def text(self) -> str:
        """Return the start of the body as text, on one line."""
        return clean_text(self.body[:2000].decode("utf-8", "replace"))[:MAX_MESSAGE_CHARS]


class ProviderDetails(NamedTuple):
    """What an API is called, where it is and what it takes."""

    name: str
    endpoint: str
    """Where requests go unless settings say otherwise; empty where there is no such place."""
    key_name: str | None
    """The name of the secret that holds the key; `None` where no key is needed."""
    max_results: int
    """The most that one request may ask for."""
    max_query_chars: int
    max_query_words: int | None = None
    retired: str = ""
    """Why the API should no longer be chosen, and what to do instead; empty for one that is alive."""


class WireFormat(Protocol):
    """How one search API is asked and how its answers are read; no network in here."""

    details: ProviderDetails

    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return the request for `query`; `extra` are parameters to pass on as they are."""
        ...

    def hits(self, answer: WireAnswer) -> list[SearchHit]:
        """Return what an answer with a status of 2xx holds, in the provider's order.

        Raises:
            SearchError: If it holds an error, or cannot be read.
        """
        ...

    def refusal(self, answer: WireAnswer) -> SearchError:
        """Return what an answer with any other status means."""
        ...

    def pause_s(self, answer: WireAnswer) -> float | None:
        """Return how long the provider wants to be left alone after a good answer."""
        ...


def read_answer(wire: WireFormat, answer: WireAnswer) -> list[SearchHit]:
    """Return the hits in `answer`: http and https alone, each source once, in order.

    Raises:
        SearchError: If the answer is a refusal, an error in disguise, or unreadable.
    """
    if not 200 <= answer.status < 300:
        raise wire.refusal(answer)
    found = wire.hits(answer)
    usable = [hit for hit in found if _is_web_url(hit.url)]
    if found and not usable:
        raise refuse(wire.details.name, "malformed", answer, "results without a usable URL")
    return list({url_key(hit.url): hit for hit in reversed(usable)}.values())[::-1]


def refuse(
    provider: str,
    kind: SearchErrorKind,
    answer: WireAnswer,
    message: str = "",
    retry_after_s: float | None = None,
) -> SearchError:
    """Return the error for an answer of this kind, with the advice that goes with it."""
    advice = ADVICE.get(kind, kind)
    if kind == "rate_limited" and retry_after_s is not None:
        advice = f"rate limited, wait {retry_after_s:g} s"
    words = clean_text(message)[:MAX_MESSAGE_CHARS]
    said = f": {words}" if words else ""
    return SearchError(
        f"{provider} answered {answer.status}, {advice}{said}",
        kind=kind,
        status=answer.status,
        retry_after_s=retry_after_s,
    )


def kind_of(status: int, message: str, codes: Iterable[str] = ()) -> SearchErrorKind:
    """Return what a refusal means: by its status, then by a code beside it, then by its words.

    Args:
        status: The HTTP status, or the one that the body names.
        message: The provider's words, which may repeat the query.
        codes: What the body's fields for codes hold.

    >>> kind_of(400, "Not enough credits")
    'quota'
    >>> kind_of(400, "Invalid query: how do payment credits work")
    'bad_query'
    >>> kind_of(429, "Quota exceeded for Queries per minute per user")
    'rate_limited'
    """
    if status >= 500:
        return "server"
    if status in _STATUSES:
        return _STATUSES[status]
    if status in {403, 429} and _LONG_WINDOW.search(message):
        return "quota"
    known = [_CODES[code] for code in codes if code in _CODES]
    return known[0] if known else _by_words(status, _QUOTED.sub("", message))


def _by_words(status: int, words: str) -> SearchErrorKind:
    readings = [kind for pattern, kind in _READINGS if pattern.search(words)]
    if status not in {403, 429} and status >= 400 and _BAD_QUERY.search(words):
        return "bad_query"
    if readings and readings[0] != "auth":
        return readings[0]
    if status == 429:
        return "rate_limited"
    if status == 403 or readings:
        return "auth"
    return "bad_query" if status >= 400 else "malformed"


def as_text(value: object) -> str:
    """Return a JSON value as text on one line; anything but a string is empty."""
    return clean_text(value) if isinstance(value, str) else ""


def rows(value: object) -> list[dict[str, Any]]:
    """Return the objects in a JSON list; anything else holds none."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def result_rows(provider: str, answer: WireAnswer, value: list[Any]) -> list[dict[str, Any]]:
    """Return the objects in a list of results.

    Raises:
        SearchError: If there is something in it, and no object.
    """
    found = rows(value)
    if value and not found:
        raise refuse(provider, "malformed", answer, "no result is an object")
    return found


def make_hit(
    url: str, title: str, snippet: str, rank: int, date: str = "", age: str = ""
) -> SearchHit:
    """Return a hit with its lengths bounded, whatever a provider sends."""
    return SearchHit(
        url=url,
        title=title[:MAX_TITLE_CHARS],
        snippet=snippet[:MAX_SNIPPET_CHARS],
        rank=rank,
        date=date or None,
        age=age or None,
    )


def _is_web_url(url: str) -> bool:
    return (
        len(url) <= MAX_URL_CHARS
        and url[:8].lower().startswith(("http://", "https://"))
        and " " not in url
        and len(url) > len("https://")
    )
