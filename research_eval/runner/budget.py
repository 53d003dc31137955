"""Limits of a whole run: when one is reached no trial starts, those in flight end, nothing is lost."""

from collections.abc import Mapping

from research_eval.clock import Clock
from research_eval.schema import Cost, ModelCalled, Price, Record, TrialRecord, Usage, call_cost

__all__ = ["Budget", "BudgetSettings"]

MOST_UNMEASURED = 5
"""Replies without usage that a limit in dollars or tokens bears, where they are the larger part."""


class BudgetSettings(Record):
    """What a run may consume, its earlier executions included; `None` is no limit."""

    max_tokens: int | None = None
    """Input and output tokens together."""
    max_cost_usd: float | None = None
    """US dollars: what the provider reports, else what the price list makes of the usage."""
    max_time_s: float | None = None
    """Seconds of real time, of this execution alone."""


class Budget:
    """Counts what a run consumes, call by call."""

    def __init__(
        self,
        settings: BudgetSettings,
        clock: Clock,
        prices: Mapping[str, Price | None] | None = None,
    ) -> None:
        """Start at nothing; `prices` holds what a call costs, by configuration."""
        self._settings = settings
        self._clock = clock
        self._prices = prices or {}
        self._began = clock.now()
        self.usage = Usage()
        self.costs: dict[str, Cost] = {}

    def add(self, configuration: str, usage: Usage) -> None:
        """Count one model call."""
        self.usage += usage
        cost = call_cost(usage, self._prices.get(configuration))
        self.costs[configuration] = self.costs.get(configuration, Cost()) + cost

    def add_trial(self, record: TrialRecord) -> None:
        """Count the model calls of a finished trial."""
        for event in record.transcript:
            if isinstance(event, ModelCalled):
                self.add(record.configuration, event.usage)

    def exhausted(self) -> str | None:
        """Return which limit is reached, or cannot be held, in words; else `None`."""
        limits = self._settings
        tokens = self.usage.input_tokens + self.usage.output_tokens
        if limits.max_tokens is not None and tokens >= limits.max_tokens:
            return f"{tokens:,} of at most {limits.max_tokens:,} tokens are used"
        if limits.max_cost_usd is not None and (why := self._spent(limits.max_cost_usd)):
            return why
        if limits.max_tokens is not None and self._is_mostly_unmeasured():
            return "most replies carry no usage, so that --max-tokens cannot hold"
        elapsed = self._clock.now() - self._began
        if limits.max_time_s is not None and elapsed >= limits.max_time_s:
            return f"{elapsed:.0f} s of at most {limits.max_time_s:.0f} s have passed"
        return None

    def _spent(self, most: float) -> str | None:
        spent = Cost.total(self.costs.values())
        if spent.usd >= most:
            return f"${spent.usd:.4f} of at most ${most:.4f} are spent"
        unpriced = [name for name, cost in self.costs.items() if cost.unpriced]
        if unpriced:
            return f"no cost is known for replies of {unpriced[0]}, so that --max-cost cannot hold"
        if self._is_mostly_unmeasured():
            return "most replies carry no usage, so that --max-cost cannot hold"
        return None

    def _is_mostly_unmeasured(self) -> bool:
        without = self.usage.unmeasured_requests
        return without > MOST_UNMEASURED and 2 * without > self.usage.requests
