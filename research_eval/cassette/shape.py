"""Shapes: the text of a cassette file in, what playing needs of its exchanges out, checked field by field.

This is read for every replayed request.
Bodies of requests, the larger part of a file, are passed over here: whoever needs them reads the file as records.
"""

import json
from collections.abc import Callable
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from research_eval.cassette.failure import REPLAYABLE
from research_eval.cassette.interaction import OLD_NAME, OLD_TASK_ID, End

__all__ = ["Exchange", "exchange_of", "read_exchanges"]

_Seconds = Annotated[float, Meta(ge=0, le=1e9)]


class _Request(Struct):
    method: str
    uri: str


class _Status(Struct):
    code: Annotated[int, Meta(ge=100, le=999)]
    message: str = ""


class _Response(Struct):
    status: _Status
    headers: dict[str, tuple[str, ...]] = {}
    body: dict[str, Any] = msgspec.field(default_factory=lambda: {"string": ""})


class _Failure(Struct):
    type: str
    message: str = ""
    in_body: bool = False

    def __post_init__(self) -> None:
        if self.type not in REPLAYABLE:
            raise ValueError("expected the name of a transport's exception")


class _Slot(Struct):
    key: str
    task_id: str = ""
    ordinal: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    latency_s: _Seconds = 0.0
    ended_s: _Seconds | None = None
    read_timeout_s: _Seconds | None = None
    end: End = "complete"
    error: _Failure | None = None
    content_encoding: str | None = None
    chunks: str | None = None


class Exchange(Struct):
    """One recorded exchange, as far as playing goes."""

    request: _Request
    response: _Response
    recording: _Slot


class _Metadata(Struct):
    profile: int


class _File(Struct):
    interactions: list[Exchange]
    metadata: _Metadata
    checksum: str | None = None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


_decode_quickly: Final[Callable[[bytes], _File]] = msgspec.json.Decoder(_File).decode
_decode_carefully: Final[Callable[[str], Any]] = json.JSONDecoder(
    parse_constant=_no_constant
).decode


def read_exchanges(text: bytes) -> tuple[int, list[Exchange], bool]:
    """Return the version of the rules that a file follows, what it holds, and whether it names a checksum.

    Raises:
        ValueError: If it is no cassette.
        RecursionError: If it is nested too deeply.
    """
    try:
        file = _decode_quickly(text)
    except msgspec.ValidationError as exc:
        file = _of_earlier_version(text, exc)
    except msgspec.DecodeError:  # also half a surrogate, which Python's own reader takes
        file = msgspec.convert(_decode_carefully(text.decode("utf-8")), _File)
    return file.metadata.profile, file.interactions, file.checksum is not None


def _of_earlier_version(text: bytes, error: msgspec.ValidationError) -> _File:
    """Return a file whose exchanges use the names of version 0.1.0; any other file raises `error`."""
    if "`recording`" not in str(error):
        raise error
    file = msgspec.json.decode(text)
    exchanges = [dict(exchange) for exchange in file["interactions"]]
    if not all(OLD_NAME in exchange for exchange in exchanges):
        raise error
    for exchange in exchanges:
        slot = exchange["recording"] = exchange.pop(OLD_NAME)
        slot["task_id"] = slot.pop(OLD_TASK_ID, "")
    return msgspec.convert(file | {"interactions": exchanges}, _File)


def exchange_of(values: object) -> Exchange:
    """Return an exchange from plain values.

    Raises:
        ValueError: If they are none.
    """
    return msgspec.convert(values, Exchange)
