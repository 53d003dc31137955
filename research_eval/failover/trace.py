"""What happened in one run of a scenario: searches, requests, turns of the breakers, answers."""

from typing import NamedTuple

from research_eval.failover.scenario import Scenario
from research_eval.failover.server import host_of
from research_eval.fault import FaultSettings
from research_eval.schema import ProviderTry
from research_eval.tool.search.breaker import BreakerState

__all__ = ["LabTrace", "RequestSent", "SearchDone", "Turn", "outages"]


class SearchDone(NamedTuple):
    """One search of the load."""

    at_s: float
    took_s: float
    query: str
    served_by: str | None
    tries: tuple[ProviderTry, ...]

    @property
    def is_cached(self) -> bool:
        """Whether no request was made for it alone."""
        return bool(self.tries) and self.tries[-1].outcome == "cached"


class RequestSent(NamedTuple):
    """One HTTP request that went out."""

    at_s: float
    provider: str
    state: BreakerState
    """Of the provider's breaker at that moment."""


class Turn(NamedTuple):
    """One turn of a breaker."""

    at_s: float
    provider: str
    state: BreakerState


class LabTrace(NamedTuple):
    """One run of a scenario under one variant."""

    scenario: Scenario
    variant: str
    searches: tuple[SearchDone, ...]
    """In the order of their arrival."""
    requests: tuple[RequestSent, ...]
    turns: tuple[Turn, ...]
    answered: dict[str, int]
    """Requests that the servers answered with results, by provider."""
    answers: tuple[str, ...]
    """How the agent's questions ended, in the order in which they were asked."""


def outages(scenario: Scenario, provider: str) -> list[tuple[float, float]]:
    """Return from when to when rules with a window strike a provider; open ends last the load."""
    found = []
    for rule in scenario.fault:
        if rule.between_s is not None and _is_about(rule, provider):
            start, end = rule.between_s
            found.append((start, scenario.load.over_s if end is None else end))
    return found


def _is_about(rule: FaultSettings, provider: str) -> bool:
    return rule.channel == "search" and rule.is_about(host_of(provider), rule.path or "/")
