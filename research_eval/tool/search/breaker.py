"""A circuit breaker: after enough failures in a row nobody asks for a while, then someone probes."""

from collections.abc import Callable
from typing import Literal

__all__ = ["BreakerState", "CircuitBreaker", "Permit"]

BreakerState = Literal["closed", "open", "half_open"]

Permit = int
"""What a call is let through with; the era of the breaker in which it began."""


class CircuitBreaker:
    """Closed, open or half-open; time is told to it, and it never waits."""

    def __init__(
        self,
        *,
        failure_threshold: int | None,
        cooldown_s: float,
        probes: int | None = 1,
        on_change: Callable[[float, BreakerState], None] | None = None,
    ) -> None:
        """Start closed.

        Args:
            failure_threshold: Failures in a row that open it; `None` never opens it.
            cooldown_s: Seconds from opening until a call is let through again.
            probes: Calls let through at once while half-open; `None` lets all through.
            on_change: Is told the time and the new state.
        """
        self._threshold = failure_threshold
        self._cooldown_s = cooldown_s
        self._probes = probes
        self._on_change = on_change
        self._state: BreakerState = "closed"
        self._era = 0
        self._failures = 0
        self._probing = 0
        self._reopens_at = 0.0

    @property
    def state(self) -> BreakerState:
        """The state as of the last call; time alone does not change it."""
        return self._state

    @property
    def reopens_at(self) -> float:
        """When the next call is let through, if it is open."""
        return self._reopens_at

    def is_current(self, permit: Permit) -> bool:
        """Return whether nothing has changed since the call with this permit was let through."""
        return permit == self._era or self._state == "closed"

    def admit(self, now: float) -> Permit | None:
        """Let a call through, or return `None`; a call let through must be settled or released."""
        if self._state == "open":
            if now < self._reopens_at:
                return None
            self._turn("half_open", now)
        if self._state == "half_open":
            if self._probes is not None and self._probing >= self._probes:
                return None
            self._probing += 1
        return self._era

    def succeed(self, permit: Permit, now: float) -> None:
        """Settle a call that worked."""
        if permit != self._era:
            return
        self._failures = 0
        if self._state == "half_open":
            self._turn("closed", now)

    def fail(self, permit: Permit, now: float) -> bool:
        """Settle a call that failed; return whether that opened the breaker."""
        if permit != self._era or self._threshold is None:
            return False
        self._failures += 1
        if self._state == "closed" and self._failures < self._threshold:
            return False
        self._open(now, now + self._cooldown_s)
        return True

    def release(self, permit: Permit) -> None:
        """Settle a call that says nothing of the provider, for instance a cancelled one."""
        if permit == self._era and self._state == "half_open":
            self._probing -= 1

    def hold(self, permit: Permit, now: float, until: float) -> bool:
        """Open until a given time, as the provider asked; return whether that opened it."""
        if permit != self._era:
            return False
        self._open(now, until)
        return True

    def _open(self, now: float, until: float) -> None:
        self._reopens_at = until
        self._turn("open", now)

    def _turn(self, state: BreakerState, now: float) -> None:
        self._state = state
        self._era += 1
        self._failures = 0
        self._probing = 0
        if self._on_change is not None:
            self._on_change(now, state)
