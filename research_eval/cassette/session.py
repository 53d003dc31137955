"""Sessions: one trial's view of a cassette, which hands out slots, counts, and latches a miss."""

import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

import httpx
import httpx2

from research_eval.cassette.canonical_request import CanonicalRequests, Remembered
from research_eval.cassette.interaction import RecordedInteraction
from research_eval.cassette.key import CanonicalRequest
from research_eval.cassette.playback import Interaction
from research_eval.cassette.recording import Recording
from research_eval.cassette.redact import Channel, Redactor
from research_eval.cassette.response_redaction import IsEnough, without_secrets
from research_eval.cassette.stream import Source
from research_eval.cassette.transport import CassetteTransport, Mode
from research_eval.cassette.verdict import Divergence, ReplayVerdict, replay_verdict
from research_eval.clock import Clock, SystemClock
from research_eval.errors import (
    CassetteCorruptError,
    CassetteError,
    CassetteMissError,
    CassetteWriteError,
)
from research_eval.schema import ReplayTally, TrialKey

__all__ = ["Refresh", "Session", "SessionSettings"]

Refresh = Literal["all", "missing", "stale"]
"""What recording asks for: everything it runs; only what is absent; or that and what no longer fits,
which leaves every recording alone that still serves."""


class SessionSettings(NamedTuple):
    """What the sessions of a cassette share."""

    mode: Mode
    channel: Channel
    redactor: Redactor
    refresh: Refresh
    stamp: Callable[[], str] | None
    """Says when something is recorded, for people."""
    stopwatch: Clock
    """Measures how long live answers take; a virtual clock then passes the same time."""
    record_command: str
    """How a miss says to record what is missing."""
    remembered: Remembered


class Session(ABC):
    """One trial's view of a cassette.

    Attributes:
        problem: The miss that stopped the trial, in words; `None` while there is none.
        divergence: The same, in parts.
        problem_kind: The stable word for it.
        broken: What forbids to record anything further; `None` while recordings can be written.
    """

    problem_kind: Literal["cassette_miss", "cassette_damaged"] = "cassette_miss"

    def __init__(self, settings: SessionSettings, key: TrialKey, clock: Clock) -> None:
        self.mode: Mode = settings.mode
        self.key = key
        self.clock = clock
        self.problem: str | None = None
        self.divergence: Divergence | None = None
        self.broken: CassetteWriteError | None = None
        self._settings = settings
        self._requests = CanonicalRequests(settings.redactor, settings.channel, settings.remembered)
        self._ordinals: dict[tuple[str, str], int] = {}
        self._open: list[Recording] = []
        self._hits = self._recorded = self._live = self._unrecorded = self._misses = self._stale = 0

    def transport(
        self,
        inner: httpx.AsyncBaseTransport | httpx2.AsyncBaseTransport | None = None,
        *,
        task_id: str = "",
    ) -> CassetteTransport:
        """Return a transport for an `httpx.AsyncClient` or an `httpx2.AsyncClient` of this trial.

        Args:
            inner: The way to the network; a replay has none.
            task_id: Names the task, where several of one trial send equal requests at the same time.

        Raises:
            CassetteError: If a replay is given a way to the network, or another mode is given none.
        """
        self._require(inner)
        return CassetteTransport(self, inner, task_id)

    def canonical(
        self, method: str, url: tuple[str, str, str], content_type: str, content: bytes
    ) -> CanonicalRequest:
        """Return a request as recordings know it: scrubbed, then made canonical."""
        return self._requests.canonical(method, url, content_type, content)

    @abstractmethod
    async def match(
        self, canonical: CanonicalRequest, task_id: str, is_enough: IsEnough | None = None
    ) -> Interaction | int:
        """Return the recording that answers a request, or the ordinal under which to record it.

        Args:
            canonical: The request.
            task_id: The task of the trial that sends it.
            is_enough: Says of a body that its earlier reader did not read to the end whether this
                reader would read on.

        Raises:
            CassetteMissError: If there is neither.
        """

    def start(
        self,
        canonical: CanonicalRequest,
        task_id: str,
        ordinal: int,
        headers: Iterable[tuple[str, str]],
        patience_s: float | None,
    ) -> Recording:
        """Begin to record a request that goes out now."""
        settings = self._settings
        recording = Recording(
            canonical,
            task_id=task_id,
            ordinal=ordinal,
            request_headers=headers,
            read_timeout_s=patience_s,
            stopwatch=settings.stopwatch,
            redactor=settings.redactor,
            channel=settings.channel,
            recorded_at=settings.stamp() if settings.stamp else None,
            save=self._noting(self._saver(canonical, task_id, ordinal)),
        )
        self._open.append(recording)
        self._recorded += 1
        return recording

    async def shown(
        self, headers: list[tuple[str, str]], stream: Source, is_enough: IsEnough | None
    ) -> tuple[list[tuple[str, str]], Source]:
        """Return a live answer's headers and body without secrets."""
        settings = self._settings
        return await without_secrets(
            headers, stream, settings.redactor, settings.channel, is_enough
        )

    def cut_short(self, interaction: Interaction) -> BaseException:
        """Return what to raise where a reader wants more than was recorded."""
        words = f"{interaction.method} {interaction.uri}: its reader closed the recorded answer early, more is asked for now"
        return self._latched(words, None, is_stale=True)

    def damaged(self, error: CassetteCorruptError) -> CassetteMissError:
        """Return what ends this trial, and no other, where its recording cannot be read back."""
        if self.problem is None:
            self.problem_kind = "cassette_damaged"
        command = (
            f"{self._settings.record_command} --stale --configuration "
            f"{shlex.quote(self.key.configuration)} --case {shlex.quote(self.key.case_id)}"
        )
        return self._latched(f"{error}; record it again with: {command}", None, is_stale=True)

    def went_live(self) -> None:
        """Count a request that goes out unrecorded."""
        self._live += 1

    def tally(self) -> ReplayTally:
        """Return how much of the trial came from its recordings."""
        return ReplayTally(
            hits=self._hits,
            recorded=self._recorded,
            live=self._live,
            unrecorded=self._unrecorded,
            misses=self._misses,
            stale=self._stale,
            unplayed=self._unplayed(),
        )

    def verdict(self) -> ReplayVerdict:
        """Return what the tally amounts to: hit, partial, stale or miss."""
        return replay_verdict(self.tally())

    def close(self) -> None:
        """Finish what is still being recorded."""
        for recording in self._open:
            recording.finish("early_close")
        self._open.clear()

    def _noting(
        self, save: Callable[[RecordedInteraction | None], None]
    ) -> Callable[[RecordedInteraction | None], None]:
        """Return `save` which notes that nothing can be written: clients take the error for the network's."""

        def save_or_note(interaction: RecordedInteraction | None) -> None:
            try:
                save(interaction)
            except CassetteWriteError as exc:
                self.broken = exc
                raise

        return save_or_note

    @abstractmethod
    def _saver(
        self, canonical: CanonicalRequest, task_id: str, ordinal: int
    ) -> Callable[[RecordedInteraction | None], None]:
        """Return what keeps the exchange in this slot when it has ended."""

    def _unplayed(self) -> int:
        return 0

    def _take_ordinal(self, task_id: str, key: str) -> int:
        """Return how many equal requests this task has made before; counted when a request starts."""
        ordinal = self._ordinals.get((task_id, key), 0)
        self._ordinals[task_id, key] = ordinal + 1
        return ordinal

    def _latched(
        self, words: str, divergence: Divergence | None, *, is_stale: bool
    ) -> CassetteMissError:
        """Latch the first miss of the trial and return the error for it."""
        if self.problem is None:
            self.problem, self.divergence = words, divergence
            self._misses, self._stale = 1, int(is_stale)
        return CassetteMissError(self.problem)

    def _require(self, inner: object | None) -> None:
        if self.mode == "replay" and inner is not None:
            raise CassetteError("a replay was given a transport to the network")
        if self.mode != "replay" and inner is None:
            raise CassetteError(f"mode {self.mode!r} needs a transport to the network")


def session_settings(
    *,
    mode: Mode,
    channel: Channel,
    redactor: Redactor | None,
    refresh: Refresh,
    stamp: Callable[[], str] | None,
    stopwatch: Clock | None,
    record_command: str,
) -> SessionSettings:
    """Return the settings with what is usual in place of what was left out."""
    return SessionSettings(
        mode=mode,
        channel=channel,
        redactor=redactor or Redactor(),
        refresh=refresh,
        stamp=stamp,
        stopwatch=stopwatch or SystemClock(),
        record_command=record_command,
        remembered={},
    )
