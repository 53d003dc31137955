"""Politeness towards servers: how long to wait before the next request to a host."""

import httpx

from research_eval.clock import Clock
from research_eval.tool.fetch.settings import FetchSettings
from research_eval.waiting import retry_after

__all__ = ["Politeness", "retry_after_s"]


def retry_after_s(status: int, headers: httpx.Headers) -> float | None:
    """Return the seconds that an overloaded server asks to wait, in a number or by a date."""
    return retry_after(headers) if status in {429, 503} else None


class Politeness:
    """Remembers when each host may be asked again."""

    def __init__(self, settings: FetchSettings, *, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._next: dict[str, float] = {}

    def wait_s(self, host: str) -> float:
        """Return how long to wait before `host` may be asked."""
        return max(0.0, self._next.get(host, 0.0) - self._clock.now())

    def asked(self, host: str) -> None:
        """Note that a request goes out to `host` now."""
        self._next[host] = self._clock.now() + self._settings.host_interval_s

    def answered(self, host: str, status: int, headers: httpx.Headers) -> None:
        """Note how long an overloaded `host` asks to be left alone."""
        wait = retry_after_s(status, headers)
        if wait is not None:
            self._next[host] = self._clock.now() + wait
