"""Reference agents: scripts with known behaviour that stand in for a model, and their true values."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from research_eval.errors import ConfigError
from research_eval.hint import did_you_mean
from research_eval.model import behaviour
from research_eval.model.reading import Situation
from research_eval.schema import Message, ModelReply, ToolSpec

__all__ = ["REFERENCE_AGENTS", "KnownValues", "ReferenceAgent", "known_values", "reference_agent"]

_MIXED = re.compile(r"mixed\((0(?:\.\d+)?|1(?:\.0+)?)\)")


class KnownValues(NamedTuple):
    """What must be measured of a reference agent under the `default` gate, exactly.

    They hold where the agent can search and at least one hit of each case opens.
    """

    passes_after: int | None
    """Retries that it needs before an attempt passes; `None` is never."""
    violations: tuple[str, ...] = ()
    """What the gate finds in each attempt that it rejects."""
    fabricates: float | None = None
    """Of `mixed(p)`: the probability that an attempt is rejected; `passes_after` says nothing then."""

    def first_attempt_passed(self) -> float:
        """Return the share of trials whose first attempt passes."""
        return self.passed(0)

    def passed(self, max_retries: int) -> float:
        """Return the share of trials that are completed."""
        if self.fabricates is not None:
            return 1.0 - self.fabricates ** (max_retries + 1)
        return float(self.passes_after is not None and self.passes_after <= max_retries)

    def mean_retries(self, max_retries: int) -> float:
        """Return the mean number of retries a trial."""
        if self.fabricates is not None:
            return sum(self.fabricates**k for k in range(1, max_retries + 1))
        return float(
            max_retries if self.passes_after is None else min(self.passes_after, max_retries)
        )

    def mean_rejections(self, max_retries: int) -> float:
        """Return the mean number of rejected attempts a trial; each shows `violations`."""
        return self.mean_retries(max_retries) + 1.0 - self.passed(max_retries)


REFERENCE_AGENTS: dict[str, tuple[behaviour.Behaviour, KnownValues]] = {
    "honest": (behaviour.honest, KnownValues(0)),
    "snippet-citer": (behaviour.snippet_citation, KnownValues(None, ("search_only",))),
    "fabricator": (behaviour.fabricate, KnownValues(None, ("unknown_url",))),
    "no-citer": (behaviour.no_citation, KnownValues(None, ("no_citation",))),
    "respeller": (behaviour.respell, KnownValues(0)),
    "repairs-after-1": (behaviour.repair_after(1), KnownValues(1, ("unknown_url",))),
    "repairs-after-2": (behaviour.repair_after(2), KnownValues(2, ("unknown_url",))),
    "deletes-citations": (behaviour.delete_citations, KnownValues(1, ("unknown_url",))),
    "stubborn": (behaviour.stubborn, KnownValues(None, ("unknown_url",))),
    "launderer": (behaviour.launder, KnownValues(0)),
}
"""Name: what it does, and what must be measured; `mixed(p)` stands beside them."""


class ReferenceAgent:
    """A script behind the model's protocol; it sees what a model sees, and nothing else."""

    def __init__(self, name: str, behave: behaviour.Behaviour, *, case_seed: str) -> None:
        """Take the script called `name`; `case_seed` differs from trial to trial."""
        self.name = f"reference:{name}"
        self._behave = behave
        self._seed = case_seed
        self._seen: tuple[Message, ...] = ()
        self._asked_at = 0

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the script's next message."""
        messages = tuple(messages)
        if not self._seen or messages[: len(self._seen)] != self._seen:
            self._asked_at = len(messages) - 1
        self._seen = messages
        now = Situation(messages, tools, asked_at=self._asked_at, seed=self._seed)
        return self._behave(now).model_copy(update={"model": self.name})


def reference_agent(name: str, *, case_seed: str) -> ReferenceAgent:
    """Return the reference agent called `name`, without the prefix `reference:`.

    Raises:
        ConfigError: If there is none of that name.
    """
    behave, _ = _look_up(name)
    return ReferenceAgent(name, behave, case_seed=case_seed)


def known_values(name: str) -> KnownValues:
    """Return what must be measured of the reference agent called `name`.

    Raises:
        ConfigError: If there is none of that name.
    """
    return _look_up(name)[1]


def _look_up(name: str) -> tuple[behaviour.Behaviour, KnownValues]:
    if match := _MIXED.fullmatch(name):
        p = float(match[1])
        return behaviour.mixed(p), KnownValues(None, ("unknown_url",), fabricates=p)
    if name not in REFERENCE_AGENTS:
        known = [*REFERENCE_AGENTS, "mixed(0.25)"]
        hint = did_you_mean(name, known)
        raise ConfigError(f"unknown reference agent {name!r}{hint}; known: {', '.join(known)}")
    return REFERENCE_AGENTS[name]
