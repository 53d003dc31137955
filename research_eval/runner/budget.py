"""Limits of a whole run: when one is reached no trial starts, those in flight end, nothing is lost."""

from research_eval.clock import Clock
from research_eval.schema import Record, Usage

__all__ = ["Budget", "BudgetSettings"]


class BudgetSettings(Record):
    """What a run may consume; `None` is no limit."""

    max_tokens: int | None = None
    """Input and output tokens together."""
    max_cost_usd: float | None = None
    """US dollars, as far as the provider reports or the price list knows them."""
    max_time_s: float | None = None
    """Seconds of real time."""


class Budget:
    """Counts what a run consumes."""

    def __init__(self, settings: BudgetSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._began = clock.now()
        self.usage = Usage()
        self.cost_usd = 0.0

    def add(self, usage: Usage, cost_usd: float | None) -> None:
        """Count what one trial consumed."""
        self.usage += usage
        self.cost_usd += cost_usd or 0.0

    def exhausted(self) -> str | None:
        """Return which limit is reached, in words, or `None`."""
        limits = self._settings
        tokens = self.usage.input_tokens + self.usage.output_tokens
        if limits.max_tokens is not None and tokens >= limits.max_tokens:
            return f"{tokens:,} of at most {limits.max_tokens:,} tokens are used"
        if limits.max_cost_usd is not None and self.cost_usd >= limits.max_cost_usd:
            return f"${self.cost_usd:.4f} of at most ${limits.max_cost_usd:.4f} are spent"
        elapsed = self._clock.now() - self._began
        if limits.max_time_s is not None and elapsed >= limits.max_time_s:
            return f"{elapsed:.0f} s of at most {limits.max_time_s:.0f} s have passed"
        return None
