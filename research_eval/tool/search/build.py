"""From settings to the chain of providers that a trial searches with."""

import random
from collections.abc import Callable, Mapping, MutableMapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import httpx
from pydantic import Field, field_validator

from research_eval.clock import Clock
from research_eval.errors import ConfigError
from research_eval.plugin import fault_of, is_shutdown, load_plugin
from research_eval.schema import Record
from research_eval.secret import declare_secrets
from research_eval.tool.search.bing import BingWire
from research_eval.tool.search.brave import BraveWire
from research_eval.tool.search.breaker import BreakerState
from research_eval.tool.search.duckduckgo import DuckDuckGoWire
from research_eval.tool.search.exa import ExaWire
from research_eval.tool.search.fallback import FallbackSearchProvider
from research_eval.tool.search.firecrawl import FirecrawlWire
from research_eval.tool.search.google import GoogleWire
from research_eval.tool.search.jina import JinaWire
from research_eval.tool.search.limiter import TokenBucket
from research_eval.tool.search.listed import ListedWire
from research_eval.tool.search.outage import SearchOutages
from research_eval.tool.search.perplexity import PerplexityWire
from research_eval.tool.search.plugged import PluggedProvider
from research_eval.tool.search.protocol import SearchProvider
from research_eval.tool.search.remote import RemoteSearchProvider
from research_eval.tool.search.resilience import ResilienceSettings
from research_eval.tool.search.resilient import ResilientSearchProvider
from research_eval.tool.search.searxng import SearxngWire
from research_eval.tool.search.serpapi import SerpApiWire
from research_eval.tool.search.serper import SerperWire
from research_eval.tool.search.tavily import TavilyWire
from research_eval.tool.search.unconfigured import UnconfiguredSearchProvider
from research_eval.tool.search.wire import WireFormat
from research_eval.waiting import Waits

if TYPE_CHECKING:
    from research_eval.tool.search.corpus import Corpus

__all__ = [
    "WIRES",
    "ProviderSettings",
    "SearchSettings",
    "build_search",
    "chain_scope",
    "check_chain",
    "corpus_transport",
    "has_corpus",
    "missing_secrets",
    "needs_key",
    "recording_notes",
    "retired_notes",
    "search_addresses",
]

WIRES: dict[str, WireFormat] = {
    wire.details.name: wire
    for wire in (
        SerperWire(),
        BraveWire(),
        TavilyWire(),
        ExaWire(),
        PerplexityWire(),
        FirecrawlWire(),
        JinaWire(),
        SerpApiWire(),
        GoogleWire(),
        BingWire(),
        SearxngWire(),
        DuckDuckGoWire(),
    )
}
"""The search APIs that come with the project, by name."""

CORPUS = "corpus:"
"""What the name of a local collection begins with; its path follows."""

_TERMS: Mapping[str, str] = {
    "brave": "some read Brave's terms as forbidding to keep search results; "
    "read them before you share this recording",
}

OnBreaker = Callable[[str, float, BreakerState], None]
"""Is told which provider's breaker turned, when, and to what."""


class ProviderSettings(Record):
    """One provider of a chain; a bare name in a file means this with nothing but `provider`."""

    provider: str
    """`serper`, `brave`, …; `corpus:FOLDER`; an entry point; or `package.module:name`."""
    endpoint: str | None = None
    """Where requests go instead of the API's own address."""
    key_name: str | None = None
    """The name of the secret that holds the key, instead of the usual one."""
    timeout_s: float = Field(default=10.0, gt=0)
    """Seconds after which a request whose answer is not whole is given up."""
    extra: dict[str, Any] = Field(default={})
    """Parameters to pass to the API as they are, for instance `{gl = "de", hl = "de"}`; of a
    collection: `base_url` for documents without an address, `index` for a file to keep the index."""
    resilience: ResilienceSettings | None = None
    """Instead of the chain's."""
    price_usd: float = Field(default=0.0, ge=0)
    """What one request costs, US dollars; for the failover laboratory's sums."""

    @field_validator("key_name")
    @classmethod
    def _holds_a_key(cls, name: str | None) -> str | None:
        declare_secrets([name] if name else [])
        return name


class SearchSettings(Record):
    """The chain of search providers, in the order in which they are asked."""

    chain: tuple[ProviderSettings, ...] = ()
    """No provider means no `web_search` tool."""
    resilience: ResilienceSettings = ResilienceSettings()
    """How each provider is protected, unless it says otherwise."""

    @field_validator(
        "chain", mode="before", json_schema_input_type=str | tuple[ProviderSettings | str, ...]
    )
    @classmethod
    def _name_is_enough(cls, value: object) -> object:
        entries = [value] if isinstance(value, str) else value
        if not isinstance(entries, list | tuple):
            return entries
        return [{"provider": entry} if isinstance(entry, str) else entry for entry in entries]

    @property
    def summary(self) -> str:
        """The chain in words, for instance `serper > brave`."""
        return " > ".join(entry.provider.partition(":")[0] for entry in self.chain)


def build_search(
    settings: SearchSettings,
    *,
    http: httpx.AsyncClient,
    clock: Clock,
    secrets: Mapping[str, str],
    rng: random.Random,
    on_breaker: OnBreaker | None = None,
    base: Path | None = None,
    limits: MutableMapping[str, TokenBucket] | None = None,
    waits: Waits | None = None,
    outages: SearchOutages | None = None,
) -> SearchProvider | None:
    """Return the chain, ready to be asked; `None` where it is empty.

    Args:
        settings: The chain.
        http: Its transport decides whether this is replay or the network.
        clock: For limits, back-off, breakers and latency.
        secrets: Keys by name; a provider whose key is missing refuses instead of asking.
        rng: The chance in back-offs.
        on_breaker: Is told of every turn of a breaker.
        base: The folder to which the path of a `corpus:` is relative.
        limits: Rate limits that trials on the system's clock share, by provider; filled as needed.
        waits: Is told when the trial is held back, and which provider is waited for.
        outages: Is told which provider refused the key or the quota.

    Raises:
        ConfigError: If a provider is unknown, or a collection cannot be read.
    """
    check_chain(settings)
    bare = [
        _corpus(entry, base)
        if entry.provider.startswith(CORPUS)
        else _provider(entry, http, clock, secrets)
        for entry in settings.chain
    ]
    can_serve = [not isinstance(provider, UnconfiguredSearchProvider) for provider in bare]
    providers: list[SearchProvider] = []
    for place, (entry, provider) in enumerate(zip(settings.chain, bare, strict=True)):
        if entry.provider.startswith(CORPUS) or not can_serve[place]:
            providers.append(provider)
            continue
        resilience = entry.resilience or settings.resilience
        bucket = None
        if limits is not None and not clock.is_virtual:
            bucket = limits.setdefault(provider.name, resilience.bucket(clock))
        providers.append(
            ResilientSearchProvider(
                provider,
                resilience,
                clock=clock,
                rng=rng,
                on_breaker=_listener(provider.name, on_breaker),
                bucket=bucket,
                waits=waits,
                on_failure=partial(outages.note, provider.name) if outages else None,
                has_fallback=any(can_serve[place + 1 :]),
            )
        )
    return FallbackSearchProvider(providers, clock=clock, waits=waits) if providers else None


def chain_scope(settings: SearchSettings) -> str:
    """Return what tells a chain's access to its providers from another's."""
    entries = (
        f"{entry.provider} at {entry.endpoint or 'its address'} with {entry.key_name or 'its key'}"
        for entry in settings.chain
    )
    return f"searches by {' > '.join(entries)}"


def has_corpus(settings: SearchSettings) -> bool:
    """Return whether a local collection is in the chain; it is then the web that pages come from."""
    return any(entry.provider.startswith(CORPUS) for entry in settings.chain)


def corpus_transport(settings: SearchSettings, base: Path | None) -> httpx.AsyncBaseTransport:
    """Return what answers fetches out of the chain's first local collection.

    Raises:
        ConfigError: If the collection cannot be read.
    """
    from research_eval.tool.search.corpus import CorpusTransport  # noqa: PLC0415  # see below

    entry = next(entry for entry in settings.chain if entry.provider.startswith(CORPUS))
    return CorpusTransport(_collection(entry, base))


def _corpus(entry: ProviderSettings, base: Path | None) -> SearchProvider:
    from research_eval.tool.search.corpus import (  # noqa: PLC0415  # brings parsers with it
        CorpusSearchProvider,
    )

    return CorpusSearchProvider(_collection(entry, base))


def _collection(entry: ProviderSettings, base: Path | None) -> "Corpus":
    from research_eval.tool.search.corpus import open_corpus  # noqa: PLC0415  # see above

    folder = Path(entry.provider.removeprefix(CORPUS))
    index = entry.extra.get("index")
    return open_corpus(
        (base or Path()) / folder,
        base_url=str(entry.extra.get("base_url", "https://corpus.invalid/")),
        index_file=None if index is None else (base or Path()) / str(index),
    )


def recording_notes(settings: SearchSettings) -> tuple[str, ...]:
    """Return what whoever records this chain should know about the providers' terms."""
    return tuple(note for entry in settings.chain if (note := _TERMS.get(entry.provider)))


def needs_key(entry: ProviderSettings) -> bool:
    """Return whether a provider is asked with a key."""
    return _secret_name(entry) is not None


def retired_notes(settings: SearchSettings) -> tuple[str, ...]:
    """Return a line for each provider of the chain that is closed and stands at its own address."""
    return tuple(
        f"search provider {entry.provider!r}: {WIRES[entry.provider].details.retired}"
        for entry in settings.chain
        if entry.endpoint is None
        and entry.provider in WIRES
        and WIRES[entry.provider].details.retired
    )


def search_addresses(settings: SearchSettings) -> tuple[str, ...]:
    """Return where the chain's search APIs stand, as far as their addresses are known."""
    found = []
    for entry in settings.chain:
        wire = None if entry.provider.startswith(CORPUS) else _wire_of(entry)
        found.append(entry.endpoint or (wire.details.endpoint if wire is not None else ""))
    return tuple(dict.fromkeys(filter(None, found)))


def missing_secrets(settings: SearchSettings, secrets: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the keys that the chain needs and `secrets` does not hold."""
    needed = (_secret_name(entry) for entry in settings.chain)
    return tuple(dict.fromkeys(name for name in needed if name and not secrets.get(name)))


def check_chain(settings: SearchSettings) -> None:
    """Refuse a chain that could never be asked.

    Raises:
        ConfigError: If a provider is unknown, or has no address.
    """
    for entry in settings.chain:
        if entry.provider.startswith(CORPUS):
            continue
        wire = _wire_of(entry)
        if wire is not None and not (entry.endpoint or wire.details.endpoint):
            raise ConfigError(f"search provider {entry.provider!r} needs an `endpoint`")


def _wire_of(entry: ProviderSettings) -> WireFormat | None:
    """Return how the provider's API is asked and read; `None` where the user's code does that itself.

    Raises:
        ConfigError: If there is no such provider.
    """
    if entry.provider in WIRES:
        return WIRES[entry.provider]
    found = load_plugin("search", entry.provider, WIRES)
    return found() if isinstance(found, type) and issubclass(found, ListedWire) else None


def _provider(
    entry: ProviderSettings,
    http: httpx.AsyncClient,
    clock: Clock,
    secrets: Mapping[str, str],
) -> SearchProvider:
    wire = _wire_of(entry)
    if wire is None:
        return PluggedProvider(_plugged_in(entry, http, clock, secrets), entry=entry.provider)
    name = entry.key_name or wire.details.key_name
    key = secrets.get(name, "") if name else ""
    if name and not key:
        return UnconfiguredSearchProvider(wire.details.name, f"no key in {name}")
    remote = RemoteSearchProvider(
        wire,
        http=http,
        clock=clock,
        key=key,
        endpoint=entry.endpoint,
        timeout_s=entry.timeout_s,
        extra=entry.extra,
    )
    is_custom = entry.provider not in WIRES
    return PluggedProvider(remote, entry=entry.provider) if is_custom else remote


def _plugged_in(
    entry: ProviderSettings,
    http: httpx.AsyncClient,
    clock: Clock,
    secrets: Mapping[str, str],
) -> SearchProvider:
    factory = load_plugin("search", entry.provider, WIRES)
    if not callable(factory):
        raise ConfigError(f"search provider {entry.provider!r} is not callable")
    try:
        made = factory(settings=entry, http=http, clock=clock, secrets=secrets)
    except BaseException as exc:
        if is_shutdown(exc):
            raise
        raise ConfigError(f"search provider {entry.provider!r}: {fault_of(exc)}") from exc
    return cast("SearchProvider", made)


def _secret_name(entry: ProviderSettings) -> str | None:
    if entry.key_name is not None or entry.provider.startswith(CORPUS):
        return entry.key_name
    wire = _wire_of(entry)
    name = None if wire is None else wire.details.key_name
    declare_secrets([name] if name else [])
    return name


def _listener(
    name: str, on_breaker: OnBreaker | None
) -> Callable[[float, BreakerState], None] | None:
    if on_breaker is None:
        return None
    told = on_breaker
    return lambda now, state: told(name, now, state)
