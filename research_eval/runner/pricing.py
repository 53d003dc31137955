"""What a run's model calls cost: the prices that its manifest holds, and whether a limit can hold."""

from collections.abc import Iterable
from datetime import UTC, date, datetime

from research_eval.errors import ConfigError
from research_eval.experiment import Configuration
from research_eval.model import list_price
from research_eval.runner.options import RunOptions
from research_eval.schema import Price, RunRecord

__all__ = ["price_of", "prices_of", "require_bounds", "today", "unpriced"]

FREE = Price(input=0, output=0, source="a script")
"""Of reference agents, which ask nobody."""


def prices_of(manifest: RunRecord) -> dict[str, Price | None]:
    """Return what a call costs by configuration; `None` where it costs and no price is known."""
    return {
        item.name: FREE if item.is_reference_agent else item.price
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


def require_bounds(
    configurations: Iterable[Configuration], manifest: RunRecord, options: RunOptions
) -> None:
    """Refuse a limit that could not hold, before the first call.

    Raises:
        ConfigError: If nothing bounds what a call of a model that is asked may consume, and the
            configuration is not allowed to do so by name.
    """
    budget = options.budget
    if not budget.limits_calls or options.model_mode == "replay":
        return
    known = {item.name for item in configurations}
    for name in budget.unbounded:
        if name not in known:
            names = ", ".join(sorted(known))
            raise ConfigError(f"--allow-unbounded {name}: no such configuration; known: {names}")
    without_price = unpriced(configurations, manifest) if budget.max_cost_usd is not None else []
    for item in configurations:
        if item.model.is_reference_agent or item.name in budget.unbounded:
            continue
        limit = "--max-cost" if budget.max_cost_usd is not None else "--max-tokens"
        or_else = f"or allow its calls with --allow-unbounded {item.name}"
        if item.agent.is_custom:
            raise ConfigError(
                f"{limit} cannot hold: configuration {item.name} is an agent of your own, whose "
                f"calls nothing bounds; {or_else.removeprefix('or ')}"
            )
        if item in without_price:
            raise ConfigError(
                f"{limit} cannot hold: no price is known for {item.model.name} of configuration "
                f"{item.name}; give it price = {{ input = …, output = … }}, US dollars for a "
                f"million tokens, {or_else}"
            )
        if item.model.max_tokens is None:
            raise ConfigError(
                f"{limit} cannot hold: nothing bounds a reply of {item.model.name} of configuration "
                f"{item.name}; give its model max_tokens = …, {or_else}"
            )
