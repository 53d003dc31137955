"""What model calls cost: a price list's entry and the usage of each call in, dollars out."""

from collections.abc import Iterable

from pydantic import Field

from research_eval.schema.message import Usage
from research_eval.schema.record import Record

__all__ = ["Cost", "Price", "PriceStep", "call_cost"]

MILLION = 1_000_000


class PriceStep(Record):
    """What every token of a call costs once its prompt is longer than `above`."""

    above: int = Field(ge=0)
    """Input tokens."""
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)


class Price(Record):
    """What a model costs, in US dollars for a million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    """Reasoning included."""
    cache_read: float | None = Field(default=None, ge=0)
    """Prompt tokens that came from the provider's cache; `None` is as `input`."""
    cache_write: float | None = Field(default=None, ge=0)
    """Prompt tokens that were put there; `None` is as `input`."""
    call: float = Field(default=0.0, ge=0)
    """US dollars for each call, whatever its length."""
    steps: tuple[PriceStep, ...] = ()
    """Prices of long calls, in rising order of `above`."""
    source: str = "the experiment"
    """Who says so, for instance a price list with its version."""

    def of(self, usage: Usage) -> float:
        """Return US dollars for one call.

        >>> price = Price(input=2, output=8, cache_read=0.5)
        >>> price.of(Usage(requests=1, input_tokens=1000, cache_read_tokens=400, output_tokens=50))
        0.0018
        """
        rates: Price | PriceStep = self
        for step in self.steps:
            if usage.input_tokens > step.above:
                rates = step
        read, write = usage.cache_read_tokens, usage.cache_write_tokens
        plain = max(0, usage.input_tokens - read - write)
        tokens = (
            plain * rates.input
            + read * (rates.input if rates.cache_read is None else rates.cache_read)
            + write * (rates.input if rates.cache_write is None else rates.cache_write)
            + usage.output_tokens * rates.output
        )
        return round(tokens / MILLION + self.call, 12)


class Cost(Record):
    """What calls cost, and who says so; sums add field by field with `+`."""

    usd: float = 0.0
    """US dollars of all calls whose cost is known."""
    reported: int = 0
    """Calls whose cost the provider said."""
    listed: int = 0
    """Calls at a list's price."""
    unmeasured: int = 0
    """Calls that came without usage, so that nothing can be calculated."""
    unpriced: int = 0
    """Calls of which no price is known."""

    @property
    def is_lower_bound(self) -> bool:
        """Whether the cost of some calls is unknown."""
        return self.unmeasured + self.unpriced > 0

    def __add__(self, other: "Cost") -> "Cost":
        """Return the sum of both, field by field."""
        return Cost(
            usd=self.usd + other.usd,
            reported=self.reported + other.reported,
            listed=self.listed + other.listed,
            unmeasured=self.unmeasured + other.unmeasured,
            unpriced=self.unpriced + other.unpriced,
        )

    @classmethod
    def total(cls, costs: Iterable["Cost"]) -> "Cost":
        """Return the sum of `costs`."""
        return sum(costs, cls())


def call_cost(usage: Usage, price: Price | None) -> Cost:
    """Return what one call cost: what the provider said, else what `price` makes of its usage."""
    if usage.reported_cost_usd is not None:
        return Cost(usd=usage.reported_cost_usd, reported=1)
    if price is None:
        return Cost(unpriced=1)
    if usage.unmeasured_requests:
        return Cost(unmeasured=1)
    return Cost(usd=price.of(usage), listed=1)
