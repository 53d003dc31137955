"""Bring one document: redirects by hand, bytes and time under caps, the SSRF guard on every hop."""

import asyncio
import re
from dataclasses import dataclass, field
from urllib.parse import urljoin

import httpx

from research_eval.cassette import UnrecordedError
from research_eval.clock import Clock
from research_eval.tool.fetch.politeness import Politeness, retry_after_s
from research_eval.tool.fetch.refresh import refresh_of
from research_eval.tool.fetch.robots import RobotsRules, parse_robots
from research_eval.tool.fetch.settings import FetchSettings
from research_eval.tool.fetch.sniff import looks_like_pdf
from research_eval.tool.fetch.ssrf_guard import SsrfGuardError, check_url
from research_eval.tool.fetch.transport import BLOCKED, UNKNOWN_HOST
from research_eval.tool.fetch.unpack import SUPPORTED_CODINGS, Unpacker, UnpackError
from research_eval.waiting import Waits

__all__ = ["Document", "DownloadError", "Downloader"]

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_BAD_LOCATION = "it redirects to a malformed address, or to one that is not http or https"
_NO_HOST = re.compile(r"(?i)https?:(?!//[^/\\])")
_ACCEPT = (
    "text/html,application/xhtml+xml,application/pdf,application/xml;q=0.9,application/json;q=0.9,"
    "text/*;q=0.8,*/*;q=0.5"
)


@dataclass(frozen=True)
class Document:
    """The bytes of a document and where they came from."""

    url: str
    """Where redirects ended."""
    hops: tuple[str, ...]
    """The redirects before it, in order, the first request left out."""
    status: int
    headers: httpx.Headers
    body: bytes
    is_cut: bool
    """Whether a cap cut the body."""


class DownloadError(Exception):
    """Nothing was brought.

    Attributes:
        kind: Why, as a stable word.
        status: The HTTP status, where there was one.
        hops: The redirects that were followed.
        retry_after_s: How long the server asked to wait.
    """

    def __init__(
        self,
        kind: str,
        message: str = "",
        *,
        status: int | None = None,
        hops: tuple[str, ...] = (),
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.hops = hops
        self.retry_after_s = retry_after_s


@dataclass
class _Journey:
    """One fetch under way."""

    started: float
    hops: list[str] = field(default_factory=list)
    has_waited: bool = False
    """Whether a `Retry-After` was obeyed already."""


class Downloader:
    """Brings documents for one trial."""

    def __init__(
        self,
        settings: FetchSettings,
        *,
        http: httpx.AsyncClient,
        clock: Clock,
        politeness: Politeness | None = None,
        waits: Waits | None = None,
    ) -> None:
        self._settings = settings
        self._http = http
        self._clock = clock
        self._politeness = politeness or Politeness(settings, clock=clock)
        self._waits = waits or Waits(clock)
        self._robots: dict[str, RobotsRules] = {}

    async def get(self, url: str) -> Document:
        """Return the document at `url`, whatever its status.

        Raises:
            DownloadError: If nothing was reached, or the SSRF guard refused.
        """
        journey = _Journey(self._clock.now())
        limit = None if self._clock.is_virtual else self._settings.deadline_s
        try:
            async with asyncio.timeout(limit):
                return await self._follow(url, journey)
        except SsrfGuardError as exc:
            raise self._error(journey, exc.kind, str(exc)) from exc
        except TimeoutError as exc:
            raise self._error(journey, "timeout") from exc
        except UnpackError as exc:
            raise self._error(journey, "bad_coding", str(exc)) from exc
        except (httpx.InvalidURL, UnicodeError) as exc:
            # httpx reads a Location itself, also where it does not follow it
            raise self._error(journey, "invalid_url", _BAD_LOCATION) from exc
        except httpx.HTTPError as exc:
            raise self._error(journey, *_classify(exc)) from exc

    @staticmethod
    def _error(journey: _Journey, kind: str, message: str = "") -> DownloadError:
        return DownloadError(kind, message, hops=tuple(journey.hops))

    async def _follow(self, url: str, journey: _Journey) -> Document:
        """Bring the document at `url`; where it sends visitors on by itself, once, that one."""
        document = await self._arrive(check_url(url, self._settings), journey)
        is_page = 200 <= document.status < 300
        onward = refresh_of(document.url, document.headers, document.body) if is_page else None
        if onward is None:
            return document
        target = self._next_hop(httpx.URL(document.url), onward)
        if len(journey.hops) == self._settings.max_redirects:
            raise DownloadError("too_many_redirects", hops=tuple(journey.hops))
        journey.hops.append(str(target))
        try:
            return await self._arrive(target, journey)
        except UnrecordedError:  # recorded before refreshes were followed
            return document

    async def _arrive(self, target: httpx.URL, journey: _Journey) -> Document:
        """Bring a document through redirects of HTTP."""
        while True:
            if self._settings.robots and not await self._is_open_to_robots(target):
                raise DownloadError("robots", hops=tuple(journey.hops))
            await self._may_ask(target, journey)
            outcome = await self._ask(target, journey)
            if isinstance(outcome, httpx.URL):
                if len(journey.hops) == self._settings.max_redirects:
                    raise DownloadError("too_many_redirects", hops=tuple(journey.hops))
                target = outcome
                journey.hops.append(str(target))
            elif self._should_ask_again(outcome, target, journey):
                journey.has_waited = True
            else:
                return outcome

    async def _is_open_to_robots(self, target: httpx.URL) -> bool:
        """Ask the site's robots.txt, once a trial; a site that cannot say is closed."""
        place = target.copy_with(raw_path=b"/robots.txt")
        rules = self._robots.get(str(place))
        if rules is None:
            rules = await self._read_robots(place)
            self._robots[str(place)] = rules
        return rules.allows(target.raw_path.decode("ascii"))

    async def _read_robots(self, place: httpx.URL) -> RobotsRules:
        journey = _Journey(self._clock.now())
        try:
            for _ in range(self._settings.max_redirects + 1):
                await self._may_ask(place, journey)
                answer = await self._ask(place, journey)
                if isinstance(answer, Document):
                    return _rules_in(answer, self._settings.user_agent)
                place = answer
        except UnrecordedError:
            return RobotsRules()
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, UnpackError, SsrfGuardError):
            return _CLOSED
        return RobotsRules()

    def _should_ask_again(self, answer: Document, target: httpx.URL, journey: _Journey) -> bool:
        """Say whether the server asked for a wait that we can afford, for the first time."""
        wait = retry_after_s(answer.status, answer.headers)
        return (
            wait is not None
            and not journey.has_waited
            and wait <= min(self._settings.retry_after_max_s, self._left_s(journey))
            and self._politeness.wait_s(target.host) <= self._settings.retry_after_max_s
        )

    def _left_s(self, journey: _Journey) -> float:
        return self._settings.deadline_s - (self._clock.now() - journey.started)

    async def _may_ask(self, target: httpx.URL, journey: _Journey) -> None:
        """Wait for the host's turn and check what is left of the time."""
        left = self._left_s(journey)
        if left <= 0:
            raise TimeoutError
        wait = self._politeness.wait_s(target.host)
        if wait > left or wait > self._settings.retry_after_max_s:
            raise DownloadError("host_busy", hops=tuple(journey.hops), retry_after_s=wait)
        if wait > 0:
            with self._waits.held():
                await self._clock.sleep(wait)
        self._politeness.asked(target.host)

    async def _ask(self, target: httpx.URL, journey: _Journey) -> Document | httpx.URL:
        """Return the document, or where the server sends us."""
        response = await self._http.send(self._request(target), stream=True, follow_redirects=False)
        try:
            if response.status_code in _REDIRECTS and "location" in response.headers:
                return self._next_hop(target, response.headers["location"])
            body, is_cut = await self._read(response)
        finally:
            await response.aclose()
        self._politeness.answered(target.host, response.status_code, response.headers)
        return Document(
            url=str(target),
            hops=tuple(journey.hops[:-1]),
            status=response.status_code,
            headers=response.headers,
            body=body,
            is_cut=is_cut,
        )

    def _request(self, target: httpx.URL) -> httpx.Request:
        settings = self._settings
        headers = {
            "User-Agent": settings.user_agent,
            "Accept": _ACCEPT,
            "Accept-Encoding": SUPPORTED_CODINGS,
        }
        if settings.accept_language is not None:
            headers["Accept-Language"] = settings.accept_language
        timeout = httpx.Timeout(settings.read_timeout_s, connect=settings.connect_timeout_s)
        request = self._http.build_request(
            "GET",
            target,
            headers=headers,
            timeout=timeout,
            extensions={"is_enough": self._is_enough},
        )
        if not settings.keep_cookies:
            request.headers.pop("cookie", None)
        return request

    def _next_hop(self, target: httpx.URL, location: str) -> httpx.URL:
        if _NO_HOST.match(location.strip()):
            raise SsrfGuardError("invalid_url", "it redirects to an address without a host")
        try:
            joined = urljoin(str(target), location.strip())
        except ValueError as exc:
            raise SsrfGuardError("invalid_url", _BAD_LOCATION) from exc
        return check_url(joined, self._settings)

    def _caps(self, body: bytes | bytearray) -> tuple[int, int]:
        """Return how much is read of a document with this beginning, and how much of it on the wire."""
        settings = self._settings
        if looks_like_pdf(body):
            return settings.max_pdf_bytes, settings.max_pdf_bytes
        return settings.max_body_bytes, settings.max_wire_bytes

    def _is_enough(self, body: bytes | bytearray) -> bool:
        """Say whether no more would be read than this, so that a cut recording of it can be played."""
        return len(body) > min(self._caps(body))

    async def _read(self, response: httpx.Response) -> tuple[bytes, bool]:
        """Return the body without its coding, and whether a cap cut it."""
        settings = self._settings
        if response.is_stream_consumed:  # a transport that gives whole, decoded bodies
            body = response.content
            cap = settings.max_pdf_bytes if looks_like_pdf(body) else settings.max_body_bytes
            return body[:cap], len(body) > cap
        unpacker = Unpacker(
            response.headers.get("content-encoding", ""),
            max(settings.max_pdf_bytes, settings.max_body_bytes),
        )
        wire = 0
        async for chunk in response.aiter_raw():
            wire += len(chunk)
            unpacker.feed(chunk)
            cap, wire_cap = self._caps(unpacker.body)
            if unpacker.is_full or len(unpacker.body) > cap or wire > wire_cap:
                unpacker.check()
                return bytes(unpacker.body[:cap]), True
        unpacker.check()
        return bytes(unpacker.body), False


_CLOSED = RobotsRules((("/", False),))


def _rules_in(answer: Document, user_agent: str) -> RobotsRules:
    """Return the rules of a site: none if it has no file, all closed if it is out of order."""
    if 200 <= answer.status < 300:
        return parse_robots(answer.body, user_agent)
    return _CLOSED if answer.status >= 500 else RobotsRules()


_BY_MESSAGE = (
    (BLOCKED, "blocked", "it does not lead to the public internet"),
    (UNKNOWN_HOST, "unknown_host", ""),
    ("Invalid URL in location header", "invalid_url", _BAD_LOCATION),
)


def _classify(exc: httpx.HTTPError) -> tuple[str, str]:
    """Return the stable word for a failure of the transport, and what to add to it.

    Read from type and message, which a recording keeps, so that a replay says the same.
    """
    if isinstance(exc, UnrecordedError):
        return "unrecorded", ""
    if isinstance(exc, httpx.TimeoutException):
        return "timeout", ""
    if isinstance(exc, httpx.UnsupportedProtocol):
        return "invalid_url", "it is not http or https"
    message = str(exc)
    for beginning, kind, detail in _BY_MESSAGE:
        if message.startswith(beginning):
            return kind, detail
    return "connection", ""
