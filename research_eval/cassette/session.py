"""Sessions: one trial's view of a cassette, which hands out slots, counts, and latches a miss."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NoReturn, Protocol

import httpx

from research_eval.cassette.interaction import FailureOnTape
from research_eval.cassette.key import (
    Asked,
    canonical_json,
    canonical_uri,
    looks_like_json,
    without_boundary,
)
from research_eval.cassette.recording import Recording
from research_eval.cassette.redact import Redactor
from research_eval.cassette.tape import Interaction
from research_eval.clock import Clock
from research_eval.errors import CassetteError, CassetteMissError
from research_eval.schema import ReplayTally, TrialKey

__all__ = ["AskingRequest", "Miss", "Mode", "OffTapeError", "Session"]

Mode = Literal["replay", "record", "live"]
"""How a channel is used."""


class OffTapeError(httpx.TransportError):
    """The recorded web has no answer; the tool that asked reports it and the trial goes on."""


class Miss(Exception):  # noqa: N818  # never leaves this package
    """No recording fits; the transport turns it into what the session's policy says."""


class AskingRequest(Protocol):
    """What httpx's and httpx2's requests have in common, as far as a recording cares."""

    method: str
    extensions: Mapping[str, Any]


class Session:
    """One trial's view of a cassette.

    Attributes:
        problem: The miss that stopped the trial, in words; `None` while there is none.
    """

    def __init__(self, *, mode: Mode, key: TrialKey, clock: Clock, redactor: Redactor) -> None:
        self.mode: Mode = mode
        self.key = key
        self.clock = clock
        self.redactor = redactor
        self.problem: str | None = None
        self._counts: dict[tuple[str, str], int] = {}
        self._open: list[Recording] = []
        self._tally = {"hits": 0, "recorded": 0, "live": 0, "off_tape": 0, "misses": 0, "stale": 0}

    def transport(self, inner: httpx.AsyncBaseTransport | None = None, *, lane: str = "") -> httpx.AsyncBaseTransport:
        """Return a transport for an `httpx.AsyncClient` of this trial.

        Raises:
            CassetteError: If a replay is given a way to the network, or another mode is given none.
        """
        from research_eval.cassette.transport import TapeTransport  # noqa: PLC0415

        self.require(inner)
        return TapeTransport(self, inner, lane)

    def transport2(self, inner: Any = None, *, lane: str = "") -> Any:
        """Return a transport for an `httpx2.AsyncClient` of this trial.

        Raises:
            CassetteError: If a replay is given a way to the network, or another mode is given none.
        """
        from research_eval.cassette.transport2 import TapeTransport2  # noqa: PLC0415

        self.require(inner)
        return TapeTransport2(self, inner, lane)

    def require(self, inner: object | None) -> None:
        """Check that a way to the network is given exactly where one is needed.

        Raises:
            CassetteError: If it is not.
        """
        if self.mode == "replay" and inner is not None:
            raise CassetteError("a replay was given a transport to the network")
        if self.mode != "replay" and inner is None:
            raise CassetteError(f"mode {self.mode!r} needs a transport to the network")

    def ask(self, method: str, url: tuple[str, str, str], content_type: str, content: bytes) -> Asked:
        """Return a request as recordings know it: scrubbed, then made canonical."""
        uri = self.redactor.uri(canonical_uri(*url))
        if not content:
            return Asked(method, uri, url[1], "", is_json=False, content_type=content_type)
        if content_type.startswith("multipart/"):
            content = without_boundary(content, content_type)
        content = self.redactor.content(content, content_type)
        if looks_like_json(content_type, content):
            try:
                canonical = canonical_json(content.decode("utf-8"))
            except UnicodeDecodeError:
                canonical = None
            if canonical is not None:
                return Asked(method, uri, url[1], canonical[1], is_json=True, content_type=content_type)
        return Asked(method, uri, url[1], content, is_json=False, content_type=content_type)

    def take_ordinal(self, lane: str, key: str) -> int:
        """Return how many equal requests this lane has made before; counted when a request starts."""
        ordinal = self._counts.get((lane, key), 0)
        self._counts[lane, key] = ordinal + 1
        return ordinal

    async def claim(self, asked: Asked, lane: str) -> Interaction | int:
        """Return the recording that answers a request, or the ordinal under which to record it.

        Raises:
            Miss: If there is neither.
        """
        raise NotImplementedError

    def start(
        self, asked: Asked, lane: str, ordinal: int, headers: Iterable[tuple[str, str]], patience_s: float | None
    ) -> Recording:
        """Begin to record a request that goes out now."""
        raise NotImplementedError

    def miss(self, asked: Asked, words: str) -> NoReturn:
        """Latch a miss.

        Raises:
            CassetteMissError: Always.
        """
        del asked
        self._tally["misses"] = 1
        self.problem = self.problem or words
        raise CassetteMissError(self.problem)

    def count(self, what: Literal["hits", "recorded", "live", "off_tape", "stale"]) -> None:
        """Count one exchange."""
        self._tally[what] += 1

    def tally(self) -> ReplayTally:
        """Return how much of the trial came from its recordings."""
        return ReplayTally(**self._tally, unplayed=self.unplayed())

    def unplayed(self) -> int:
        """Return how many exchanges of this trial alone were not asked for."""
        return 0

    def close(self) -> None:
        """Finish what is still being recorded."""
        for recording in self._open:
            recording.finish("early_close")
        self._open.clear()

    @staticmethod
    def failure(name: str, message: str) -> FailureOnTape:
        """Return a failure as a recording keeps it."""
        return FailureOnTape(type=name, message=message)
