"""What a run's model calls cost: the prices that its manifest holds, and whether a limit can hold."""

from collections.abc import Iterable
from datetime import UTC, date, datetime

from research_eval.errors import ConfigError
from research_eval.experiment import Configuration
from research_eval.model import list_price, reports_cost
from research_eval.runner.options import RunOptions
from research_eval.schema import Price, RunRecord

__all__ = ["price_of", "prices_of", "require_prices", "today", "unpriced"]

FREE = Price(input=0, output=0, source="a script")
"""Of reference agents, which ask nobody, and of replays without a price."""


def prices_of(manifest: RunRecord, *, is_replay: bool = False) -> dict[str, Price | None]:
    """Return what a call costs by configuration; `None` where it costs and no price is known."""
    return {
        item.name: FREE if item.is_reference_agent or (is_replay and not item.price) else item.price
        for item in manifest.configurations
    }


def price_of(configuration: Configuration, on: date) -> Price | None:
    """Return what its model costs: as the experiment says, else as the price list did on a day."""
    return configuration.price or list_price(configuration.model, on)


def today() -> date:
    """Return the day whose prices count."""
    return datetime.now(tz=UTC).date()


def unpriced(configurations: Iterable[Configuration], manifest: RunRecord) -> list[Configuration]:
    """Return the configurations whose calls cost what nobody can tell beforehand."""
    prices = prices_of(manifest)
    return [item for item in configurations if prices[item.name] is None]


def require_prices(
    configurations: Iterable[Configuration], manifest: RunRecord, options: RunOptions
) -> None:
    """Refuse a limit in dollars that could not hold.

    Raises:
        ConfigError: If a model that is asked has no price and its provider reports no cost.
    """
    if options.budget.max_cost_usd is None or options.model_mode == "replay":
        return
    for item in unpriced(configurations, manifest):
        if not reports_cost(item.model):
            raise ConfigError(
                f"--max-cost cannot hold: no price is known for {item.model.name} of configuration "
                f"{item.name}; give it price = {{ input = …, output = … }}, US dollars for a "
                "million tokens"
            )
