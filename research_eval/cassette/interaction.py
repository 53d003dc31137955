"""One recorded exchange as it stands in a file: vcrpy's fields, and beside them what vcrpy lacks."""

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, ConfigDict, Field

from research_eval.schema import Record

__all__ = [
    "OLD_NAME",
    "OLD_TASK_ID",
    "Body",
    "CassetteFile",
    "CassetteMetadata",
    "End",
    "RecordedFailure",
    "RecordedInteraction",
    "RecordedRequest",
    "RecordedResponse",
    "RecordedStatus",
    "Slot",
]

End = Literal["complete", "early_close", "error", "cancelled"]
"""How an exchange ended: whole, closed by its reader, by a failure, or given up by its caller."""

OLD_TASK_ID = "lane"
OLD_NAME = "tape"
"""What files of version 0.1.0 call `task_id` and `recording`."""

Headers = dict[str, tuple[str, ...]]


class Body(Record):
    """A body in the most readable form that gives its bytes back; exactly one field is set."""

    model_config = ConfigDict(populate_by_name=True)

    string: str | None = None
    """Text on one line."""
    lines: tuple[str, ...] | None = None
    """Text of several lines, to be joined by a line feed."""
    data: Any = Field(default=None, alias="json")
    """JSON, written out as a value."""
    style: Literal["compact", "spaced", "ascii", "ascii_spaced"] | None = None
    """Of JSON: how its bytes were spelled."""
    base64: str | None = None
    """Anything that is no UTF-8 text."""
    file: Annotated[str, Field(pattern=r"^[0-9a-f]{64}\.[a-z]{2,5}$")] | None = None
    """Name of a file beside the cassette that holds the bytes; its stem is their digest."""
    after: Annotated[int, Field(ge=0)] | None = None
    """Of a request: number of the interaction in this file whose JSON this one extends."""
    same: tuple[str, ...] = ()
    """With `after`: fields that are as there."""
    keep: dict[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    """With `after`: how many first items of a list are as there; `data` holds the rest."""


class RecordedRequest(Record):
    """A request as vcrpy stores it."""

    body: Body | None = None
    headers: Headers = Field(default_factory=dict)
    method: str
    uri: str


class RecordedStatus(Record):
    """A status line."""

    code: Annotated[int, Field(ge=100, le=999)]
    message: str = ""


class RecordedResponse(Record):
    """A response as vcrpy stores it."""

    body: Body = Body(string="")
    headers: Headers = Field(default_factory=dict)
    status: RecordedStatus


class RecordedFailure(Record):
    """The exception that ended an exchange."""

    type: str
    """Name of the transport exception that httpx and httpx2 share, for instance `ReadTimeout`."""
    message: str = ""
    in_body: bool = False
    """Whether the response had begun."""


class Slot(Record):
    """What vcrpy has no place for; it ignores this part."""

    key: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    """Digest of the canonical request."""
    task_id: str = Field(default="", validation_alias=AliasChoices("task_id", OLD_TASK_ID))
    """The task inside the trial that asked, where several ask at the same time."""
    ordinal: Annotated[int, Field(ge=0)] = 0
    """How many equal requests of the same task came before."""
    latency_s: Annotated[float, Field(ge=0)] = 0.0
    """From the request to the response's headers, or to the failure before them."""
    chunks: str | None = None
    """Pieces of the body as `bytes@seconds`, seconds counted from the headers on."""
    end: End = "complete"
    ended_s: float | None = Field(default=None, ge=0)
    """Of an exchange that was not completed: when that was, in seconds from the headers on."""
    error: RecordedFailure | None = None
    content_encoding: str | None = None
    """How the body was compressed on the wire; it is kept decoded, so that it can be read."""
    read_timeout_s: float | None = None
    """The patience that the caller had."""
    recorded_at: str | None = None


class RecordedInteraction(Record):
    """A request and what came of it."""

    request: RecordedRequest
    response: RecordedResponse
    recording: Slot = Field(validation_alias=AliasChoices("recording", OLD_NAME))


class CassetteMetadata(Record):
    """What a file says of itself."""

    profile: int
    """Version of the rules by which requests are told apart."""
    trial: tuple[str, str, int] | None = None
    """Of model exchanges: case, configuration, repetition."""


class CassetteFile(Record):
    """One cassette file."""

    checksum: str | None = None
    """Of all that follows, as `crc32:` and eight digits; files of earlier versions have none."""
    interactions: tuple[RecordedInteraction, ...]
    metadata: CassetteMetadata
    version: Literal[1] = 1
