"""A model's list price: settings in, dollars for a million tokens out; from a package, no network."""

from datetime import UTC, date, datetime, time
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from research_eval.model.settings import ModelSettings
from research_eval.schema import Price, PriceStep

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice

__all__ = ["list_price", "reports_cost"]

LISTED_AS = {"openai-responses": "openai", "bedrock": "aws"}
"""Providers that the list calls otherwise."""

OWN_MACHINE = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})  # noqa: S104  # names, no bind


def list_price(model: ModelSettings, on: date) -> Price | None:
    """Return what the price list of the package genai-prices says of `model` on a day.

    `None` if the list does not know it; a model on the own machine is on no list.
    """
    provider, _, name = model.name.partition(":")
    if model.is_reference_agent or provider == "ollama" or _is_own(model.base_url):
        return None
    found = _look_up(name, provider, model.base_url)
    if found is None:
        return None
    prices = found.get_prices(datetime.combine(on, time(12), UTC))
    source = f"genai-prices {version('genai-prices')}, {found.id}, {on.isoformat()}"
    return _as_price(prices, source)


def reports_cost(model: ModelSettings) -> bool:
    """Return whether the provider says with each reply what it cost."""
    return model.name.startswith("openrouter:") and model.base_url is None


def _is_own(base_url: str | None) -> bool:
    return base_url is not None and (urlsplit(base_url).hostname or "") in OWN_MACHINE


def _look_up(name: str, provider: str, base_url: str | None) -> "ModelInfo | None":
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415  # a large table

    listed = None if base_url else LISTED_AS.get(provider, provider)
    try:
        return get_snapshot().find_provider_model(name, None, listed, base_url)[1]
    except LookupError:
        return None


def _as_price(prices: "ModelPrice", source: str) -> Price | None:
    """Return the list's entry in our terms; what is no price of text tokens is left out."""
    kinds = {
        "input": prices.input_mtok,
        "output": prices.output_mtok,
        "cache_read": prices.cache_read_mtok,
        "cache_write": prices.cache_write_mtok,
    }
    if kinds["input"] is None or kinds["output"] is None:
        return None
    starts = sorted({start for kind in kinds.values() for start in _starts(kind)})
    thousand = _at(prices.requests_kcount, 0) or 0.0
    return Price(
        **{name: _at(kind, 0) for name, kind in kinds.items()},
        call=thousand / 1000,
        steps=tuple(
            PriceStep(above=above, **{name: _at(kind, above + 1) for name, kind in kinds.items()})
            for above in starts
        ),
        source=source,
    )


def _starts(price: Any) -> list[int]:  # noqa: ANN401  # a number or a table
    return [tier.start for tier in getattr(price, "tiers", ())]


def _at(price: Any, input_tokens: int) -> float | None:  # noqa: ANN401  # a number or a table
    """Return the price that holds for a call with so many input tokens."""
    if price is None:
        return None
    if not hasattr(price, "tiers"):
        return float(price)
    valid = [price.base, *(tier.price for tier in price.tiers if input_tokens > tier.start)]
    return float(valid[-1])
