"""Limits of a whole run: a call that could pass one is not sent, and nothing that is done is lost."""

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

import httpx2
from typing_extensions import override

from research_eval.clock import Clock
from research_eval.errors import RunOverError
from research_eval.schema import Cost, ModelCalled, Price, Record, TrialRecord, Usage, call_cost
from research_eval.waiting import Waits

__all__ = ["Budget", "BudgetSettings", "CallBound", "Meter", "MeteredTransport", "dollars"]

MOST_UNMEASURED = 5
"""Replies without usage that a limit in dollars or tokens bears, where they are the larger part."""

HIDDEN_TOKENS = 1024
"""Tokens that a provider may add to a prompt, for instance to explain the tools to its model."""


class BudgetSettings(Record):
    """What a run may consume, its earlier executions included; `None` is no limit."""

    max_tokens: int | None = None
    """Input and output tokens together."""
    max_cost_usd: float | None = None
    """US dollars: what the provider reports, else what the price list makes of the usage."""
    max_time_s: float | None = None
    """Seconds of real time, of this execution alone."""
    unbounded: tuple[str, ...] = ()
    """Configurations whose calls may be sent though nothing bounds what one of them costs."""

    @property
    def limits_calls(self) -> bool:
        """Whether what a call may consume has to be known before it is sent."""
        return self.max_tokens is not None or self.max_cost_usd is not None


class CallBound(NamedTuple):
    """What one call may consume at most."""

    tokens: int
    usd: float

    @override
    def __add__(self, other: "CallBound") -> "CallBound":  # type: ignore[override]  # amounts, no tuples
        """Return both together."""
        return CallBound(self.tokens + other.tokens, self.usd + other.usd)

    @classmethod
    def of(cls, request_bytes: int, max_output_tokens: int, price: Price | None) -> "CallBound":
        """Return the bound of a request: no token is shorter than a byte of its body."""
        prompt = request_bytes + HIDDEN_TOKENS
        plain = Usage(requests=1, input_tokens=prompt, output_tokens=max_output_tokens)
        cached = plain.model_copy(update={"cache_write_tokens": prompt})
        usd = max(price.of(plain), price.of(cached)) if price else 0.0
        return cls(prompt + max_output_tokens, usd)


class Budget:
    """Counts what a run sends, and holds back what its limits might not bear."""

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
        self._changed = asyncio.Event()
        self._reserved: dict[Meter, CallBound] = {}
        self._refused: str | None = None
        self.usage = Usage()
        self.costs: dict[str, Cost] = {}
        self.lost = CallBound(0, 0.0)
        """The bounds of calls that broke off, so that nobody knows what they consumed."""
        self.lost_calls = 0
        self.dropped = CallBound(0, 0.0)
        """What trials consumed that ended without a record."""
        self.earlier = CallBound(0, 0.0)
        """What earlier executions may have consumed in calls that are in no record."""

    def meter(self, configuration: str, max_output_tokens: int | None) -> "Meter":
        """Return what counts the model calls of one trial."""
        return Meter(self, configuration, max_output_tokens, self._prices.get(configuration))

    def add(self, configuration: str, usage: Usage) -> None:
        """Count one model call that was sent."""
        self.usage += usage
        cost = call_cost(usage, self._prices.get(configuration))
        self.costs[configuration] = self.costs.get(configuration, Cost()) + cost

    def add_trial(self, record: TrialRecord) -> None:
        """Count the model calls of a finished trial that sent them."""
        for event in record.transcript:
            if isinstance(event, ModelCalled):
                self.add(record.configuration, event.usage)

    async def reserve(self, meter: "Meter", bound: CallBound) -> None:
        """Set aside what a call may consume; wait for calls in flight if only they stand in its way.

        Raises:
            RunOverError: If the limits do not bear the call.
        """
        while (why := self._refusal(bound)) is not None:
            if not self._reserved:
                self._refused = why
                raise RunOverError(why)
            self._changed.clear()
            await self._changed.wait()
        self._reserved[meter] = bound

    def release(self, meter: "Meter", *, lost: bool = False) -> bool:
        """Free what was set aside for a call; return whether there was one.

        Args:
            meter: Whose call it was.
            lost: Whether the call broke off, so that all it might have consumed counts as used.
        """
        bound = self._reserved.pop(meter, None)
        if bound is None:
            return False
        if lost:
            self.lost += bound
            self.lost_calls += 1
        self._changed.set()
        return True

    def _refusal(self, bound: CallBound) -> str | None:
        """Return why a call must not be sent now, in words."""
        limits = self._settings
        if self._refused is not None:
            return self._refused
        held = self._reserved.values()
        if limits.max_tokens is not None:
            used = self._tokens() + sum(item.tokens for item in held)
            if used + bound.tokens > limits.max_tokens:
                return (
                    f"{self._tokens():,} of at most {limits.max_tokens:,} tokens are used,"
                    f" and the next call may take {bound.tokens:,}"
                )
        if limits.max_cost_usd is not None:
            usd = self._usd() + sum(item.usd for item in held)
            if usd + bound.usd > limits.max_cost_usd:
                return (
                    f"{dollars(self._usd())} of at most {dollars(limits.max_cost_usd)} are spent,"
                    f" and the next call may cost {dollars(bound.usd)}"
                )
        return None

    def _tokens(self) -> int:
        told = self.usage.input_tokens + self.usage.output_tokens
        return told + (self.lost + self.earlier).tokens

    def _usd(self) -> float:
        return Cost.total(self.costs.values()).usd + (self.lost + self.earlier).usd

    def exhausted(self) -> str | None:
        """Return which limit is reached, or cannot be held, in words; else `None`."""
        limits = self._settings
        if self._refused is not None:
            return self._refused
        if limits.max_tokens is not None and self._tokens() >= limits.max_tokens:
            return f"{self._tokens():,} of at most {limits.max_tokens:,} tokens are used"
        if limits.max_cost_usd is not None and (why := self._spent(limits.max_cost_usd)):
            return why
        if limits.max_tokens is not None and self._is_mostly_unmeasured():
            return "most replies carry no usage, so that --max-tokens cannot hold"
        return self.overdue()

    def overdue(self) -> str | None:
        """Return that the time is up, in words; else `None`."""
        limit = self._settings.max_time_s
        elapsed = self._clock.now() - self._began
        if limit is not None and elapsed >= limit:
            return f"{elapsed:.0f} s of at most {limit:.0f} s have passed"
        return None

    def _spent(self, most: float) -> str | None:
        if self._usd() >= most:
            return f"{dollars(self._usd())} of at most {dollars(most)} are spent"
        unpriced = [
            name
            for name, cost in self.costs.items()
            if cost.unpriced and name not in self._settings.unbounded
        ]
        if unpriced:
            return f"no cost is known for replies of {unpriced[0]}, so that --max-cost cannot hold"
        if self._is_mostly_unmeasured():
            return "most replies carry no usage, so that --max-cost cannot hold"
        return None

    def _is_mostly_unmeasured(self) -> bool:
        without = self.usage.unmeasured_requests
        return without > MOST_UNMEASURED and 2 * without > self.usage.requests


class Meter:
    """Counts the model calls of one trial from the moment at which they are sent."""

    def __init__(
        self, budget: Budget, configuration: str, max_output_tokens: int | None, price: Price | None
    ) -> None:
        self._budget = budget
        self._configuration = configuration
        self._max_output_tokens = max_output_tokens
        self._price = price
        self._used = CallBound(0, 0.0)

    async def sending(self, request_bytes: int) -> None:
        """Set aside what a request may consume; one before it that brought no reply is lost.

        Raises:
            RunOverError: If the limits of the run do not bear it.
        """
        self._budget.release(self, lost=True)
        bound = CallBound.of(request_bytes, self._max_output_tokens or 0, self._price)
        await self._budget.reserve(self, bound)

    def refused(self) -> None:
        """Note that the request was answered by an error, which no provider charges."""
        self._budget.release(self)

    def replied(self, usage: Usage) -> None:
        """Note what a call consumed; one that was replayed was not sent and consumed nothing."""
        is_measured = not usage.unmeasured_requests
        if self._budget.release(self, lost=not is_measured):
            self.told(usage)

    def told(self, usage: Usage) -> None:
        """Note what was consumed, or what an agent of the user's own says that it consumed."""
        self._budget.add(self._configuration, usage)
        usd = call_cost(usage, self._price).usd
        self._used += CallBound(usage.input_tokens + usage.output_tokens, usd)

    def close(self, *, is_kept: bool = True) -> None:
        """Note that the trial is over, and whether it has a record; a call without a reply is lost."""
        self._budget.release(self, lost=True)
        if not is_kept:
            self._budget.dropped += self._used


class MeteredTransport(httpx2.AsyncBaseTransport):
    """Lets requests to a model go out when the run's budget bears them."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, meter: Meter, waits: Waits) -> None:
        """Take the way to the network, and who counts what goes out."""
        self._inner = inner
        self._meter = meter
        self._waits = waits

    @override
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        with self._waits.held():
            await self._meter.sending(len(body))
        try:
            response = await self._inner.handle_async_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            self._meter.refused()
            raise
        if response.status_code >= 400:
            self._meter.refused()
        return response


def dollars(usd: float) -> str:
    """Return an amount with as many decimals as it takes to see it.

    >>> dollars(12.5), dollars(0.0206), dollars(0.000034)
    ('$12.50', '$0.0206', '$0.000034')
    """
    if usd >= 1 or not usd:
        return f"${usd:,.2f}"
    return f"${usd:.4f}" if usd >= 0.001 else f"${usd:.6f}"
