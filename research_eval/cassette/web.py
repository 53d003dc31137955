"""The shared web: searches and pages recorded once, the same for every trial of an experiment."""

import asyncio
import shlex
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from typing_extensions import override

from research_eval.cassette.body import body_bytes
from research_eval.cassette.explain import Candidate, explain
from research_eval.cassette.file import Cassette
from research_eval.cassette.interaction import CassetteMetadata, RecordedInteraction
from research_eval.cassette.key import PROFILE, CanonicalRequest
from research_eval.cassette.name import host_folder, slug
from research_eval.cassette.opening import open_store
from research_eval.cassette.playback import Interaction
from research_eval.cassette.redact import Redactor
from research_eval.cassette.response_redaction import IsEnough
from research_eval.cassette.session import Refresh, Session, SessionSettings, session_settings
from research_eval.cassette.transport import Mode, UnrecordedError
from research_eval.cassette.verdict import Divergence
from research_eval.clock import Clock
from research_eval.errors import CassetteCorruptError, CassetteMissError
from research_eval.schema import TrialKey

__all__ = ["RepeatPolicy", "WebCassettes", "WebSession", "name_of_cassette", "web_name"]

RepeatPolicy = Literal["strict", "then_last", "reuse"]
"""What equal requests of one trial get: each its own recording, and then a miss, or the last one
again; or always the last one."""

REFUSED_STATUSES = frozenset({401, 402, 403, 407, 429, 432, 433})
"""Statuses with which an API refuses a key, or more requests for it."""

_HELD_CASSETTES = 1024
_HELD_BYTES = 32 * 1024 * 1024


def web_name(canonical: CanonicalRequest) -> str:
    """Return the name of the cassette that holds all answers to a request: its host, a hint, its digest."""
    return name_of_cassette(canonical.host, canonical.uri, canonical.key)


def name_of_cassette(host: str, uri: str, key: str) -> str:
    """Return the same from its parts."""
    target = uri.partition("://")[2].partition("/")[2]
    return f"{host_folder(host)}/{slug(target)}.{key}"


class WebCassettes:
    """The recorded web of an experiment, read only as far as it is asked for."""

    def __init__(
        self,
        folder: Path | str,
        *,
        mode: Mode,
        redactor: Redactor | None = None,
        miss: Literal["stop", "tool_error"] = "stop",
        repeats: RepeatPolicy = "then_last",
        repeats_by_host: Mapping[str, RepeatPolicy] | None = None,
        refresh: Refresh = "stale",
        stamp: Callable[[], str] | None = None,
        stopwatch: Clock | None = None,
        record_command: str = "research-eval record",
        ask_again: tuple[str, ...] = (),
    ) -> None:
        """Open the recordings.

        Args:
            folder: Where they lie, or a packed file in its place.
            mode: Replay, record or live.
            redactor: Takes secrets out; without one only what always is secret.
            miss: Whether a page that was never recorded stops the trial or is a tool's error.
            repeats: What equal requests of one trial get.
            repeats_by_host: The same for single hosts.
            refresh: What recording replaces; a page is never stale, so all but `all` keep what is there.
            stamp: Says when something is recorded, for people.
            stopwatch: Measures how long live answers take.
            record_command: How a miss says to record what is missing.
            ask_again: Starts of addresses whose recorded refusals of key or quota are recorded again.
        """
        self.mode: Mode = mode
        self.miss = miss
        self._ask_again = ask_again
        self._settings = session_settings(
            mode=mode, channel="web", redactor=redactor, refresh=refresh, stamp=stamp,
            stopwatch=stopwatch, record_command=record_command,
        )  # fmt: skip
        self.store = open_store(Path(folder), self._settings.redactor, has_shared_bodies=True)
        self._repeats: RepeatPolicy = repeats
        self._repeats_by_host = dict(repeats_by_host or {})
        self._cassettes: OrderedDict[str, Cassette | None] = OrderedDict()
        self._held_bytes = 0
        self._written: set[str] = set()
        self._played: set[tuple[str, int]] = set()
        self._pending: dict[tuple[str, int], asyncio.Event] = {}

    def session(self, key: TrialKey, clock: Clock) -> "WebSession":
        """Return one trial's view."""
        return WebSession(self, self._settings, key, clock)

    def repeats(self, host: str) -> RepeatPolicy:
        """Return what repeated requests to `host` get."""
        return self._repeats_by_host.get(host, self._repeats)

    def cassette(self, name: str) -> Cassette | None:
        """Return what may be played for `name`: in a fresh recording only what this run recorded."""
        is_fresh = self.mode == "record" and self._settings.refresh == "all"
        if is_fresh and name not in self._written:
            return None
        if name in self._cassettes:
            self._cassettes.move_to_end(name)
            return self._cassettes[name]
        try:
            cassette = self.store.read(name)
        except CassetteCorruptError:
            if self.mode != "record":
                raise
            cassette = None  # it is recorded again
        self._hold(name, cassette)
        return cassette

    def is_to_be_redone(self, name: str, interaction: Interaction) -> bool:
        """Say whether a recording is damaged, was given up, or is a refusal that is to be asked again."""
        if self.mode != "record" or name in self._written:
            return False
        is_failed = interaction.status in REFUSED_STATUSES or interaction.error is not None
        is_refusal = is_failed and interaction.uri.startswith(self._ask_again)
        return interaction.end == "cancelled" or is_refusal or _is_damaged(interaction)

    def played(self) -> list[str]:
        """Return what was played so far, as sorted `name#ordinal`."""
        return sorted(f"{name}#{ordinal}" for name, ordinal in self._played)

    def note_played(self, name: str, ordinal: int) -> None:
        """Remember that a recording was played."""
        self._played.add((name, ordinal))

    async def reserve(self, key: str, ordinal: int) -> bool:
        """Return whether a slot is ours to record; if somebody records it just now, wait, and it is not."""
        event = self._pending.get((key, ordinal))
        if event is None:
            self._pending[key, ordinal] = asyncio.Event()
            return True
        await event.wait()
        return False

    def settle(
        self, name: str, key: str, ordinal: int, interaction: RecordedInteraction | None
    ) -> None:
        """Keep what was recorded for a slot, and let those go on who wait for it.

        Raises:
            SecretInCassetteError: If a known secret is in it; nothing is kept then.
        """
        try:
            if interaction is not None:
                self._add(name, interaction)
        finally:
            event = self._pending.pop((key, ordinal), None)
            if event is not None:
                event.set()

    def digest(self) -> str:
        """Return the SHA-256 over everything recorded."""
        return self.store.digest()

    def close(self) -> None:
        """Let go of files."""
        self.store.close()

    def _add(self, name: str, interaction: RecordedInteraction) -> None:
        cassette = self.cassette(name)
        ordinal = interaction.recording.ordinal
        known = [
            record
            for record in (cassette.records() if cassette else ())
            if record.recording.ordinal != ordinal
        ]
        records = sorted([*known, interaction], key=lambda record: record.recording.ordinal)
        self.store.write(name, records, CassetteMetadata(profile=PROFILE))
        self._written.add(name)
        self._hold(name, self.store.read(name))

    def _hold(self, name: str, cassette: Cassette | None) -> None:
        """Keep a cassette in memory, and drop of those that were not asked for longest."""
        old = self._cassettes.pop(name, None)
        self._held_bytes += (cassette.size_bytes if cassette else 0) - (
            old.size_bytes if old else 0
        )
        self._cassettes[name] = cassette
        while len(self._cassettes) > 1 and (
            len(self._cassettes) > _HELD_CASSETTES or self._held_bytes > _HELD_BYTES
        ):
            _, gone = self._cassettes.popitem(last=False)
            self._held_bytes -= gone.size_bytes if gone else 0


class WebSession(Session):
    """One trial's view of the shared web."""

    def __init__(
        self, cassettes: WebCassettes, settings: SessionSettings, key: TrialKey, clock: Clock
    ) -> None:
        super().__init__(settings, key, clock)
        self._cassettes = cassettes

    @override
    async def match(
        self, canonical: CanonicalRequest, task_id: str, is_enough: IsEnough | None = None
    ) -> Interaction | int:
        ordinal = self._take_ordinal(task_id, canonical.key)
        name = web_name(canonical)
        while True:
            found = self._pick(canonical, name, ordinal)
            is_short = found is not None and _is_short(found, is_enough)
            if found is not None and not is_short:
                self._hits += 1
                self._cassettes.note_played(name, found.ordinal)
                return found
            if self.mode != "record":
                raise (
                    self._too_short(found) if found and is_short else self._missed(canonical, name)
                )
            if await self._cassettes.reserve(canonical.key, ordinal):
                return ordinal

    @override
    def cut_short(self, interaction: Interaction) -> BaseException:
        if self._cassettes.miss == "stop":
            return super().cut_short(interaction)
        self._unrecorded += 1
        return UnrecordedError(f"{interaction.uri}: only a part was recorded")

    @override
    def _saver(
        self, canonical: CanonicalRequest, task_id: str, ordinal: int
    ) -> Callable[[RecordedInteraction | None], None]:
        name = web_name(canonical)

        def save(interaction: RecordedInteraction | None) -> None:
            if interaction is not None:
                shared = {"recording": interaction.recording.model_copy(update={"task_id": ""})}
                interaction = interaction.model_copy(update=shared)
                self._cassettes.note_played(name, ordinal)
            self._cassettes.settle(name, canonical.key, ordinal, interaction)

        return save

    def _pick(self, canonical: CanonicalRequest, name: str, ordinal: int) -> Interaction | None:
        if self.problem is not None:
            return None
        cassette = self._cassettes.cassette(name)
        slots = cassette.slots("", canonical.key) if cassette else []
        if not slots:
            return None
        policy = self._cassettes.repeats(canonical.host)
        if policy == "reuse":
            return slots[-1]
        for found in slots[ordinal : ordinal + 1]:
            return None if self._cassettes.is_to_be_redone(name, found) else found
        return slots[-1] if policy == "then_last" and self.mode == "replay" else None

    def _missed(
        self, canonical: CanonicalRequest, name: str
    ) -> CassetteMissError | UnrecordedError:
        if self.problem is not None:
            return CassetteMissError(self.problem)
        what = f"{canonical.method} {canonical.uri}"
        if self._cassettes.miss == "tool_error":
            self._unrecorded += 1
            return UnrecordedError(f"{what} was never recorded")
        near, first = explain(canonical, self._candidates(name))
        command = self._command()
        words = f"{Path(self._cassettes.store.place).name}: no recording of {what}; {near}; record it with: {command}"
        path, recorded, now = first or (None, None, None)
        found = Divergence(self._hits + 1, self._hits, path, recorded, now, command)
        return self._latched(words, found, is_stale=False)

    def _too_short(self, found: Interaction) -> CassetteMissError | UnrecordedError:
        """Return the error for a page that a reader with a smaller cap closed early."""
        what = f"{found.method} {found.uri}"
        size = f"only its first {len(found.content)} bytes were recorded"
        if self._cassettes.miss == "tool_error":
            self._unrecorded += 1
            return UnrecordedError(f"{what}: {size}")
        command = self._command(" --stale")
        words = (
            f"{Path(self._cassettes.store.place).name}: {what}: {size}, because the cap of its reader "
            f"was reached; this configuration reads on; record the rest with: {command}"
        )
        found_here = Divergence(self._hits + 1, self._hits, "body", size, "more", command)
        return self._latched(words, found_here, is_stale=False)

    def _command(self, what: str = "") -> str:
        return (
            f"{self._settings.record_command}{what} --configuration "
            f"{shlex.quote(self.key.configuration)} --case {shlex.quote(self.key.case_id)}"
        )

    def _candidates(self, name: str) -> Iterator[Candidate]:
        """Return recorded requests to the same host, those to a similar path first."""
        for near in self._cassettes.store.neighbours(name, limit=40):
            try:
                cassette = self._cassettes.store.read(near)
            except CassetteCorruptError:
                continue
            for record in cassette.records()[:1] if cassette else ():
                request = record.request
                content = body_bytes(request.body, self._cassettes.store.body)
                yield Candidate(f"{near}.json", request.method, request.uri, content)


def _is_short(found: Interaction, is_enough: IsEnough | None) -> bool:
    """Say whether a reader would read on where the recording ends, because its own reader had enough.

    Of a body that is kept as it was compressed nobody knows before it is read.
    """
    if found.end != "early_close" or is_enough is None:
        return False
    is_packed = found.is_encoded and found.content_encoding is None
    return not is_packed and not is_enough(found.content)


def _is_damaged(interaction: Interaction) -> bool:
    try:
        interaction.pieces()
    except CassetteCorruptError:
        return True
    return False
