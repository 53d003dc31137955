"""What a run will ask for, before it starts: calls, tokens and dollars, with what that rests on."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from research_eval.experiment import Configuration
from research_eval.journal import RunFolder
from research_eval.schema import Cost, ModelCalled, Price, Record, Usage, call_cost

__all__ = ["AssumedTrial", "Estimate", "Measured", "assumed", "estimate", "measure_pilot", "total"]


class AssumedTrial(Record):
    """What a trial is taken to need where nothing was measured."""

    calls: int = 6
    """Model calls, or as many as the settings allow, if those are fewer."""
    first_prompt_tokens: int = 1000
    """Instructions, tools and question."""
    result_tokens: int = 1250
    """By which each tool result makes the next prompt longer: a page's default slice."""
    reply_tokens: int = 200
    """Of each call; models that think at length need many times as much."""

    def calls_of(self, configuration: Configuration) -> list[Usage]:
        """Return the calls of one trial."""
        shown = configuration.model.tool_result_chars
        result = self.result_tokens if shown is None else min(self.result_tokens, shown // 4)
        reply = min(self.reply_tokens, configuration.model.max_tokens or self.reply_tokens)
        number = min(self.calls, configuration.agent.max_turns)
        return [
            Usage(
                requests=1,
                input_tokens=self.first_prompt_tokens + turn * (result + reply),
                output_tokens=reply,
            )
            for turn in range(number)
        ]


class Measured(NamedTuple):
    """What the trials of one configuration of an earlier run took together."""

    trials: int
    usage: Usage
    cost: Cost


class Estimate(NamedTuple):
    """What a number of trials of one configuration will take."""

    calls: float
    input_tokens: float
    output_tokens: float
    usd: float
    is_lower_bound: bool
    """Whether the cost of some calls is unknown."""


def measure_pilot(folder: RunFolder, prices: Mapping[str, Price | None]) -> dict[str, Measured]:
    """Return what each configuration of an earlier run took, at the prices of today.

    Trials that the infrastructure broke are left out, since they say nothing of a whole one.

    Raises:
        RecordError: If the run cannot be read.
    """
    found: dict[str, Measured] = {}
    for trial in folder.trials():
        if trial.status == "error":
            continue
        calls = [event.usage for event in trial.transcript if isinstance(event, ModelCalled)]
        old = found.get(trial.configuration, Measured(0, Usage(), Cost()))
        price = prices.get(trial.configuration)
        found[trial.configuration] = Measured(
            old.trials + 1,
            sum(calls, old.usage),
            Cost.total((old.cost, *(call_cost(usage, price) for usage in calls))),
        )
    return found


def estimate(trials: int, measured: Measured) -> Estimate:
    """Return what `trials` trials will take if they are like the measured ones."""
    share = trials / measured.trials
    usage, cost = measured.usage, measured.cost
    return Estimate(
        usage.requests * share,
        usage.input_tokens * share,
        usage.output_tokens * share,
        cost.usd * share,
        cost.is_lower_bound,
    )


def assumed(configuration: Configuration, price: Price | None) -> Measured:
    """Return one trial as it is taken to be where nothing was measured."""
    calls = AssumedTrial().calls_of(configuration)
    cost = Cost.total(call_cost(usage, price) for usage in calls)
    return Measured(1, sum(calls, Usage()), cost)


def total(estimates: Iterable[Estimate]) -> Estimate:
    """Return the sum; it is a lower bound where one is."""
    every = tuple(estimates)
    return Estimate(
        sum(one.calls for one in every),
        sum(one.input_tokens for one in every),
        sum(one.output_tokens for one in every),
        sum(one.usd for one in every),
        any(one.is_lower_bound for one in every),
    )
