"""One run of one case under one configuration."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from pydantic import AliasChoices, Field
from pydantic_core import PydanticSerializationError

from research_eval.schema.event import AnswerChecked, Event
from research_eval.schema.fidelity import Fidelity
from research_eval.schema.message import Usage
from research_eval.schema.outside import safe_value
from research_eval.schema.record import Record
from research_eval.schema.source import SourceRecord

__all__ = [
    "ENDINGS",
    "SCHEMA_VERSION",
    "Ending",
    "Failure",
    "Reference",
    "ReplayTally",
    "TrialKey",
    "TrialRecord",
    "TrialStatus",
]

SCHEMA_VERSION: Literal[1] = 1
"""Version of the trial record; a reader refuses one that it does not know."""

TrialStatus = Literal[
    "completed",
    "rejected",
    "refused",
    "limit",
    "cut",
    "empty",
    "protocol",
    "unjudged",
    "error",
]
"""How a trial ended; `ENDINGS` says what each word means."""


class Ending(NamedTuple):
    """What a way to end means to whoever counts."""

    label: str
    """A heading for tables."""
    meaning: str
    """One line for people."""
    is_rated: bool = False
    """Whether a trial that ended so is in the rates of trials that passed, without any answer too."""


ENDINGS: Mapping[TrialStatus, Ending] = {
    "completed": Ending("completed", "an attempt passed the gate", is_rated=True),
    "rejected": Ending("rejected", "no attempt passed the gate", is_rated=True),
    "refused": Ending("refused", "the model declined, or its provider filtered the reply"),
    "limit": Ending(
        "limit", "turns, tokens, time or context ran out before an answer", is_rated=True
    ),
    "cut": Ending("cut", "the limit of output tokens cut the reply", is_rated=True),
    "empty": Ending("empty", "the model replied without text, also when it was asked again"),
    "protocol": Ending(
        "protocol", "the model wrote a tool call that cannot be read, also when it was asked again"
    ),
    "unjudged": Ending("unjudged", "it answered, and nobody knows what it opened"),
    "error": Ending("error", "the infrastructure failed"),
}
"""Every way to end a trial, declared once: reports, scores, JUnit and documents read it."""


class TrialKey(NamedTuple):
    """What makes a trial itself."""

    case_id: str
    configuration: str
    trial: int
    """The repetition, from 1."""


class Failure(Record):
    """An error that ended a trial, as data."""

    kind: str
    """A stable word, for instance `cassette_miss`, `rate_limited`, `timeout`."""
    message: str
    turn: int | None = None
    """The turn during which it happened."""


class Reference(Record):
    """A source that a completed answer cites."""

    url: str
    key: str
    title: str | None = None


class ReplayTally(Record):
    """How much of a trial came from its cassettes."""

    hits: int = 0
    recorded: int = 0
    """Exchanges that went to the network and were recorded."""
    live: int = 0
    unrecorded: int = Field(default=0, validation_alias=AliasChoices("unrecorded", "off_tape"))
    """Web requests that were never recorded and became tool errors."""
    misses: int = 0
    """Requests that stopped the trial: 0 or 1."""
    stale: int = 0
    """Misses where the trial's recording exists but no longer fits: 0 or 1."""
    unplayed: int = 0
    """Exchanges recorded for this trial alone that it did not ask for."""


class TrialRecord(Record):
    """Everything that is kept of a trial, one line of the journal."""

    schema_version: Literal[1] = SCHEMA_VERSION
    case_id: str
    configuration: str
    trial: int
    question: str
    language: str = "en"
    tags: tuple[str, ...] = ()
    status: TrialStatus
    answer: str | None = None
    """The answer of a completed trial, or the text that was rejected last."""
    references: tuple[Reference, ...] = ()
    """What a completed answer cites, in citation order."""
    usage: Usage = Usage()
    """Summed over all model calls."""
    failure: Failure | None = None
    sources: tuple[SourceRecord, ...] = ()
    """The ledger at the end."""
    transcript: tuple[Event, ...] = ()
    replay: ReplayTally = ReplayTally()
    fidelity: Fidelity | None = None
    """What the ledger rests on; absent for the built-in agent, which opens pages itself."""

    replaced_surrogates: bool | None = None
    """Whether halves of surrogate pairs, which UTF-8 cannot hold, became U+FFFD in this record."""

    def json_line(self) -> str:
        """Return the line that a journal keeps, in text that UTF-8 can hold whatever came in."""
        try:
            return self.model_dump_json(exclude_none=True)
        except PydanticSerializationError:
            values = safe_value(self.model_dump()) | {"replaced_surrogates": True}
            return type(self).model_validate(values).model_dump_json(exclude_none=True)

    @property
    def key(self) -> TrialKey:
        """The identity of this trial within its run."""
        return TrialKey(self.case_id, self.configuration, self.trial)

    @property
    def attempts(self) -> tuple[AnswerChecked, ...]:
        """The answers that were put to the gate, in order."""
        return tuple(event for event in self.transcript if type(event) is AnswerChecked)
