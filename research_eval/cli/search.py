"""`research-eval search`: show what the tool `web_search` gives a model, and who served it."""

import asyncio
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from httpx import AsyncBaseTransport

    from research_eval.schema import Searched
    from research_eval.tool.protocol import ToolOutcome
    from research_eval.tool.search import SearchSettings

__all__ = ["search"]


@click.command()
@click.argument("query")
@click.option(
    "--chain",
    default="",
    help="Providers in order, for instance serper,brave or corpus:FOLDER; "
    "otherwise those whose keys are in the environment.",
)
@click.option("--max-results", default=5, show_default=True, help="How many results to ask for.")
@click.option("--endpoint", help="Ask the (one) provider at this address.")
@click.option("--world", is_flag=True, help="Search the bundled web instead of the internet.")
@click.option("--json", "as_json", is_flag=True, help="Print the recorded event as JSON.")
def search(
    query: str, chain: str, max_results: int, endpoint: str | None, world: bool, as_json: bool
) -> int:
    """Search for QUERY and print what a model would read.

    Exits 1 if the search failed or found nothing.
    """
    from research_eval.cli.notice import warn_of_retired
    from research_eval.schema.display import visible

    settings = _settings(chain, endpoint, is_world=world)
    if not world:
        warn_of_retired([settings])
    outcome, event = _asked(settings, {"query": query, "max_results": max_results}, is_world=world)
    if as_json:
        shown = None if event is None else event.model_dump(mode="json")
        text = json.dumps({"text": outcome.text, "event": shown}, ensure_ascii=False, indent=2)
        click.echo(text)
    else:
        click.echo(visible(outcome.text))
        if event is not None:
            click.echo(f"\n({visible(_story(event))})", err=True)
    return 0 if outcome.ok else 1


def _settings(chain: str, endpoint: str | None, *, is_world: bool) -> "SearchSettings":
    from research_eval.errors import ConfigError, MissingSecretError
    from research_eval.secret import read_secrets
    from research_eval.tool.search import WIRES, ResilienceSettings, SearchSettings

    secrets = read_secrets()
    names = [name.strip() for name in chain.split(",") if name.strip()]
    if not names and is_world:
        names = ["serper", "brave"]
    if not names:
        alive = {name: wire.details for name, wire in WIRES.items() if not wire.details.retired}
        keyed = {name: details.key_name for name, details in alive.items()}
        names = [name for name, key in keyed.items() if key and secrets.get(key)]
        if not names:
            keys = ", ".join(key for key in keyed.values() if key)
            raise MissingSecretError(f"no search key in the environment; set one of {keys}")
    if endpoint is not None and len(names) != 1:
        raise ConfigError("--endpoint needs a --chain of one provider")
    entries: list[dict[str, Any]] = [{"provider": name} for name in names]
    if endpoint is not None:
        entries[0]["endpoint"] = endpoint
    return SearchSettings.model_validate(
        {"chain": entries, "resilience": ResilienceSettings(rate_per_s=None)}
    )


def _asked(
    settings: "SearchSettings", arguments: dict[str, object], *, is_world: bool
) -> "tuple[ToolOutcome, Searched | None]":
    import httpx

    from research_eval.clock import SystemClock
    from research_eval.ledger import SourceRegistry
    from research_eval.schema import Event, Searched
    from research_eval.secret import PlaceholderSecrets, read_secrets
    from research_eval.tool.search import WebSearchTool, build_search

    events: list[Event] = []

    async def ask(transport: httpx.AsyncBaseTransport) -> "ToolOutcome":
        clock = SystemClock()
        async with httpx.AsyncClient(transport=transport, trust_env=False) as http:
            provider = build_search(
                settings,
                http=http,
                clock=clock,
                secrets=PlaceholderSecrets() if is_world else read_secrets(),
                rng=random.Random(0),
                base=Path.cwd(),
            )
            if provider is None:
                raise AssertionError("a chain of names builds providers")
            tool = WebSearchTool(provider, ledger=SourceRegistry(), clock=clock, emit=events.append)
            return await tool(arguments)

    outcome = _through_world(ask) if is_world else asyncio.run(ask(httpx.AsyncHTTPTransport()))
    found = [event for event in events if isinstance(event, Searched)]
    return outcome, found[0] if found else None


def _through_world(
    ask: "Callable[[AsyncBaseTransport], Coroutine[Any, Any, ToolOutcome]]",
) -> "ToolOutcome":
    from research_eval.world import WorldTransport, serve_world

    with serve_world() as world:
        return asyncio.run(ask(WorldTransport(world.base_url)))


def _story(event: "Searched") -> str:
    parts = []
    for tried in event.tries:
        detail = f" {tried.error}" if tried.error else ""
        status = f" (HTTP {tried.status})" if tried.status else ""
        parts.append(f"{tried.provider}: {tried.outcome}{detail}{status}")
    return "; ".join(parts)
