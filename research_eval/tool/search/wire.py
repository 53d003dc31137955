"""What the wire formats of search APIs share: a request in, hits or a classified refusal out."""

import json
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, Protocol

from research_eval.ledger import url_key
from research_eval.schema import SearchHit
from research_eval.tool.search.protocol import SearchError, SearchErrorKind
from research_eval.tool.search.query import clean_text

__all__ = [
    "WireAnswer",
    "WireFormat",
    "WireRequest",
    "WireTerms",
    "as_text",
    "kind_of",
    "make_hit",
    "read_answer",
    "refuse",
    "retry_after",
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

_QUOTA = re.compile(
    r"\b(credits?|quota|billing|payment|pay-as-you-go|usage limit|monthly limit|plan limit|"
    r"insufficient funds|top up|daily limit)\b",
    re.IGNORECASE,
)
_RATE = re.compile(r"rate.?limit|too many requests|excessive requests|throttl", re.IGNORECASE)
_AUTH = re.compile(
    r"api.?key|unauthori[sz]ed|authenti|subscription.?token|access denied|forbidden|"
    r"permission.?denied|invalid token",
    re.IGNORECASE,
)


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
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    def text(self) -> str:
        """Return the start of the body as text, on one line."""
        return clean_text(self.body[:2000].decode("utf-8", "replace"))[:MAX_MESSAGE_CHARS]


class WireTerms(NamedTuple):
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


class WireFormat(Protocol):
    """How one search API is asked and how its answers are read; no network in here."""

    terms: WireTerms

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
        raise refuse(wire.terms.name, "malformed", answer, "results without a usable URL")
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


def kind_of(status: int, message: str) -> SearchErrorKind:
    """Return what a refusal means, by its words first and its status second.

    >>> kind_of(400, "Not enough credits")
    'quota'
    >>> kind_of(429, "")
    'rate_limited'
    """
    if status in {402, 432, 433} or (status < 500 and _QUOTA.search(message)):
        return "quota"
    if status == 429 or (status < 500 and _RATE.search(message)):
        return "rate_limited"
    if status in {401, 403, 407} or (status < 500 and _AUTH.search(message)):
        return "auth"
    if status == 408:
        return "timeout"
    if status >= 500:
        return "server"
    return "bad_query" if status >= 400 else "malformed"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a `Retry-After` header, be it a number or a date.

    A date counts from the response's own `Date`, so that no clock is read.

    >>> retry_after({"retry-after": "7"})
    7.0
    """
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", value):
        return float(value)
    try:
        until, since = parsedate_to_datetime(value), parsedate_to_datetime(headers["date"])
        return max(0.0, (until - since).total_seconds())
    except (KeyError, ValueError, TypeError):
        return None


def as_text(value: object) -> str:
    """Return a JSON value as text on one line; anything but a string is empty."""
    return clean_text(value) if isinstance(value, str) else ""


def rows(value: object) -> list[dict[str, Any]]:
    """Return the objects in a JSON list; anything else holds none."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


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
