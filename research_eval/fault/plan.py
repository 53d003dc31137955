"""Decides request by request whether a rule strikes, and what that means on the wire."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

from research_eval.clock import Clock
from research_eval.fault.body import MUTATIONS
from research_eval.fault.settings import Channel, FaultSettings

__all__ = ["Alter", "Answer", "Break", "FaultPlan", "Struck"]

NO_LIMIT_S = 3600.0
"""How long a request without a time limit hangs before it is given up."""


class Break(NamedTuple):
    """The exchange ends with an exception of the HTTP library, by its class name."""

    after_s: float
    exception: str
    message: str


class Answer(NamedTuple):
    """The server answers this, whatever it was asked."""

    after_s: float
    status: int
    headers: Mapping[str, str]
    body: bytes


class Alter(NamedTuple):
    """The real answer comes, late or changed; `then` breaks it off in the middle."""

    after_s: float
    mutate: Callable[[bytes], bytes] | None = None
    then: Break | None = None


Struck = Break | Answer | Alter
"""What happens to a request."""


class FaultPlan:
    """The rules for one channel, with their counters."""

    def __init__(
        self, faults: Sequence[FaultSettings], *, channel: Channel, clock: Clock, rng: random.Random
    ) -> None:
        self._rules = [(rule, [0]) for rule in faults if rule.channel == channel]
        self._clock = clock
        self._rng = rng
        self._began = clock.now()

    def strike(self, host: str, path: str, limits: Mapping[str, Any]) -> Struck | None:
        """Return what happens to the next request; the first rule that strikes decides.

        Args:
            host: The request's host.
            path: The request's path.
            limits: Its `timeout` extension: `connect`, `read`, … in seconds or `None`.
        """
        now = self._clock.now() - self._began
        chosen = None
        for rule, count in self._rules:
            if not rule.is_about(host, path):
                continue
            count[0] += 1
            if self._strikes(rule, count[0], now) and chosen is None:
                chosen = rule
        return None if chosen is None else _effect(chosen, now, limits)

    def _strikes(self, rule: FaultSettings, number: int, now: float) -> bool:
        if not rule.strikes_number(number) or not rule.strikes_time(now):
            return False
        return rule.probability is None or self._rng.random() < rule.probability


def _effect(rule: FaultSettings, now: float, limits: Mapping[str, Any]) -> Struck:
    delay = rule.delay_at(now)
    read = _seconds(limits.get("read"))
    silence = Break(read, "ReadTimeout", "the server said nothing in time")
    if rule.kind == "connect_timeout":
        return Break(_seconds(limits.get("connect")), "ConnectTimeout", "no connection in time")
    if rule.kind == "timeout" or delay > read:
        return silence
    if rule.kind in _BROKEN:
        return Break(delay, *_BROKEN[rule.kind])
    if rule.kind == "status":
        return _status(rule, delay)
    return _alteration(rule, delay, silence)


def _alteration(rule: FaultSettings, delay: float, silence: Break) -> Alter:
    if rule.kind == "stall":
        return Alter(delay, then=silence)
    if rule.kind == "truncated":
        cut = "peer closed connection without sending complete message body"
        return Alter(delay, then=Break(0, "RemoteProtocolError", cut))
    if rule.kind == "wrong_json" and rule.body is not None:
        body = rule.body.encode()
        return Alter(delay, mutate=lambda _: body)
    return Alter(delay, mutate=MUTATIONS.get(rule.kind))


_BROKEN: Mapping[str, tuple[str, str]] = {
    "refused": ("ConnectError", "[Errno 111] Connection refused"),
    "reset": ("ReadError", "[Errno 104] Connection reset by peer"),
    "dns": ("ConnectError", "[Errno -2] Name or service not known"),
    "tls": ("ConnectError", "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed"),
}


def _status(rule: FaultSettings, delay: float) -> Answer:
    status = rule.status or 500
    headers = {"content-type": "application/json", **rule.headers}
    if rule.retry_after_s is not None:
        headers["retry-after"] = str(rule.retry_after_s)
    body = rule.body
    if body is None:
        body = json.dumps({"message": _phrase(status), "statusCode": status})
    return Answer(delay, status, headers, body.encode())


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Overloaded" if status == 529 else "Failed"


def _seconds(limit: object) -> float:
    return float(limit) if isinstance(limit, int | float) else NO_LIMIT_S
