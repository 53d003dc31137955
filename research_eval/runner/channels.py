"""What all trials of a run share: cassettes, keys, and the ways to the network."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import httpx
import httpx2
from typing_extensions import override

from research_eval.agent import McpPlace
from research_eval.cassette import Mode, ModelCassettes, Redactor, Refresh, WebCassettes
from research_eval.clock import Clock, SystemClock, VirtualClock
from research_eval.errors import CassetteError
from research_eval.experiment import (
    Configuration,
    Experiment,
)
from research_eval.model import LimiterPool, outage_scopes
from research_eval.provider_outage import ProviderOutage, ProviderOutages
from research_eval.runner.options import RunOptions
from research_eval.runner.way import Way, way_of
from research_eval.schema import Recordings
from research_eval.secret import PlaceholderSecrets, known_secrets, read_secrets
from research_eval.tool.fetch import (
    ConditionalTransport,
    PageCache,
    Politeness,
    guarded_transport,
)
from research_eval.tool.kit import SEARCH_TOOL_ID
from research_eval.tool.search import (
    chain_scope,
    corpus_transport,
    has_corpus,
    search_addresses,
)
from research_eval.tool.search.limiter import TokenBucket

__all__ = ["Channels", "Network", "model_cassettes", "open_channels", "secrets_of"]


@dataclass(frozen=True)
class Channels:
    """The cassettes of a run and what stands behind them; `None` where there is no way out."""

    web: WebCassettes
    models: Mapping[str, ModelCassettes]
    """By configuration."""
    model_mode: Mode
    web_mode: Mode
    web_secrets: Mapping[str, str]
    model_secrets: Mapping[str, str]
    network: "Network | None"
    base: Path
    """The experiment's folder, to which the path of a `corpus:` is relative."""
    limiters: LimiterPool | None = None
    """What trials share towards each model provider; `None` where nothing is asked."""
    search_limits: dict[str, TokenBucket] | None = None
    """The rate limits that trials share towards each search provider; `None` where none is asked."""
    outages: ProviderOutages = field(default_factory=ProviderOutages)
    """Which providers serve no more; nobody is found to refuse who is not asked."""
    collections: dict[str, httpx.AsyncBaseTransport] = field(default_factory=dict)
    """Local collections that were opened, by configuration."""
    real_time: bool = False
    mcp_place: McpPlace | None = None
    """Where an MCP client that connects by itself finds its server."""
    scrub: Callable[[str], str] = str
    """Takes known secrets out of what a live run keeps; recordings hold none."""

    @property
    def is_replay(self) -> bool:
        """Whether nothing can reach the network."""
        return self.network is None

    def clock(self) -> Clock:
        """Return a clock for one trial: virtual where everything is replayed."""
        return VirtualClock() if self.is_replay and not self.real_time else SystemClock()

    def collection(self, configuration: Configuration) -> httpx.AsyncBaseTransport | None:
        """Return the local collection that is the web of `configuration`, if it has one.

        Raises:
            ConfigError: If it cannot be read.
        """
        if not has_corpus(configuration.search):
            return None
        if configuration.name not in self.collections:
            found = corpus_transport(configuration.search, self.base)
            self.collections[configuration.name] = _Shared(found)
        return self.collections[configuration.name]

    def outage(self, configuration: Configuration) -> ProviderOutage | None:
        """Return why no trial of `configuration` can be run any more, if that is so."""
        scopes: tuple[str, ...] = outage_scopes(configuration.model)
        tools = configuration.agent.tools
        if tools is None or SEARCH_TOOL_ID in tools:
            scopes = (*scopes, chain_scope(configuration.search))
        return self.outages.find(scopes)

    def digest(self, names: Sequence[str] | None = None) -> str | None:
        """Return the SHA-256 of the recordings that are replayed; `None` where none is.

        Args:
            names: Only those of these configurations, and the web's.
        """
        if "replay" not in {self.model_mode, self.web_mode}:
            return None
        models: dict[str, str] = {}
        if self.model_mode == "replay":
            chosen = self.models if names is None else names
            models = {name: self.models[name].digest() for name in chosen}
        web = self.web.digest() if self.web_mode == "replay" else ""
        return Recordings(web=web, models=models).digest(models)

    def require_writable(self) -> None:
        """Find out before the first call whether what is recorded can be kept.

        Raises:
            CassetteWriteError: If not.
        """
        stores = [item.store for item in self.models.values() if item.mode == "record"]
        for store in [self.web.store, *stores] if self.web_mode == "record" else stores:
            store.require_writable()

    async def aclose(self) -> None:
        """Close the connections that trials shared."""
        if self.network is not None:
            await self.network.aclose()

    def close(self) -> None:
        """Close the cassettes."""
        self.web.close()
        for cassette in self.models.values():
            cassette.close()


class Network:
    """Connections that trials share, since opening a TLS context costs more than a request."""

    def __init__(self, world: httpx.AsyncBaseTransport | None, way: Way | None = None) -> None:
        self._way = way or Way()
        self._world = None if world is None else _Shared(world)
        self._search: _Shared | None = None
        self._model: _Shared2 | None = None
        self._custom_agent: _Shared | None = None
        self._fetch: dict[str, _Shared] = {}
        self._politeness: dict[str, Politeness] = {}
        self._pages = PageCache()

    def search(self) -> httpx.AsyncBaseTransport:
        """Return the way of searches: the bundled web, or the internet."""
        if self._search is None:
            self._search = self._world or _Shared(self._way.search())
        return self._search

    def fetch(self, configuration: Configuration) -> httpx.AsyncBaseTransport:
        """Return the way of fetches: the bundled web, or the internet behind the SSRF guard."""
        if self._world is not None:
            return self._world
        if configuration.name not in self._fetch:
            guarded = ConditionalTransport(guarded_transport(configuration.fetch), self._pages)
            self._fetch[configuration.name] = _Shared(guarded)
        return self._fetch[configuration.name]

    def politeness(self, configuration: Configuration) -> Politeness | None:
        """Return what trials remember together of when each host may be asked again."""
        if self._world is not None:
            return None
        return self._politeness.setdefault(
            configuration.name, Politeness(configuration.fetch, clock=SystemClock())
        )

    def model(self) -> httpx2.AsyncBaseTransport:
        """Return the way to model APIs."""
        if self._model is None:
            self._model = _Shared2(self._way.model())
        return self._model

    def custom_agent(self) -> httpx.AsyncBaseTransport:
        """Return the way to model APIs for agents of the user's own, which use httpx."""
        if self._custom_agent is None:
            self._custom_agent = _Shared(self._way.search())
        return self._custom_agent

    async def aclose(self) -> None:
        """Close every connection; what is asked for later is opened again."""
        for way in (self._search, self._custom_agent, *self._fetch.values()):
            if way is not None:
                await way.release()
        if self._model is not None:
            await self._model.release()
        self._search, self._model, self._custom_agent = None, None, None
        self._fetch.clear()


class _Shared(httpx.AsyncBaseTransport):
    """Hands requests on, and stays open when a trial closes its client."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self._inner.handle_async_request(request)

    async def release(self) -> None:
        """Close what is behind it."""
        await self._inner.aclose()


class _Shared2(httpx2.AsyncBaseTransport):
    """The same for the model SDKs' HTTP library."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    @override
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return await self._inner.handle_async_request(request)

    async def release(self) -> None:
        """Close what is behind it."""
        await self._inner.aclose()


def open_channels(
    experiment: Experiment,
    configurations: Sequence[Configuration],
    options: RunOptions,
    world: httpx.AsyncBaseTransport | None = None,
) -> Channels:
    """Open the recordings of an experiment and what its modes need beside them.

    Raises:
        UsageError: If a recording, a key or a model is missing.
    """
    redactor = Redactor(known_secrets())
    folder = experiment.cassettes_path
    names = ["web"]
    if (
        options.model_mode == "replay"
    ):  # models that ask for no page leave the web without recordings
        names += [item.name for item in configurations if not item.model.is_reference_agent]
    needs_cassettes = any(not has_corpus(item.search) for item in configurations)
    has_cassettes = any(
        (folder / f"{name}{end}").exists() for name in names for end in ("", ".pack")
    )
    if options.web_mode == "replay" and needs_cassettes and not has_cassettes:
        raise CassetteError(
            f"{folder / 'web'}: there are no recordings; make them with research-eval record "
            "(no web traffic was recorded; is search.chain set?)"
        )
    is_web_recorded = options.web_mode == "replay" or world is not None
    web_secrets, model_secrets = secrets_of(options, is_world=world is not None)
    network = experiment.settings.network
    way = None if options.is_replay else way_of(network, experiment.path.parent)
    return Channels(
        web=WebCassettes(
            folder / "web",
            mode=options.web_mode,
            redactor=redactor,
            refresh=options.refresh,
            record_command=f"research-eval record {experiment.words_on_command_line}",
            stamp=_today,
            miss="stop" if options.is_replay else "tool_error",
            ask_again=_search_addresses(configurations) if options.retry_errors else (),
        ),
        models=model_cassettes(experiment, configurations, options, redactor),
        model_mode=options.model_mode,
        web_mode=options.web_mode,
        web_secrets=web_secrets,
        model_secrets=model_secrets,
        network=None if way is None else Network(world, way),
        base=experiment.path.parent,
        limiters=None
        if options.model_mode == "replay"
        else LimiterPool(SystemClock(), experiment.settings.limits),
        search_limits=None if is_web_recorded else {},
        real_time=options.real_time,
        mcp_place=options.mcp_place,
        scrub=str if options.is_replay else redactor.text,
    )


def model_cassettes(
    experiment: Experiment,
    configurations: Sequence[Configuration],
    options: RunOptions,
    redactor: Redactor,
) -> dict[str, ModelCassettes]:
    """Return the recorded model exchanges of each configuration, by its name."""
    return {
        configuration.name: ModelCassettes(
            experiment.cassettes_path / configuration.name,
            mode="live" if configuration.model.is_reference_agent else options.model_mode,
            redactor=redactor,
            refresh=_refresh(options),
            record_command=f"research-eval record {experiment.words_on_command_line}",
            stamp=_today,
        )
        for configuration in configurations
    }


def _refresh(options: RunOptions) -> Refresh:
    """Return what recording replaces of a model's exchanges: all, where what ended in an error runs again."""
    return "all" if options.retry_errors else options.refresh


def _search_addresses(configurations: Sequence[Configuration]) -> tuple[str, ...]:
    """Return where the search APIs stand: what they refused may be granted now."""
    found = (address for item in configurations for address in search_addresses(item.search))
    return tuple(dict.fromkeys(found))


def _today() -> str:
    """Return the date of a recording, for people."""
    return datetime.now(tz=UTC).date().isoformat()


def secrets_of(
    options: RunOptions, *, is_world: bool
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the keys of the search APIs and of the models; placeholders where none is asked."""
    web = PlaceholderSecrets() if is_world or options.web_mode == "replay" else read_secrets()
    return web, PlaceholderSecrets() if options.model_mode == "replay" else read_secrets()
