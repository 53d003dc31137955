"""Run one question with one's own model, without experiment, dataset or cassettes."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx

from research_eval.agent import AgentOutcome, EventLog, Observer
from research_eval.clock import SystemClock
from research_eval.experiment import Configuration
from research_eval.model import ModelClient, ModelSettings
from research_eval.runner.build import build_agent
from research_eval.runner.channels import Network
from research_eval.secret import PlaceholderSecrets, read_secrets
from research_eval.tool.search import SearchSettings
from research_eval.world import WorldTransport, serve_world

__all__ = ["research"]

DEFAULT = Configuration(
    name="single",
    model=ModelSettings(),
    search=SearchSettings.model_validate({"chain": ["serper"]}),
)


async def research(
    question: str,
    model: ModelClient,
    *,
    configuration: Configuration = DEFAULT,
    world: bool = False,
    observers: tuple[Observer, ...] = (),
) -> AgentOutcome:
    """Let an agent with `model` answer `question` and put its answer to the gate.

    Args:
        question: What to ask.
        model: Anything that continues a conversation; it takes the configuration's model's place.
        configuration: Settings of agent, gate, search and fetch; by default one search provider,
            Serper, whose key is read from SERPER_API_KEY.
        world: Whether the bundled web, served on 127.0.0.1, stands in for the internet; then no key
            is needed.
        observers: Are told of each event as it happens.

    Raises:
        UsageError: If a part of the configuration does not exist.
    """
    with _way_out(world=world) as (network, secrets):
        search = httpx.AsyncClient(transport=network.search(), trust_env=False, timeout=30.0)
        fetch = httpx.AsyncClient(
            transport=network.fetch(configuration), trust_env=False, timeout=30.0
        )
        clock = SystemClock()
        async with search, fetch:
            agent = build_agent(
                configuration,
                model=model,
                clients=(search, fetch),
                secrets=secrets,
                log=EventLog(clock, observers),
                clock=clock,
                seed="single",
            )
            try:
                return await agent.run(question)
            finally:
                await network.aclose()


@contextmanager
def _way_out(*, world: bool) -> Iterator[tuple[Network, Mapping[str, str]]]:
    if not world:
        yield Network(None), read_secrets()
        return
    with serve_world() as server:
        yield Network(WorldTransport(server.base_url)), PlaceholderSecrets()
