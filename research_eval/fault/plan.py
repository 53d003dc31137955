"""Decides request by request whether a rule strikes, and what that means on the wire."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
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
        """Return what happens to the next request; all rules that strike act together.

        Args:
            host: The request's host.
            path: The request's path.
            limits: Its `timeout` extension: `connect`, `read`, … in seconds or `None`.
        """
        now = self._clock.now() - self._began
        striking = []
        for rule, count in self._rules:
            if not rule.is_about(host, path):
                continue
            count[0] += 1
            if self._strikes(rule, count[0], now):
                striking.append(rule)
        return _effect(striking, now, limits) if striking else None

    def _strikes(self, rule: FaultSettings, number: int, now: float) -> bool:
        if not rule.strikes_number(number) or not rule.strikes_time(now):
            return False
        return rule.probability is None or self._rng.random() < rule.probability


def _effect(rules: Sequence[FaultSettings], now: float, limits: Mapping[str, Any]) -> Struck:
    """Return what rules come to together: delays add up, an answer that never comes is not changed.

    No connection comes before silence, silence before an answer in the server's place, and that
    before changes of the body, which follow each other. Of two of a sort the first rule decides.
    """
    kinds = {rule.kind for rule in rules}
    delay = round(sum(rule.delay_at(now) for rule in rules), 6)
    read = _seconds(limits.get("read"))
    silence = Break(read, "ReadTimeout", "the server said nothing in time")
    if "connect_timeout" in kinds:
        return Break(_seconds(limits.get("connect")), "ConnectTimeout", "no connection in time")
    if "timeout" in kinds or delay > read:
        return silence
    for rule in rules:
        if rule.kind in _BROKEN:
            return Break(delay, *_BROKEN[rule.kind])
        if rule.kind == "status":
            return _status(rule, delay)
    return _alteration(rules, delay, silence)


def _alteration(rules: Sequence[FaultSettings], delay: float, silence: Break) -> Alter:
    changes = [change for rule in rules if (change := _change(rule)) is not None]
    ends = [rule.kind for rule in rules if rule.kind in {"stall", "truncated"}]
    then = None
    if ends:
        cut = "peer closed connection without sending complete message body"
        then = silence if ends[0] == "stall" else Break(0, "RemoteProtocolError", cut)
    if not changes:
        return Alter(delay, then=then)
    return Alter(delay, lambda body: reduce(lambda sent, change: change(sent), changes, body), then)


def _change(rule: FaultSettings) -> Callable[[bytes], bytes] | None:
    """Return what a rule does to a body, if it does anything."""
    if rule.kind == "wrong_json" and rule.body is not None:
        body = rule.body.encode()
        return lambda _: body
    return MUTATIONS.get(rule.kind)


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
