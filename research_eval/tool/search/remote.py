"""A search API over HTTP: sends what a wire format asks for, reads what comes back, once."""

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

import httpx

from research_eval.cassette import IS_PLAYED, SCRUBBED, Redactor, UnrecordedError
from research_eval.clock import Clock
from research_eval.fault import IS_INJECTED
from research_eval.schema import ProviderTry
from research_eval.tool.search.protocol import SearchError, SearchErrorKind, SearchReply
from research_eval.tool.search.query import tidy_query
from research_eval.tool.search.wire import WireAnswer, WireFormat, read_answer, refuse

__all__ = ["RemoteSearchProvider"]

MIN_KEY_CHARS = 6
"""Shorter keys occur in ordinary words."""

MAX_ANSWER_BYTES = 4 * 1024 * 1024
"""The most that is read of an answer, after decompression."""

_ROUNDING_S = 1e-6
"""How far sums of seconds may be off."""


class RemoteSearchProvider:
    """One search API; every search is one request, and a failure is a classified error."""

    def __init__(
        self,
        wire: WireFormat,
        *,
        http: httpx.AsyncClient,
        clock: Clock,
        key: str = "",
        endpoint: str | None = None,
        timeout_s: float = 10.0,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep what a request needs.

        Args:
            wire: How this API is asked and read.
            http: The client; its transport decides whether this is replay or the network.
            clock: Measures latency, where time is virtual.
            key: The API key; never part of an error message.
            endpoint: Where requests go instead of the API's own address.
            timeout_s: Seconds after which an answer that is not whole is given up.
            extra: Parameters to pass on as they are, for instance `{"gl": "de"}`.
        """
        self.name = wire.details.name
        self._wire = wire
        self._http = http
        self._clock = clock
        self._key = key
        self._redactor = _redactor(key)
        self._endpoint = httpx.URL(endpoint or wire.details.endpoint)
        self._timeout_s = timeout_s
        self._extra = dict(extra or {})

    async def search(self, query: str, max_results: int) -> SearchReply:
        """Return at most `max_results` hits for the query, cut to what the API accepts.

        Raises:
            SearchError: If the API refused, failed, timed out or sent what cannot be read.
        """
        return await self.search_within(query, max_results, self._timeout_s)

    async def search_within(self, query: str, max_results: int, within_s: float) -> SearchReply:
        """Return what `search` does, in no more than `within_s` seconds.

        Raises:
            SearchError: As `search` does.
        """
        started = self._clock.now()
        answer: WireAnswer | None = None
        try:
            answer = await self._exchange(query, max_results, min(within_s, self._timeout_s))
            hits = read_answer(self._wire, answer)
        except SearchError as exc:
            raise self._failed(exc, started, answer) from exc.__cause__
        return SearchReply(
            hits=tuple(hits[:max_results]),
            served_by=self.name,
            tries=(self._try("served", started, status=answer.status),),
            pause_s=self._wire.pause_s(answer),
        )

    async def _exchange(self, query: str, max_results: int, within_s: float) -> WireAnswer:
        wire, details = self._wire, self._wire.details
        tidy = tidy_query(
            query, max_chars=details.max_query_chars, max_words=details.max_query_words
        )
        if not tidy:
            raise SearchError(f"{self.name} was not asked: the query is empty", kind="bad_query")
        asked = wire.request(
            tidy,
            max(1, min(max_results, details.max_results)),
            key=self._key,
            extra=self._extra,
        )
        try:
            request = self._http.build_request(
                asked.method,
                self._endpoint,
                headers=dict(asked.headers),
                params=dict(asked.params) or None,
                json=asked.json,
                data=dict(asked.form) if asked.form is not None else None,
                timeout=httpx.Timeout(within_s),
            )
            # a virtual clock runs ahead of the loop's: there each piece is checked as it comes
            async with asyncio.timeout(None if self._clock.is_virtual else within_s):
                return await self._send(request, within_s)
        except TimeoutError as exc:
            raise self._too_late(within_s) from exc
        except (httpx.InvalidURL, UnicodeError) as exc:
            # httpx reads the Location of a redirect, which is not followed
            words = f"{self.name} redirects to a malformed address ({type(exc).__name__})"
            raise SearchError(words, kind="malformed") from exc
        except httpx.HTTPError as exc:
            raise self._broke(exc) from exc

    async def _send(self, request: httpx.Request, within_s: float) -> WireAnswer:
        began = self._clock.now()
        response = await self._http.send(request, stream=True, follow_redirects=False)
        # what came in time when it was recorded is in time, however late a busy machine took note
        allowed_s = max(within_s, response.extensions.get(IS_PLAYED, 0.0) + _ROUNDING_S)
        try:
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if self._clock.is_virtual and self._clock.now() - began > allowed_s:
                    raise self._too_late(within_s)
                if len(body) > MAX_ANSWER_BYTES:
                    oversize = WireAnswer(response.status_code, {}, b"")
                    limit = f"longer than {MAX_ANSWER_BYTES} bytes"
                    raise refuse(self.name, "malformed", oversize, limit)
        finally:
            await response.aclose()
        headers = {name.lower(): value for name, value in response.headers.items()}
        content = self._without_key(bytes(body), headers)
        marks = response.extensions
        return WireAnswer(
            response.status_code, headers, content, IS_INJECTED in marks, IS_PLAYED in marks
        )

    def _too_late(self, within_s: float) -> SearchError:
        words = f"{self.name} did not answer in time (not whole after {within_s:g} s)"
        return SearchError(words, kind="timeout")

    def _without_key(self, body: bytes, headers: Mapping[str, str]) -> bytes:
        """Return what a recording would hold of a body that repeats the key: a hit must not carry it on."""
        if self._redactor is None:
            return body
        return self._redactor.content(body, headers.get("content-type", ""), "web")

    def _broke(self, exc: httpx.HTTPError) -> SearchError:
        kind: SearchErrorKind = "connection"
        words = "could not be reached"
        if isinstance(exc, UnrecordedError):
            kind, words = "unrecorded", "was never recorded for this search"
        elif isinstance(exc, httpx.TimeoutException):
            kind, words = "timeout", "did not answer in time"
        elif isinstance(exc, httpx.DecodingError):
            kind, words = "malformed", "sent a body that cannot be decompressed"
        return SearchError(f"{self.name} {words} ({type(exc).__name__})", kind=kind)

    def _failed(self, exc: SearchError, started: float, answer: WireAnswer | None) -> SearchError:
        """Return `exc` with the part this provider played, and without the key."""
        is_findable = len(self._key) >= MIN_KEY_CHARS
        message = str(exc).replace(self._key, "[key]") if is_findable else str(exc)
        asked = 0 if exc.kind == "bad_query" and exc.status is None else 1
        failed = self._try("error", started, status=exc.status, error=exc.kind, requests=asked)
        return SearchError(
            message,
            kind=exc.kind,
            status=exc.status,
            retry_after_s=exc.retry_after_s,
            tries=(failed,),
            is_injected=answer is not None and answer.is_injected,
            is_played=answer is not None and answer.is_played,
        )

    def _try(
        self,
        outcome: Literal["served", "error"],
        started: float,
        *,
        status: int | None,
        error: str | None = None,
        requests: int = 1,
    ) -> ProviderTry:
        took = round(self._clock.now() - started, 6) if self._clock.is_virtual else None
        return ProviderTry(
            provider=self.name,
            outcome=outcome,
            error=error,
            status=status,
            requests=requests,
            latency_s=took,
        )


def _redactor(key: str) -> Redactor | None:
    """Return what takes the key out of answers; recordings hold none, so there is nothing to do in replay."""
    if len(key) < MIN_KEY_CHARS or key == SCRUBBED:
        return None
    return Redactor({"key": key})
