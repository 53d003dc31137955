"""A circuit breaker: a provider that fails or is slow too often is left alone, then probed."""

from collections import deque
from collections.abc import Callable
from typing import Literal, NamedTuple

__all__ = ["BreakerPolicy", "BreakerState", "CircuitBreaker", "Permit"]

BreakerState = Literal["closed", "open", "half_open"]

Permit = int
"""What a call is let through with; the era of the breaker in which it began."""


class BreakerPolicy(NamedTuple):
    """When a breaker opens, and for how long."""

    failure_threshold: int | None = 5
    """Failures in a row that open it; `None`: no such rule."""
    failure_rate: float | None = None
    """Share of failed or slow calls in the window that opens it; `None`: no such rule."""
    window_calls: int = 20
    """The window: the last so many calls,"""
    window_s: float = 60.0
    """none of them older than this, in seconds."""
    min_calls: int = 5
    """Calls that the window must hold before the rate counts."""
    slow_call_s: float | None = None
    """A call that took longer counts as failed; `None`: none does."""
    cooldown_s: float = 60.0
    """Seconds from opening until a call is let through again, the first time."""
    cooldown_factor: float = 1.0
    """What the cool-down is multiplied by each time that the provider fails again soon."""
    cooldown_max_s: float = 60.0
    """The longest cool-down."""
    probes: int | None = 1
    """Calls let through at once while half-open; `None` lets all through."""


class CircuitBreaker:
    """Closed, open or half-open; time is told to it, and it never waits."""

    def __init__(
        self,
        policy: BreakerPolicy,
        *,
        on_change: Callable[[float, BreakerState], None] | None = None,
    ) -> None:
        """Start closed.

        Args:
            policy: When it opens, and for how long.
            on_change: Is told the time and the new state.
        """
        self._policy = policy
        self._on_change = on_change
        self._state: BreakerState = "closed"
        self._era = 0
        self._in_a_row = 0
        self._window: deque[tuple[float, bool]] = deque()
        self._bad = 0  # calls in the window that failed or were slow
        self._probing = 0
        self._admitted_at = 0.0
        self._reopens_at = 0.0
        self._is_hold = False
        self._after_rest: BreakerState = "half_open"
        self._cooldown_s = policy.cooldown_s  # of the last rest after failures
        self._closed_at: float | None = None  # `None` until it has opened and closed once

    @property
    def state(self) -> BreakerState:
        """The state as of the last call; time alone does not change it."""
        return self._state

    @property
    def reopens_at(self) -> float:
        """When the next call is let through, if it is open."""
        return self._reopens_at

    @property
    def is_held(self) -> bool:
        """Whether it is open because the provider itself asked for a pause of known length."""
        return self._state == "open" and self._after_rest == "closed"

    def refuses(self, now: float) -> bool:
        """Return whether a call that somebody else can serve would not be let through."""
        if self._state == "open":
            return now < self._reopens_at
        probes = self._policy.probes
        return self._state == "half_open" and probes is not None and self._probing >= probes

    def is_current(self, permit: Permit) -> bool:
        """Return whether nothing has changed since the call with this permit was let through."""
        return permit == self._era or self._state == "closed"

    def may_probe_early(self, now: float) -> bool:
        """Return whether a call that nobody else can serve is let through.

        That is so one first cool-down after the last call that was, unless the provider refused the
        key or asked for a pause.
        """
        if self._state == "closed" or (self._state == "open" and self._is_hold):
            return False
        return now >= self._admitted_at + self._policy.cooldown_s

    def admit(self, now: float, *, is_last_chance: bool = False) -> Permit | None:
        """Let a call through, or return `None`; a call let through must be settled or released.

        Args:
            now: The time.
            is_last_chance: Whether nobody else can serve what this call is for.
        """
        is_early = is_last_chance and self.may_probe_early(now)
        if self.refuses(now) and not is_early:
            return None
        if self._state == "open":
            self._turn(self._after_rest, now)
        if self._state == "half_open":
            self._probing += 1
        self._admitted_at = now
        return self._era

    def settle(self, permit: Permit, now: float, *, is_good: bool, took_s: float = 0.0) -> bool:
        """Count a call that ended; return whether that opened the breaker.

        A call of an earlier era is not counted: it says how the provider was then.
        """
        if permit != self._era:
            return False
        slow_s = self._policy.slow_call_s
        is_bad = not is_good or (slow_s is not None and took_s > slow_s)
        if self._state == "half_open" and not is_bad:
            self._turn("closed", now)
            return False
        self._note(now, is_bad=is_bad)
        if not self._must_open(is_bad=is_bad):
            return False
        first = self._policy.cooldown_s
        self._cooldown_s = self._longer(self._cooldown_s) if self._is_relapse(now) else first
        self._is_hold = False
        self._rest(now, now + self._cooldown_s, "half_open")
        return True

    def release(self, permit: Permit) -> None:
        """Forget a call that says nothing of the provider, for instance a cancelled one."""
        if permit == self._era and self._state == "half_open":
            self._probing -= 1

    def hold(self, now: float, until: float, *, is_pause: bool) -> bool:
        """Let nobody through until a given time; return whether that opened it.

        Args:
            now: The time.
            until: When calls are let through again; an earlier time than one that holds already
                changes nothing.
            is_pause: Whether the provider asked for the pause, and is well after it; otherwise the
                first call after it is a probe.
        """
        until = round(until, 6)
        was_open = self._state == "open"
        if until <= now or (was_open and until <= self._reopens_at):
            return False
        self._is_hold = True
        if was_open:
            self._reopens_at = until
            return False
        after: BreakerState = "closed" if is_pause and self._state == "closed" else "half_open"
        self._rest(now, until, after)
        return True

    def _note(self, now: float, *, is_bad: bool) -> None:
        self._in_a_row = self._in_a_row + 1 if is_bad else 0
        if self._policy.failure_rate is None:
            return
        self._window.append((now, is_bad))
        self._bad += is_bad
        oldest = now - self._policy.window_s
        while self._window[0][0] <= oldest or len(self._window) > self._policy.window_calls:
            self._bad -= self._window.popleft()[1]

    def _must_open(self, *, is_bad: bool) -> bool:
        policy = self._policy
        if policy.failure_threshold is None and policy.failure_rate is None:
            return False
        if self._state == "half_open":
            return is_bad
        if policy.failure_threshold is not None and self._in_a_row >= policy.failure_threshold:
            return True
        if policy.failure_rate is None or not is_bad or len(self._window) < policy.min_calls:
            return False
        return self._bad >= policy.failure_rate * len(self._window)

    def _is_relapse(self, now: float) -> bool:
        """Return whether the provider was not well for as long as the window since its last rest."""
        if self._state == "half_open":
            return True
        return self._closed_at is not None and now - self._closed_at < self._policy.window_s

    def _longer(self, cooldown_s: float) -> float:
        policy = self._policy
        longest = max(policy.cooldown_s, policy.cooldown_max_s)
        return min(longest, cooldown_s * policy.cooldown_factor)

    def _rest(self, now: float, until: float, after: BreakerState) -> None:
        self._reopens_at = round(until, 6)  # as clocks tell the time
        self._after_rest = after
        self._turn("open", now)

    def _turn(self, state: BreakerState, now: float) -> None:
        if state == "closed" and self._state == "half_open":
            self._closed_at = now
        self._state = state
        self._era += 1
        self._in_a_row = 0
        self._window.clear()
        self._bad = 0
        self._probing = 0
        if self._on_change is not None:
            self._on_change(now, state)
