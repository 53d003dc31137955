"""Which requests fail, and how: written by a person, exactly repeatable."""

import re
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from research_eval.schema import Record

__all__ = ["IS_INJECTED", "Channel", "FaultKind", "FaultSettings"]

IS_INJECTED = "is_injected"
"""The extension of a response by which readers know it from what a server answered."""

Channel = Literal["search", "fetch", "model"]
"""Whose requests: those of search providers, of page fetches, of model APIs."""

FaultKind = Literal[
    "status",
    "connect_timeout",
    "timeout",
    "stall",
    "refused",
    "reset",
    "dns",
    "tls",
    "truncated",
    "malformed",
    "wrong_json",
    "empty",
    "no_urls",
    "huge",
    "slow",
    "duplicates",
]
"""What goes wrong.

`status`: the server answers with that status. `connect_timeout`, `timeout`: no connection, no first
byte. `stall`: half the body, then silence. `refused`, `reset`, `dns`, `tls`: no connection, each in
its way. `truncated`: half the body, then the connection closes. `malformed`: half the body, and all
seems well. `wrong_json`: a body of another shape. `empty`: no results. `no_urls`: results without
addresses. `huge`: 10 MB of results. `slow`: the right answer, `delay_s` late. `duplicates`: every
result twice.
"""

_RANGE = re.compile(r"(\d+)(-(\d*))?$")


class FaultSettings(Record):
    """One rule: the requests that it is about, when it strikes, and what happens then.

    All conditions that are given must hold; a rule without any strikes every request of its channel.
    """

    channel: Channel
    kind: FaultKind = "status"
    host: str | None = None
    """The requests' host: exact, or `.suffix` for it and everything below; `None` is any."""
    path: str | None = None
    """The start of the requests' path; `None` is any."""
    requests: str | None = None
    """Numbers of the requests, counted from 1 among those of this host and path: `1-2,5,9-`."""
    between_s: tuple[float, float | None] | None = None
    """From when to when on the clock, in seconds; one number alone means from then on."""
    every: int | None = Field(default=None, ge=1)
    """Every so many requests, counted like `requests`."""
    probability: float | None = Field(default=None, ge=0, le=1)
    """The chance for each request, drawn from the trial's seeded source."""
    status: int | None = Field(default=None, ge=200, le=599)
    """Of kind `status`: the HTTP status."""
    retry_after_s: int | None = Field(default=None, ge=0)
    """Of kind `status`: the `Retry-After` header, in seconds."""
    headers: dict[str, str] = Field(default={})
    """Of kind `status`: further headers."""
    body: str | None = None
    """Of kind `status` or `wrong_json`: the body, instead of a plain one."""
    delay_s: float = Field(default=0, ge=0)
    """How long it takes until the failure shows, in seconds."""
    delay_to_s: float | None = Field(default=None, ge=0)
    """Where the delay has risen to at the end of `between_s`, in a straight line."""

    @field_validator(
        "between_s", mode="before", json_schema_input_type=tuple[float, float] | tuple[float]
    )
    @classmethod
    def _open_end(cls, value: object) -> object:
        return [*value, None] if isinstance(value, list | tuple) and len(value) == 1 else value

    @field_validator("requests", mode="before", json_schema_input_type=str | int | None)
    @classmethod
    def _one_number(cls, value: object) -> object:
        return str(value) if isinstance(value, int) else value

    @field_validator("requests")
    @classmethod
    def _numbers(cls, value: str | None) -> str | None:
        if value is not None:
            parse_numbers(value)
        return value

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.kind == "status") != (self.status is not None):
            raise ValueError("`status` belongs to kind `status`, which needs it")
        if self.between_s and self.between_s[1] is not None:
            if self.between_s[1] < self.between_s[0]:
                raise ValueError("`between_s` ends before it begins")
        elif self.delay_to_s is not None:
            raise ValueError("`delay_to_s` needs a `between_s` with an end")
        return self

    def delay_at(self, now: float) -> float:
        """Return how late the failure shows at a given time."""
        if self.delay_to_s is None or self.between_s is None or self.between_s[1] is None:
            return self.delay_s
        start, end = self.between_s[0], self.between_s[1]
        share = min(1.0, max(0.0, (now - start) / (end - start))) if end > start else 1.0
        return round(self.delay_s + (self.delay_to_s - self.delay_s) * share, 6)

    def strikes_number(self, number: int) -> bool:
        """Return whether the request with this number is among `requests` and `every`."""
        if self.every is not None and number % self.every:
            return False
        if self.requests is None:
            return True
        ranges = parse_numbers(self.requests)
        return any(first <= number and (last is None or number <= last) for first, last in ranges)

    def strikes_time(self, now: float) -> bool:
        """Return whether `now` lies in `between_s`; its end does not."""
        if self.between_s is None:
            return True
        start, end = self.between_s
        return start <= now and (end is None or now < end)

    def is_about(self, host: str, path: str) -> bool:
        """Return whether a request to this host and path is meant at all."""
        if self.path is not None and not path.startswith(self.path):
            return False
        if self.host is None:
            return True
        wanted, host = self.host.lower(), host.lower()
        if wanted.startswith("."):
            return host == wanted[1:] or host.endswith(wanted)
        return host == wanted


def parse_numbers(text: str) -> list[tuple[int, int | None]]:
    """Return the ranges in `1-2,5,9-`.

    Raises:
        ValueError: If that is no list of numbers.
    """
    ranges: list[tuple[int, int | None]] = []
    for part in text.replace(" ", "").split(","):
        found = _RANGE.match(part)
        if not found or found[1].strip("0") == "":
            raise ValueError(f"{text!r} is no list of request numbers such as '1-2,5,9-'")
        first = int(found[1])
        last = first if found[2] is None else int(found[3]) if found[3] else None
        if last is not None and last < first:
            raise ValueError(f"{part!r} ends before it begins")
        ranges.append((first, last))
    return ranges
