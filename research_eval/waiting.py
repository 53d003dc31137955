"""What a trial waits for, so that a time limit tells a late provider from the agent's own doing."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from math import inf
from typing import Protocol

from research_eval.clock import Clock

__all__ = ["TimeKeeper", "Waits", "retry_after"]


class TimeKeeper(Protocol):
    """A time limit that stands still while the trial is held."""

    def stop(self) -> None:
        """Let no time run out until `go_on`."""
        ...

    def go_on(self) -> None:
        """Count again."""
        ...

    def check(self) -> None:
        """Raise if the time is up."""
        ...

    def left_s(self) -> float:
        """Return the seconds that are left."""
        ...


@dataclass
class _Span:
    """Whose answer was waited for, in seconds of `Waits.counted_s`."""

    whom: str
    began: float
    ended: float = inf
    """For ever, while it is waited for."""


class Waits:
    """The waits of one trial: for answers, which count as its time, and for leave to ask, which do not."""

    def __init__(self, clock: Clock) -> None:
        """Start with nothing waited for."""
        self._clock = clock
        self._keepers: list[TimeKeeper] = []
        self._spans: list[_Span] = []  # in the order in which they began
        self._holds = 0
        self._held_since = 0.0
        self._held_s = 0.0

    @property
    def is_virtual(self) -> bool:
        """Whether waiting costs no real time, so that only a check can find a limit passed."""
        return self._clock.is_virtual

    def counted_s(self) -> float:
        """Return the seconds since the clock's start, without those in which the trial was held."""
        now = self._clock.now()
        held = self._held_s + (now - self._held_since if self._holds else 0.0)
        return round(now - held, 6)

    @contextmanager
    def awaited(self, whom: str) -> Iterator[None]:
        """Note that the answer of `whom` is waited for while the block runs."""
        span = _Span(whom, self.counted_s())
        self._spans.append(span)
        try:
            yield
        finally:
            span.ended = self.counted_s()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Stop the trial's time limits while our own limiter, or a provider's wish, holds it back."""
        if not self._holds:
            self._held_since = self._clock.now()
            for keeper in self._keepers:
                keeper.stop()
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            if not self._holds:
                self._held_s += self._clock.now() - self._held_since
                for keeper in self._keepers:
                    keeper.go_on()

    @contextmanager
    def limited(self, keeper: TimeKeeper) -> Iterator[None]:
        """Tell `keeper` of every hold while the block runs."""
        self._keepers.append(keeper)
        try:
            yield
        finally:
            self._keepers.remove(keeper)

    def check(self) -> None:
        """Raise if a time limit has passed; on a virtual clock nothing else finds that out.

        Raises:
            TrialError: If the answer of a provider is to blame.
            NoAnswer: If the agent has used the time up.
        """
        for keeper in self._keepers:
            keeper.check()

    async def give_up(self, within_s: float) -> None:
        """Pass the time until whoever gave up on an answer, as a recording tells, did so.

        It was the limit that had the least time left, unless the request's own had less.

        Args:
            within_s: The seconds that were left of the request's own limit.
        """
        left = min((keeper.left_s() for keeper in self._keepers), default=within_s)
        if self.is_virtual and left < within_s:
            await self._clock.sleep(max(0.0, left) + 1e-6)

    def overdue(self, since: float, until: float) -> str | None:
        """Return whose answer is to blame that the time from `since` to `until` did not suffice.

        It is to blame if it alone took more than half of the time, or more than twice as long as any
        answer of this trial before it; else the agent asked for too much.
        """
        slowest = 0.0
        for span in self._spans:
            if span.began <= until <= span.ended:
                waited = until - max(span.began, since)
                is_late = 2 * waited > until - since or waited > 2 * slowest
                return span.whom if is_late else None
            slowest = max(slowest, span.ended - span.began)
        return None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a `Retry-After` header, be it a number or a date.

    A date counts from the response's own `Date`, so that no clock is read.

    >>> retry_after({"retry-after": "7"})
    7.0
    """
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", value):
        return float(value)
    try:
        until, since = parsedate_to_datetime(value), parsedate_to_datetime(headers["date"])
        return max(0.0, (until - since).total_seconds())
    except (KeyError, ValueError, TypeError):
        return None
