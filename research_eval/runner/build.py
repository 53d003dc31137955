"""From settings to live objects: the only place that constructs the parts of a trial."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import httpx
import httpx2

from research_eval.agent import EventLog, Observer, ResearchAgent
from research_eval.cassette import Mode, ModelCassette, Session, WebCassette
from research_eval.clock import Clock, SystemClock, VirtualClock
from research_eval.experiment import Configuration, ExperimentSettings
from research_eval.fault import Channel, FaultTransport, FaultTransport2
from research_eval.gate import load_gate
from research_eval.ledger import SourceRegistry
from research_eval.model import build_model
from research_eval.schema import TrialKey
from research_eval.tool.fetch import FetchTool, guarded_transport
from research_eval.tool.kit import ToolKit
from research_eval.tool.search import WebSearchTool, build_search

__all__ = ["Channels", "LiveTrial", "build_trial"]

WebTransport = Callable[[Configuration], httpx.AsyncBaseTransport]


@dataclass(frozen=True)
class Channels:
    """What all trials of a run share: the tapes, their modes, the keys, the way to the network."""

    web: WebCassette
    models: Mapping[str, ModelCassette]
    """By configuration."""
    model_mode: Mode
    web_mode: Mode
    secrets: Mapping[str, str]
    search_network: WebTransport | None = None
    """Carries searches to the network, where the web's mode allows it."""
    fetch_network: WebTransport | None = None
    """Carries fetches; `None` where replay has no way out."""
    real_time: bool = False
    """Whether a replay waits as long as the recording did."""

    @property
    def is_replay(self) -> bool:
        """Whether nothing can reach the network."""
        return self.model_mode == "replay" and self.web_mode == "replay"

    def clock(self) -> Clock:
        """Return a clock for one trial: virtual where everything is replayed."""
        return VirtualClock() if self.is_replay and not self.real_time else SystemClock()


class LiveTrial(NamedTuple):
    """The parts of one trial, ready to run."""

    agent: ResearchAgent
    ledger: SourceRegistry
    sessions: tuple[Session, Session]
    """Of the web and of the model."""
    clients: tuple[httpx.AsyncClient, ...]

    async def aclose(self) -> None:
        """Close the clients and the sessions."""
        for client in self.clients:
            await client.aclose()
        for session in self.sessions:
            session.close()


def build_trial(
    key: TrialKey,
    experiment: ExperimentSettings,
    configuration: Configuration,
    channels: Channels,
    observers: tuple[Observer, ...] = (),
) -> LiveTrial:
    """Construct one trial; nothing of it is shared with another but the tapes.

    Raises:
        UsageError: If a key is missing or a part does not exist.
    """
    clock = channels.clock()
    seed = f"{experiment.seed}/{key.configuration}/{key.case_id}/{key.trial}"
    log = EventLog(clock, observers)
    ledger = SourceRegistry()
    web = channels.web.session(key, clock)
    model = channels.models[configuration.name].session(key, clock)
    search_client = _client("search", web, channels.search_network, configuration, clock, seed)
    fetch_client = _client("fetch", web, channels.fetch_network, configuration, clock, seed)
    provider = build_search(
        configuration.search,
        http=search_client,
        clock=clock,
        secrets=channels.secrets,
        rng=random.Random(f"{seed}/search"),
    )
    kit = ToolKit(
        fetch=FetchTool(
            configuration.fetch, http=fetch_client, ledger=ledger, clock=clock, emit=log.emit
        ),
        search=None
        if provider is None
        else WebSearchTool(provider, ledger=ledger, clock=clock, emit=log.emit),
    )
    agent = ResearchAgent(
        configuration.agent,
        model=build_model(
            configuration.model,
            transport=_model_transport(model, configuration, channels, clock, seed),
            secrets=channels.secrets,
            clock=clock,
            rng=random.Random(f"{seed}/model"),
            case_seed=f"{experiment.seed}/{key.case_id}/{key.trial}",
        ),
        kit=kit,
        ledger=ledger,
        gate=load_gate(configuration.gate),
        log=log,
        clock=clock,
    )
    return LiveTrial(agent, ledger, (web, model), (search_client, fetch_client))


def _client(
    channel: Channel,
    session: Session,
    network: WebTransport | None,
    configuration: Configuration,
    clock: Clock,
    seed: str,
) -> httpx.AsyncClient:
    inner = None if network is None else network(configuration)
    transport = session.transport(inner)
    faults = [fault for fault in configuration.fault if fault.channel == channel]
    if faults:
        rng = random.Random(f"{seed}/fault/{channel}")
        transport = FaultTransport(transport, faults, channel=channel, clock=clock, rng=rng)
    return httpx.AsyncClient(transport=transport, trust_env=False, timeout=30.0)


def _model_transport(
    session: Session, configuration: Configuration, channels: Channels, clock: Clock, seed: str
) -> httpx2.AsyncBaseTransport | None:
    if configuration.model.is_reference_agent:
        return None
    inner = None if channels.model_mode == "replay" else httpx2.AsyncHTTPTransport()
    transport: httpx2.AsyncBaseTransport = session.transport2(inner)
    faults = [fault for fault in configuration.fault if fault.channel == "model"]
    if not faults:
        return transport
    rng = random.Random(f"{seed}/fault/model")
    return FaultTransport2(transport, faults, channel="model", clock=clock, rng=rng)


def web_networks(
    mode: Mode, world: httpx.AsyncBaseTransport | None
) -> tuple[WebTransport | None, WebTransport | None]:
    """Return the ways of searches and of fetches to the network, or to the bundled web."""
    if mode == "replay":
        return None, None
    if world is not None:
        return (lambda _: world), (lambda _: world)
    search = httpx.AsyncHTTPTransport(trust_env=False)
    return (lambda _: search), (lambda configuration: guarded_transport(configuration.fetch))
