"""A token bucket: so many requests a second, waiting callers in order of arrival."""

from research_eval.clock import Clock

__all__ = ["TokenBucket"]


class TokenBucket:
    """Refills at `rate_per_s` up to `burst`; a caller without a token waits for its own."""

    def __init__(
        self,
        clock: Clock,
        *,
        rate_per_s: float | None,
        burst: int = 1,
        may_overdraw: bool = False,
    ) -> None:
        """Start full.

        Args:
            clock: Tells the time and waits.
            rate_per_s: Tokens a second; `None` is no limit.
            burst: Tokens that can pile up.
            may_overdraw: Whether callers who wait at the same time wait for the same token, so
                that all of them go at once; otherwise each waits for its own.
        """
        self._clock = clock
        self._rate = rate_per_s
        self._burst = burst
        self._may_overdraw = may_overdraw
        self._tokens = float(burst)
        self._at = clock.now()
        self._paused_until = self._at

    def wait_s(self) -> float:
        """Return the seconds that a caller who came now would wait."""
        self._refill()
        wait = self.paused_s()
        if self._rate is not None and self._tokens < 1:
            wait = max(wait, (1 - self._tokens) / self._rate)
        return wait

    def tokens(self) -> int:
        """Return how many callers who came now would not wait."""
        self._refill()
        return 0 if self.paused_s() else max(0, int(self._tokens + 1e-9))

    def paused_s(self) -> float:
        """Return the seconds for which no token is handed out to anybody."""
        return max(0.0, self._paused_until - self._clock.now())

    async def acquire(self) -> float:
        """Take a token and return the seconds waited; a cancelled wait gives its token back."""
        wait = self.wait_s()
        if self._may_overdraw:
            await self._wait(wait)
            self._refill()
            self._tokens = max(0.0, self._tokens - 1)
            return wait
        self._tokens -= 1
        try:
            await self._wait(wait)
        except BaseException:
            self._tokens += 1
            raise
        return wait

    def pause(self, seconds: float) -> None:
        """Hand out no token for `seconds`."""
        self._paused_until = max(self._paused_until, self._clock.now() + seconds)

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            await self._clock.sleep(seconds)

    def _refill(self) -> None:
        now = self._clock.now()
        gained = float(self._burst) if self._rate is None else (now - self._at) * self._rate
        self._tokens = min(float(self._burst), self._tokens + gained)
        self._at = now
