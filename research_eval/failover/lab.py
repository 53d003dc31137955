"""Run a scenario: real providers of the chain over servers of the laboratory, on virtual time."""

import asyncio
import random
from collections import Counter

import httpx
from typing_extensions import override

from research_eval.clock import EventClock, run_on_event_clock
from research_eval.failover.answer import ask_agent
from research_eval.failover.load import Arrival, arrivals
from research_eval.failover.scenario import Scenario
from research_eval.failover.server import LabServers, host_of, query_of
from research_eval.failover.trace import LabTrace, RequestSent, SearchDone, Turn
from research_eval.fault import FaultTransport
from research_eval.tool.search import (
    WIRES,
    SearchError,
    SearchProvider,
    SearchSettings,
    build_search,
)
from research_eval.tool.search.breaker import BreakerState

__all__ = ["run_scenario"]


def run_scenario(
    scenario: Scenario, settings: SearchSettings, *, variant: str = "default", is_calm: bool = False
) -> LabTrace:
    """Run the scenario's load through the chain that `settings` describe.

    Args:
        scenario: Load, faults, servers.
        settings: The chain.
        variant: What the result is called.
        is_calm: Whether to leave the faults out, for comparison.
    """
    return run_on_event_clock(lambda clock: _Lab(scenario, settings, variant, clock, is_calm).run())


class _Client(httpx.AsyncClient):
    """A client that hands requests straight to its transport: no cookies, redirects, log lines."""

    def __init__(self, transport: httpx.AsyncBaseTransport) -> None:
        super().__init__(transport=transport)
        self._straight = transport

    @override
    async def send(self, request: httpx.Request, **_: object) -> httpx.Response:
        return await self._straight.handle_async_request(request)


class _Counted(httpx.AsyncBaseTransport):
    """Notes every request that a client sends."""

    def __init__(self, inner: httpx.AsyncBaseTransport, lab: "_Lab") -> None:
        self._inner = inner
        self._lab = lab

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._lab.sent(request)
        return await self._inner.handle_async_request(request)


class _Lab:
    def __init__(
        self,
        scenario: Scenario,
        settings: SearchSettings,
        variant: str,
        clock: EventClock,
        is_calm: bool,
    ) -> None:
        self.scenario = scenario
        self._variant = variant
        self._clock = clock
        self._names = {host_of(entry.provider): entry.provider for entry in scenario.provider}
        self._states: dict[str, BreakerState] = {}
        self._done: dict[int, SearchDone] = {}
        self._requests: list[RequestSent] = []
        self._turns: list[Turn] = []
        self._fault_chance = random.Random()
        self._asked: Counter[tuple[str, str]] = Counter()
        self._servers = LabServers(scenario.provider, clock=clock, rng=self._chance("servers"))
        faulty = FaultTransport(
            self._servers,
            () if is_calm else scenario.fault,
            channel="search",
            clock=clock,
            rng=self._fault_chance,
        )
        self._http = _Client(_Counted(faulty, self))
        self._chain = self._built(settings)

    def _chance(self, what: str) -> random.Random:
        return random.Random(f"{self.scenario.seed}/{self.scenario.name}/{what}")

    def _built(self, settings: SearchSettings) -> SearchProvider:
        secrets = {wire.details.key_name: "key" for wire in WIRES.values() if wire.details.key_name}
        chain = build_search(
            settings,
            http=self._http,
            clock=self._clock,
            secrets=secrets,
            rng=self._chance("backoff"),
            on_breaker=self._turned,
        )
        if chain is None:
            raise AssertionError("a scenario has at least one provider")
        return chain

    async def run(self) -> LabTrace:
        """Let every search come at its time, and wait for the last to end."""
        load = self.scenario.load
        coming = arrivals(load, self._chance("load"))
        async with self._http, asyncio.TaskGroup() as group:
            questions = [
                group.create_task(self._question(number)) for number in range(load.answers)
            ]
            for number, arrival in enumerate(coming):
                await self._clock.sleep(arrival.at_s - self._clock.now())
                group.create_task(self._search(number, arrival))
        return LabTrace(
            scenario=self.scenario,
            variant=self._variant,
            searches=tuple(self._done[number] for number in range(len(coming))),
            requests=tuple(self._requests),
            turns=tuple(self._turns),
            answered=self._servers.answered,
            answers=tuple(task.result() for task in questions),
        )

    async def _search(self, number: int, arrival: Arrival) -> None:
        began = self._clock.now()
        served_by = None
        try:
            reply = await self._chain.search(arrival.query, 5)
        except SearchError as exc:
            tries = exc.tries
        else:
            tries, served_by = reply.tries, reply.served_by
        took = round(self._clock.now() - began, 6)
        self._done[number] = SearchDone(began, took, arrival.query, served_by, tries)

    async def _question(self, number: int) -> str:
        load = self.scenario.load
        await self._clock.sleep((number + 0.5) * load.over_s / load.answers)
        return await ask_agent(f"What is question {number}?", self._chain, self._clock)

    def sent(self, request: httpx.Request) -> None:
        """Note a request, and let the same chance meet it under every variant."""
        host, query = request.url.host, query_of(request)
        self._asked[host, query] += 1
        number = self._asked[host, query]
        self._fault_chance.seed(f"{self.scenario.seed}/{host}/{query}/{number}")
        name = self._names[host]
        state = self._states.get(name, "closed")
        self._requests.append(RequestSent(self._clock.now(), name, state))

    def _turned(self, provider: str, now: float, state: BreakerState) -> None:
        self._states[provider] = state
        self._turns.append(Turn(now, provider, state))
