"""Model exchanges: one file a trial, never shared, so that repeated trials keep their spread."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

from research_eval.cassette.interaction import TapedInteraction, TapeMetadata
from research_eval.cassette.key import PROFILE, Asked
from research_eval.cassette.name import safe_name
from research_eval.cassette.recording import Recording
from research_eval.cassette.redact import Redactor
from research_eval.cassette.session import Miss, Mode, Session
from research_eval.cassette.store import FolderStore, Store
from research_eval.cassette.tape import Interaction, Tape
from research_eval.clock import Clock
from research_eval.schema import TrialKey

__all__ = ["ModelCassette", "ModelSession", "Refresh", "trial_name"]

Refresh = Literal["all", "missing", "stale", "mend"]
"""What a recording replaces: everything it runs, only what is absent, only what fits no more, or both."""


def trial_name(key: TrialKey) -> str:
    """Return the name of the tape that holds a trial's model exchanges."""
    return f"{safe_name(key.configuration)}/{safe_name(key.case_id)}/{key.trial}"


class ModelCassette:
    """The recorded model exchanges of an experiment."""

    def __init__(
        self,
        folder: Path | str,
        *,
        mode: Mode,
        redactor: Redactor | None = None,
        refresh: Refresh = "all",
        stamp: Callable[[], str] | None = None,
    ) -> None:
        self.mode: Mode = mode
        self.redactor = redactor or Redactor()
        self.store: Store = FolderStore(Path(folder), self.redactor)
        self.refresh: Refresh = refresh
        self.stamp = stamp

    def session(self, key: TrialKey, clock: Clock) -> "ModelSession":
        """Return one trial's view."""
        return ModelSession(self, key, clock)

    def digest(self) -> str:
        """Return the SHA-256 over everything recorded."""
        return self.store.digest()

    def close(self) -> None:
        """Let go of files."""
        self.store.close()


class ModelSession(Session):
    """One trial's own exchanges with its model."""

    def __init__(self, cassette: ModelCassette, key: TrialKey, clock: Clock) -> None:
        super().__init__(mode=cassette.mode, key=key, clock=clock, redactor=cassette.redactor)
        self._cassette = cassette
        self._name = trial_name(key)
        self._tape: Tape | None = None
        if self.mode == "replay" or (self.mode == "record" and cassette.refresh != "all"):
            self._tape = cassette.store.read(self._name)
        self._kept: list[TapedInteraction] = []
        self._diverged = False

    async def claim(self, asked: Asked, lane: str) -> Interaction | int:
        """Return the recording that answers a request, or the ordinal under which to record it.

        Raises:
            Miss: If there is neither.
        """
        key = asked.key
        ordinal = self.take_ordinal(lane, key)
        slots = self._tape.slots(lane, key) if self._tape and not self._diverged else []
        if ordinal < len(slots):
            self._kept.append(slots[ordinal].record)
            self.count("hits")
            return slots[ordinal]
        if self.mode == "record" and self._may_record():
            self._diverged = True
            return ordinal
        if self._tape is not None:
            self.count("stale")
        raise Miss(f"{self._cassette.store.place}/{self._name}.json: no recording of {asked.method} {asked.uri}")

    def start(
        self, asked: Asked, lane: str, ordinal: int, headers: Iterable[tuple[str, str]], patience_s: float | None
    ) -> Recording:
        """Begin to record a request that goes out now."""
        place = len(self._kept)
        stamp = self._cassette.stamp
        recording = Recording(
            asked,
            lane=lane,
            ordinal=ordinal,
            request_headers=headers,
            read_timeout_s=patience_s,
            clock=self.clock,
            redactor=self.redactor,
            recorded_at=stamp() if stamp else None,
            save=lambda interaction: self._save(place, interaction),
        )
        self._open.append(recording)
        self.count("recorded")
        return recording

    def unplayed(self) -> int:
        """Return how many exchanges of this trial were not asked for."""
        return len(self._tape) - self._tally["hits"] if self._tape and not self._diverged else 0

    def _may_record(self) -> bool:
        refresh = self._cassette.refresh
        if refresh in {"all", "mend"}:
            return True
        return (self._tape is None) == (refresh == "missing")

    def _save(self, place: int, interaction: TapedInteraction | None) -> None:
        if interaction is None:
            return
        self._kept.insert(place, interaction)
        metadata = TapeMetadata(profile=PROFILE, trial=tuple(self.key))
        self._cassette.store.write(self._name, self._kept, metadata)
