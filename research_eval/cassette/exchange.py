"""Model exchanges: one file a trial, never shared, so that repeated trials keep their spread."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from typing_extensions import override

from research_eval.cassette.body import body_bytes
from research_eval.cassette.explain import Candidate, explain
from research_eval.cassette.file import Cassette
from research_eval.cassette.growing import GrowingCassette
from research_eval.cassette.interaction import CassetteMetadata, RecordedInteraction
from research_eval.cassette.key import PROFILE, CanonicalRequest
from research_eval.cassette.name import safe_name
from research_eval.cassette.opening import open_store
from research_eval.cassette.playback import Interaction
from research_eval.cassette.redact import Redactor
from research_eval.cassette.response_redaction import IsEnough
from research_eval.cassette.session import Refresh, Session, SessionSettings, session_settings
from research_eval.cassette.transport import Mode
from research_eval.cassette.verdict import Divergence
from research_eval.clock import Clock
from research_eval.errors import CassetteCorruptError, CassetteMissError
from research_eval.schema import TrialKey

__all__ = ["ModelCassettes", "ModelSession", "Prospect", "trial_name"]

Prospect = Literal["sent", "replayed", "left"]
"""What recording will do with a trial: ask its model; replay it, and ask from where it no longer fits;
or leave it without a usable recording, since it was told to record only others."""


def trial_name(key: TrialKey) -> str:
    """Return the name of the cassette that holds a trial's exchanges, within its configuration's folder."""
    return f"{safe_name(key.case_id)}/{key.trial}"


class ModelCassettes:
    """The recorded model exchanges of one configuration."""

    def __init__(
        self,
        folder: Path | str,
        *,
        mode: Mode,
        redactor: Redactor | None = None,
        refresh: Refresh = "stale",
        stamp: Callable[[], str] | None = None,
        stopwatch: Clock | None = None,
        record_command: str = "research-eval record",
    ) -> None:
        """Open the recordings.

        Args:
            folder: The configuration's folder, or a packed file in its place.
            mode: Replay, record or live.
            redactor: Takes secrets out; without one only what always is secret.
            refresh: What recording replaces.
            stamp: Says when something is recorded, for people.
            stopwatch: Measures how long live answers take.
            record_command: How a miss says to record what is missing.
        """
        self.mode: Mode = mode
        self._settings = session_settings(
            mode=mode, channel="model", redactor=redactor, refresh=refresh, stamp=stamp,
            stopwatch=stopwatch, record_command=record_command,
        )  # fmt: skip
        self.store = open_store(Path(folder), self._settings.redactor)

    def session(self, key: TrialKey, clock: Clock) -> "ModelSession":
        """Return one trial's view."""
        return ModelSession(self, self._settings, key, clock)

    def prospect(self, key: TrialKey) -> Prospect:
        """Say what recording will do with a trial, as far as its cassette tells before it runs.

        Args:
            key: The trial.
        """
        refresh = self._settings.refresh
        if refresh == "all":
            return "sent"
        try:
            cassette = self.store.read(trial_name(key))
        except CassetteCorruptError:
            return "left" if refresh == "missing" else "sent"
        if cassette is None:
            return "sent"
        return "sent" if _came_to_nothing_in(cassette) else "replayed"

    def digest(self) -> str:
        """Return the SHA-256 over everything recorded."""
        return self.store.digest()

    def close(self) -> None:
        """Let go of files."""
        self.store.close()


class ModelSession(Session):
    """One trial's own exchanges with its model."""

    def __init__(
        self, cassettes: ModelCassettes, settings: SessionSettings, key: TrialKey, clock: Clock
    ) -> None:
        super().__init__(settings, key, clock)
        self._store = cassettes.store
        self._name = trial_name(key)
        is_read = self.mode == "replay" or (self.mode == "record" and settings.refresh != "all")
        self._cassette: Cassette | None = None
        self._damage: CassetteCorruptError | None = None
        try:
            self._cassette = cassettes.store.read(self._name) if is_read else None
        except CassetteCorruptError as exc:
            self._damage = exc
        self._sent = 0
        self._kept: list[tuple[int, RecordedInteraction]] = []
        self._records: list[RecordedInteraction] | None = None
        self._growing: GrowingCassette | None = None
        self._has_diverged = False

    @override
    async def match(
        self, canonical: CanonicalRequest, task_id: str, is_enough: IsEnough | None = None
    ) -> Interaction | int:
        self._sent += 1
        ordinal = self._take_ordinal(task_id, canonical.key)
        slots = (
            self._cassette.slots(task_id, canonical.key)
            if self._cassette and not self._has_diverged
            else []
        )
        found = slots[ordinal] if self.problem is None and ordinal < len(slots) else None
        is_failed = self.mode == "record" and _came_to_nothing(slots[ordinal:])
        if found is not None and not is_failed:
            self._hits += 1
            if self.mode == "record":
                self._kept.append((self._sent, self._record_of(found)))
                self._growing = None
            return found
        if self.mode == "record" and (self._may_record() or is_failed):
            self._has_diverged = True
            return ordinal
        if self._damage is not None:
            raise self.damaged(self._damage)
        raise self._missed(canonical)

    @override
    def _saver(
        self, canonical: CanonicalRequest, task_id: str, ordinal: int
    ) -> Callable[[RecordedInteraction | None], None]:
        place = self._sent

        def save(interaction: RecordedInteraction | None) -> None:
            if interaction is not None:
                self._keep(place, interaction)

        return save

    def _keep(self, place: int, interaction: RecordedInteraction) -> None:
        """Write an exchange behind those that were asked before it."""
        is_last = not self._kept or self._kept[-1][0] < place
        self._kept.append((place, interaction))
        growing, self._growing = self._growing, None  # used no more if it fails
        if growing is None or not is_last:
            self._kept.sort(key=lambda entry: entry[0])
            records = [record for _, record in self._kept]
            metadata = CassetteMetadata(profile=PROFILE, trial=tuple(self.key))
            growing = self._store.growing(self._name, records, metadata)
            growing.save()
        else:
            growing.add(interaction)
        self._growing = growing

    @override
    def _unplayed(self) -> int:
        return len(self._cassette) - self._hits if self._cassette and not self._has_diverged else 0

    def _record_of(self, interaction: Interaction) -> RecordedInteraction:
        """Return a recorded exchange with its request written out whole."""
        cassette = self._cassette or Cassette((), b"", "")
        if self._records is None:
            self._records = cassette.records()
        return self._records[cassette.interactions.index(interaction)]

    def _may_record(self) -> bool:
        if self._has_diverged or self._settings.refresh in {"all", "stale"}:
            return True
        if self._cassette is None:
            return self._damage is None
        return self._hits == len(self._cassette)  # it goes on where the recording ends

    def _missed(self, canonical: CanonicalRequest) -> CassetteMissError:
        if self.problem is not None:
            return CassetteMissError(self.problem)
        place = f"{Path(self._store.place).name}/{self._name}.json"
        command = self._command("--stale" if self._cassette else "")
        if self._cassette is None:
            words = f"{place}: there is no recording of this trial; record it with: {command}"
            return self._latched(words, Divergence(1, 0, None, None, None, command), is_stale=False)
        near, first = explain(canonical, self._candidates(self._cassette))
        words = (
            f"{place}: exchange {self._sent} ({canonical.method} {canonical.uri}) fits none of the "
            f"{len(self._cassette)} recorded; {near}; record it again with: {command}"
        )
        path, recorded, now = first or (None, None, None)
        found = Divergence(self._sent, len(self._cassette), path, recorded, now, command)
        return self._latched(words, found, is_stale=True)

    def _candidates(self, cassette: Cassette) -> Iterator[Candidate]:
        """Return the recorded requests, the one whose turn it would be first."""
        records = cassette.records()
        order = sorted(range(len(records)), key=lambda number: abs(number + 1 - self._sent))
        for number in order:
            request = records[number].request
            yield Candidate(
                f"recording {number + 1} of {len(records)}",
                request.method,
                request.uri,
                body_bytes(request.body, self._store.body),
                is_next=number + 1 == self._sent,
            )

    def _command(self, what: str) -> str:
        configuration = shlex.quote(self.key.configuration)
        case = shlex.quote(self.key.case_id)
        words = f"{self._settings.record_command} {what}".rstrip()
        return f"{words} --configuration {configuration} --case {case}"


def _came_to_nothing(left: Sequence[Interaction]) -> bool:
    """Say whether an exchange was given up, or it and all that followed it found no server."""
    if not left:
        return False
    is_lost = all(interaction.error is not None for interaction in left)
    return left[0].end == "cancelled" or is_lost


def _came_to_nothing_in(cassette: Cassette) -> bool:
    """Say whether an exchange of a cassette failed, so that it is asked again."""
    slots = {(item.task_id, item.key): item for item in cassette.interactions}
    groups = [cassette.slots(*slot) for slot in slots]
    return any(_came_to_nothing(found[place:]) for found in groups for place in range(len(found)))
