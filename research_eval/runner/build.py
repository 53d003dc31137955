"""From settings to live objects: the only place that constructs the parts of a trial."""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import httpx
import httpx2

from research_eval.agent import (
    CustomAgent,
    EventLog,
    Observer,
    ResearchAgent,
    Surroundings,
    open_driver,
)
from research_eval.cassette import Redactor, Session
from research_eval.clock import Clock
from research_eval.experiment import Configuration, ExperimentSettings
from research_eval.fault import Channel, FaultTransport
from research_eval.gate import load_gate
from research_eval.ledger import SourceRegistry
from research_eval.model import (
    ClosableModel,
    ModelClient,
    ProviderPolicy,
    build_model,
    provider_key,
)
from research_eval.provider_outage import ProviderOutages
from research_eval.runner.budget import Meter, MeteredTransport
from research_eval.runner.channels import Channels
from research_eval.schema import TrialKey
from research_eval.secret import known_secrets
from research_eval.tool.fetch import FetchTool, Politeness
from research_eval.tool.kit import ToolKit
from research_eval.tool.search import SearchOutages, WebSearchTool, build_search, chain_scope
from research_eval.tool.search.limiter import TokenBucket
from research_eval.waiting import Waits

__all__ = ["LiveTrial", "build_agent", "build_trial"]


class LiveTrial(NamedTuple):
    """The parts of one trial, ready to run."""

    agent: ResearchAgent | CustomAgent
    sessions: tuple[Session, Session]
    """Of the web and of the model."""
    clients: tuple[httpx.AsyncClient, ...]
    model: ClosableModel | None
    """A model that holds connections."""

    async def aclose(self) -> None:
        """Close the clients and the sessions."""
        for client in self.clients:
            await client.aclose()
        if self.model is not None:
            await self.model.aclose()
        for session in self.sessions:
            session.close()


def build_trial(
    key: TrialKey,
    experiment: ExperimentSettings,
    configuration: Configuration,
    channels: Channels,
    observers: tuple[Observer, ...] = (),
    meter: Meter | None = None,
) -> LiveTrial:
    """Construct one trial; nothing of it is shared with another but the cassettes.

    Args:
        key: Which trial.
        experiment: The settings that all configurations share.
        configuration: The settings of its parts.
        channels: Recordings, keys and connections.
        observers: Are told of every event.
        meter: Counts what goes out to the model; `None` counts nothing.

    Raises:
        UsageError: If a key is missing or a part does not exist.
    """
    clock = channels.clock()
    waits = Waits(clock)
    seed = f"{experiment.seed}/{key.configuration}/{key.case_id}/{key.trial}"
    web = channels.web.session(key, clock)
    model = channels.models[configuration.name].session(key, clock)
    network = channels.network if channels.web_mode != "replay" else None
    search_client = _client(
        "search", web.transport(network.search() if network else None), configuration, clock, seed
    )
    fetch_client = _client(
        "fetch",
        channels.collection(configuration)
        or web.transport(network.fetch(configuration) if network else None),
        configuration,
        clock,
        seed,
    )
    parts = _Parts(
        configuration,
        clients=(search_client, fetch_client),
        secrets=channels.web_secrets,
        log=EventLog(clock, observers, scrub=channels.scrub),
        clock=clock,
        seed=seed,
        politeness=network.politeness(configuration) if network else None,
        base=channels.base,
        search_limits=channels.search_limits,
        waits=waits,
        outages=channels.outages if channels.web_mode != "replay" else None,
    )
    sessions, clients = (web, model), (search_client, fetch_client)
    if configuration.agent.is_custom:
        return LiveTrial(_custom_agent(parts, key, channels, model), sessions, clients, None)
    language_model = build_model(
        configuration.model,
        transport=_model_transport(
            model, configuration, channels, clock, seed, waits=waits, meter=meter
        ),
        secrets=channels.model_secrets,
        clock=clock,
        rng=random.Random(f"{seed}/model"),
        case_seed=f"{experiment.seed}/{key.case_id}/{key.trial}",
        limiter=channels.limiters.get(configuration.model) if channels.limiters else None,
        waits=waits,
        provider_policy=_provider_policy(experiment, configuration, channels),
    )
    closable = language_model if isinstance(language_model, ClosableModel) else None
    return LiveTrial(parts.agent(language_model), sessions, clients, closable)


def build_agent(
    configuration: Configuration,
    *,
    model: ModelClient,
    clients: tuple[httpx.AsyncClient, httpx.AsyncClient],
    secrets: Mapping[str, str],
    log: EventLog,
    clock: Clock,
    seed: str,
    politeness: Politeness | None = None,
    base: Path | None = None,
    search_limits: dict[str, TokenBucket] | None = None,
    waits: Waits | None = None,
    outages: ProviderOutages | None = None,
) -> ResearchAgent:
    """Put an agent together; its tools and its gate share one ledger.

    Args:
        configuration: The settings of all its parts.
        model: The model, which need not be the configuration's.
        clients: What searches, and what fetches.
        secrets: Keys of the search APIs.
        log: Where its events go.
        clock: What it waits on.
        seed: Where chance comes from.
        politeness: What is known of when each host may be asked again; `None` starts afresh.
        base: The folder to which the path of a `corpus:` is relative.
        search_limits: Rate limits that agents share, by search provider.
        waits: What the trial waits for, shared with `model`.
        outages: What agents learn together of providers that serve no more.
    """
    return _Parts(
        configuration,
        clients=clients,
        secrets=secrets,
        log=log,
        clock=clock,
        seed=seed,
        politeness=politeness,
        base=base,
        search_limits=search_limits,
        waits=waits,
        outages=outages,
    ).agent(model)


class _Parts:
    """Tools and gate round one ledger: what any agent of a trial works with."""

    def __init__(
        self,
        configuration: Configuration,
        *,
        clients: tuple[httpx.AsyncClient, httpx.AsyncClient],
        secrets: Mapping[str, str],
        log: EventLog,
        clock: Clock,
        seed: str,
        politeness: Politeness | None,
        base: Path | None,
        search_limits: dict[str, TokenBucket] | None,
        waits: Waits | None,
        outages: ProviderOutages | None,
    ) -> None:
        search_client, fetch_client = clients
        self.configuration = configuration
        self.log, self.clock = log, clock
        self.ledger = SourceRegistry()
        self.gate = load_gate(configuration.gate)
        self.waits = waits or Waits(clock)
        refused = SearchOutages(
            configuration.search.summary, chain_scope(configuration.search), outages
        )
        provider = build_search(
            configuration.search,
            http=search_client,
            clock=clock,
            secrets=secrets,
            rng=random.Random(f"{seed}/search"),
            base=base,
            limits=search_limits,
            waits=self.waits,
            outages=refused,
        )
        self.kit = ToolKit(
            fetch=FetchTool(
                configuration.fetch,
                http=fetch_client,
                ledger=self.ledger,
                clock=clock,
                emit=log.emit,
                politeness=politeness,
                waits=self.waits,
            ),
            search=None
            if provider is None
            else WebSearchTool(
                provider, ledger=self.ledger, clock=clock, emit=log.emit, outages=refused
            ),
        )

    def agent(self, model: ModelClient) -> ResearchAgent:
        """Return the built-in agent over `model`."""
        return ResearchAgent(
            self.configuration.agent,
            model=model,
            kit=self.kit,
            ledger=self.ledger,
            gate=self.gate,
            log=self.log,
            clock=self.clock,
            waits=self.waits,
        )


def _custom_agent(
    parts: _Parts, key: TrialKey, channels: Channels, session: Session
) -> CustomAgent:
    """Return the user's own agent; `session` records what it asks its model by our transport."""
    network = channels.network if channels.model_mode != "replay" else None
    around = Surroundings(
        base=channels.base,
        transport=session.transport(network.custom_agent() if network else None),
        scrub=Redactor(known_secrets()).text,
        mcp_place=channels.mcp_place,
    )
    settings = parts.configuration.agent
    return CustomAgent(
        settings,
        open_driver(settings, around),
        trial_id="/".join(map(str, key)),
        kit=parts.kit,
        ledger=parts.ledger,
        gate=parts.gate,
        log=parts.log,
        waits=parts.waits,
    )


def _provider_policy(
    experiment: ExperimentSettings, configuration: Configuration, channels: Channels
) -> ProviderPolicy:
    """Return how the model's provider is asked; what a fault rule says in its place counts for nobody else."""
    is_disturbed = any(fault.channel == "model" for fault in configuration.fault)
    is_asked = channels.model_mode != "replay" and not is_disturbed
    limits = experiment.limits.get(provider_key(configuration.model))
    return ProviderPolicy(configuration.model, limits, channels.outages if is_asked else None)


def _client(
    channel: Channel,
    transport: httpx.AsyncBaseTransport,
    configuration: Configuration,
    clock: Clock,
    seed: str,
) -> httpx.AsyncClient:
    faults = [fault for fault in configuration.fault if fault.channel == channel]
    if faults:
        rng = random.Random(f"{seed}/fault/{channel}")
        transport = FaultTransport(transport, faults, channel=channel, clock=clock, rng=rng)
    return httpx.AsyncClient(transport=transport, trust_env=False, timeout=30.0)


def _model_transport(
    session: Session,
    configuration: Configuration,
    channels: Channels,
    clock: Clock,
    seed: str,
    *,
    waits: Waits,
    meter: Meter | None,
) -> httpx2.AsyncBaseTransport | None:
    if configuration.model.is_reference_agent:
        return None
    network = channels.network if channels.model_mode != "replay" else None
    inner = network.model() if network else None
    if inner is not None and meter is not None:
        inner = MeteredTransport(inner, meter, waits)
    transport: httpx2.AsyncBaseTransport = session.transport(inner)
    faults = [fault for fault in configuration.fault if fault.channel == "model"]
    if not faults:
        return transport
    rng = random.Random(f"{seed}/fault/model")
    return FaultTransport(transport, faults, channel="model", clock=clock, rng=rng)
