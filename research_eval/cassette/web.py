"""The shared web: searches and pages recorded once, the same for every trial of an experiment."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal

from research_eval.cassette.interaction import TapedInteraction, TapeMetadata
from research_eval.cassette.key import PROFILE, Asked
from research_eval.cassette.name import host_folder, slug
from research_eval.cassette.recording import Recording
from research_eval.cassette.redact import Redactor
from research_eval.cassette.session import Miss, Mode, Session
from research_eval.cassette.store import FolderStore, Store
from research_eval.cassette.tape import Interaction, Tape
from research_eval.clock import Clock
from research_eval.schema import TrialKey

__all__ = ["RepeatPolicy", "WebCassette", "WebSession", "web_name"]

RepeatPolicy = Literal["strict", "then_last", "reuse"]
"""What an equal request gets after the recorded ones: a miss; the last one again; always the last."""


def web_name(asked: Asked) -> str:
    """Return the name of the tape that holds all answers to a request."""
    path = asked.uri.split("://", 1)[-1].partition("/")[2]
    return f"{host_folder(asked.host)}/{slug(path)}.{asked.key}"


class WebCassette:
    """The recorded web of an experiment."""

    def __init__(
        self,
        folder: Path | str,
        *,
        mode: Mode,
        redactor: Redactor | None = None,
        miss: Literal["stop", "tool_error"] = "stop",
        repeats: RepeatPolicy = "then_last",
        repeats_by_host: Mapping[str, RepeatPolicy] | None = None,
        refresh: Literal["all", "missing"] = "all",
        stamp: Callable[[], str] | None = None,
    ) -> None:
        self.mode: Mode = mode
        self.miss = miss
        self.redactor = redactor or Redactor()
        self.store: Store = FolderStore(Path(folder), self.redactor)
        self.refresh = refresh
        self.stamp = stamp
        self._repeats: RepeatPolicy = repeats
        self._repeats_by_host = dict(repeats_by_host or {})
        self._tapes: dict[str, Tape | None] = {}
        self._written: set[str] = set()
        self._pending: dict[tuple[str, int], asyncio.Event] = {}

    def session(self, key: TrialKey, clock: Clock) -> "WebSession":
        """Return one trial's view."""
        return WebSession(self, key, clock)

    def repeats(self, host: str) -> RepeatPolicy:
        """Return what repeated requests to `host` get."""
        return self._repeats_by_host.get(host, self._repeats)

    def tape(self, name: str) -> Tape | None:
        """Return what may be played for `name`: in a fresh recording only what this run recorded."""
        if self.mode == "record" and self.refresh == "all" and name not in self._written:
            return None
        if name not in self._tapes:
            self._tapes[name] = self.store.read(name)
        return self._tapes[name]

    async def reserve(self, key: str, ordinal: int) -> bool:
        """Wait if somebody records this slot just now; return whether it is ours to record."""
        event = self._pending.get((key, ordinal))
        if event is None:
            self._pending[key, ordinal] = asyncio.Event()
            return True
        await event.wait()
        return False

    def settle(self, name: str, key: str, ordinal: int, interaction: TapedInteraction | None) -> None:
        """Keep what was recorded for a slot, and let those go on who wait for it."""
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

    def _add(self, name: str, interaction: TapedInteraction) -> None:
        tape = self.tape(name) or Tape()
        records = [known.record for known in tape.interactions]
        records = [known for known in records if known.tape.ordinal != interaction.tape.ordinal]
        records = sorted([*records, interaction], key=lambda record: record.tape.ordinal)
        self.store.write(name, records, TapeMetadata(profile=PROFILE))
        self._written.add(name)
        self._tapes[name] = self.store.read(name)


class WebSession(Session):
    """One trial's view of the shared web."""

    def __init__(self, cassette: WebCassette, key: TrialKey, clock: Clock) -> None:
        super().__init__(mode=cassette.mode, key=key, clock=clock, redactor=cassette.redactor)
        self._cassette = cassette
        self.raises_off_tape = cassette.miss == "tool_error"

    async def claim(self, asked: Asked, lane: str) -> Interaction | int:
        """Return the recording that answers a request, or the ordinal under which to record it.

        Raises:
            Miss: If there is neither.
        """
        key = asked.key
        ordinal = self.take_ordinal(lane, key)
        name = web_name(asked)
        while True:
            found = self._pick(asked, name, key, ordinal)
            if found is not None:
                self.count("hits")
                return found
            if self.mode != "record":
                raise Miss(f"{name}: no recording of {asked.method} {asked.uri}")
            if await self._cassette.reserve(key, ordinal):
                return ordinal

    def start(
        self, asked: Asked, lane: str, ordinal: int, headers: Iterable[tuple[str, str]], patience_s: float | None
    ) -> Recording:
        """Begin to record a request that goes out now."""
        del lane
        cassette, name, key = self._cassette, web_name(asked), asked.key
        recording = Recording(
            asked,
            lane="",
            ordinal=ordinal,
            request_headers=headers,
            read_timeout_s=patience_s,
            clock=self.clock,
            redactor=self.redactor,
            recorded_at=cassette.stamp() if cassette.stamp else None,
            save=lambda interaction: cassette.settle(name, key, ordinal, interaction),
        )
        self._open.append(recording)
        self.count("recorded")
        return recording

    def _pick(self, asked: Asked, name: str, key: str, ordinal: int) -> Interaction | None:
        tape = self._cassette.tape(name)
        slots = tape.slots("", key) if tape else []
        if not slots:
            return None
        policy = self._cassette.repeats(asked.host)
        if policy == "reuse":
            return slots[-1]
        if ordinal < len(slots):
            return slots[ordinal]
        if policy == "then_last" and self.mode == "replay":
            return slots[-1]
        return None
