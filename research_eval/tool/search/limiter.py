"""A token bucket: so many requests a second, waiting callers in order of arrival."""

from research_eval.clock import Clock

__all__ = ["TokenBucket"]

MAX_SLOWER = 4
"""How often the rate may be halved."""


class TokenBucket:
    """Refills at `rate_per_s` up to `burst`; a caller without a token waits for its own."""

    def __init__(
        self,
        clock: Clock,
        *,
        rate_per_s: float | None,
        burst: int = 1,
        may_overdraw: bool = False,
        recovery_s: float = 60.0,
    ) -> None:
        """Start full.

        Args:
            clock: Tells the time and waits.
            rate_per_s: Tokens a second; `None` is no limit.
            burst: Tokens that can pile up.
            may_overdraw: Whether callers who wait at the same time wait for the same token, so
                that all of them go at once; otherwise each waits for its own.
            recovery_s: Seconds without `slow_down` after which one is taken back.
        """
        self._clock = clock
        self._rate = rate_per_s
        self._burst = burst
        self._may_overdraw = may_overdraw
        self._recovery_s = recovery_s
        self._tokens = float(burst)
        self._at = clock.now()
        self._paused_until = self._at
        self._slower = 0  # steps below the rate: 1 is evenly spaced, each more halves the rate
        self._slowed_at = self._at
        self._era = 0  # who waits since an earlier one has lost its token

    def wait_s(self) -> float:
        """Return the seconds that a caller who came now would wait."""
        self._refill()
        wait = self.paused_s()
        rate = self._pace()[0]
        if rate is not None and self._tokens < 1:
            wait = max(wait, (1 - self._tokens) / rate)
        return wait

    @property
    def is_slowed(self) -> bool:
        """Whether requests go more slowly than the rate says."""
        self._refill()
        return self._slower > 0

    def tokens(self) -> int:
        """Return how many callers who came now would not wait."""
        self._refill()
        return 0 if self.paused_s() else max(0, int(self._tokens + 1e-9))

    def paused_s(self) -> float:
        """Return the seconds for which no token is handed out to anybody."""
        return max(0.0, self._paused_until - self._clock.now())

    async def acquire(self) -> float:
        """Take a token and return the seconds waited; a cancelled wait gives its token back."""
        if self._may_overdraw:
            wait = self.wait_s()
            await self._wait(wait)
            self._refill()
            self._tokens = max(0.0, self._tokens - 1)
            return wait
        waited = 0.0
        while True:
            wait, era = self.wait_s(), self._era
            self._tokens -= 1
            try:
                await self._wait(wait)
            except BaseException:
                self._tokens += era == self._era
                raise
            waited += wait
            if era == self._era:
                return waited

    def pause(self, seconds: float) -> None:
        """Hand out no token for `seconds`."""
        self._paused_until = max(self._paused_until, self._clock.now() + seconds)

    def slow_down(self, sent_at: float) -> bool:
        """Hand tokens out more slowly: one by one at first, then at half the rate each time.

        Args:
            sent_at: When the request went out that shows the need; one of before the last step
                shows none.

        Returns:
            Whether there was need.
        """
        self._refill()
        if self._rate is None or sent_at < self._slowed_at:
            return False
        least = 1 if self._burst > 1 else 2
        self._slower = min(MAX_SLOWER, max(least, self._slower + 1))
        self._slowed_at = self._clock.now()
        self._tokens = 0.0
        self._era += 1
        return True

    def _pace(self) -> tuple[float | None, float]:
        """Return the rate and the burst that hold now."""
        if self._rate is None or not self._slower:
            return self._rate, float(self._burst)
        return self._rate / 2.0 ** (self._slower - 1), 1.0

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            await self._clock.sleep(seconds)

    def _refill(self) -> None:
        now = self._clock.now()
        while self._slower and now - self._slowed_at >= self._recovery_s:
            self._slower -= 1
            self._slowed_at += self._recovery_s
        rate, burst = self._pace()
        gained = burst if rate is None else (now - self._at) * rate
        self._tokens = min(burst, self._tokens + gained)
        self._at = now
