"""What a trial took: turns, tool calls, requests, tokens, money, virtual time."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from research_eval.dataset import Case
from research_eval.schema import (
    Cost,
    Event,
    Fetched,
    ModelCalled,
    Price,
    RunRecord,
    Score,
    Searched,
    ToolCalled,
    TrialRecord,
    Unscored,
    Usage,
    call_cost,
)
from research_eval.scorer.measure import Measure, declares
from research_eval.scorer.protocol import Pages, inapplicable, scored

__all__ = ["EfficiencyScorer", "efficiency"]

RAN = "every trial that ran"
MEASURES = (
    Measure("turns", "count", "lower", "turns",
        "Model calls with the tool calls that they asked for.", "work", RAN, headline=True),
    Measure("request_retries", "count", "lower", "request retries",
        "Model requests that were sent again after an error.", "work", RAN),
    Measure("tool_calls", "count", "lower", "tool calls", "Calls of search and fetch.", "work", RAN),
    Measure("failed_tool_calls", "count", "lower", "failed tool calls",
        "Tool calls that ended in an error which the model was told.", "work", RAN),
    Measure("repaired_calls", "count", "lower", "repaired calls",
        "Tool calls that the model wrote into its text and that were read from there.",
        applies=RAN),
    Measure("searches", "count", "lower", "searches", "Searches that the agent made.", "work", RAN),
    Measure("fetches", "count", "lower", "fetches",
        "Pages that the agent asked for.", "work", RAN),
    Measure("failed_fetches", "count", "lower", "failed fetches",
        "Pages that could not be opened.", "work", RAN),
    Measure("unrecorded", "count", "lower", "unrecorded",
        "Web requests that were never recorded.", "failover", RAN),
    Measure("input_tokens", "count", "lower", "input tokens",
        "Prompt tokens, cached ones included.", "usage", RAN),
    Measure("output_tokens", "count", "lower", "output tokens",
        "Generated tokens, reasoning included.", "usage", RAN),
    Measure("model_requests", "count", "lower", "model requests",
        "Requests to the model.", "usage", RAN),
    Measure("cost_usd", "usd", "lower", "cost usd",
        "Cost in US dollars, as the provider reported it, else by the price.", "usage",
        "trials whose cost is known", headline=True),
    Measure("virtual_seconds", "seconds", "lower", "virtual seconds",
        "Time on the trial's own clock, with recorded latencies and waits.", "work",
        "trials on a virtual clock"),
)  # fmt: skip
COUNTED = tuple(measure.name for measure in MEASURES[:9])


@declares(*MEASURES)
class EfficiencyScorer:
    """Counts what a trial did and consumed, also when it ended in an error."""

    __name__ = "efficiency"

    def __init__(self, prices: Mapping[str, Price | None] | None = None) -> None:
        """Take what a call costs by configuration, where the provider does not say it."""
        self._prices = prices or {}

    def for_run(self, manifest: RunRecord) -> "EfficiencyScorer":
        """Return the scorer with the prices that a run was planned with."""
        return EfficiencyScorer({one.name: one.price for one in manifest.configurations})

    def __call__(self, case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
        """Give the counts; tokens and money are no sums where a reply came without its usage."""
        del case, pages
        yield from _counted(_counts(trial.transcript))
        usage = trial.usage
        for name, tokens in (
            ("input_tokens", usage.input_tokens),
            ("output_tokens", usage.output_tokens),
        ):
            yield _unmeasured(name, usage) if usage.unmeasured_requests else scored(name, tokens)
        yield scored("model_requests", float(usage.requests))
        yield _cost(trial, self._prices.get(trial.configuration))
        yield _virtual_seconds(trial)


efficiency = EfficiencyScorer()


def _unmeasured(name: str, usage: Usage) -> Score:
    return Unscored(
        name=name,
        reason=f"{usage.unmeasured_requests} of {usage.requests} replies came without usage",
    )


def _cost(trial: TrialRecord, price: Price | None) -> Score:
    """Give what the calls cost, as the provider said it, else by the price."""
    name = "cost_usd"
    calls = [event.usage for event in trial.transcript if type(event) is ModelCalled]
    calls = calls or list(_whole(trial.usage))
    if price is None and all(usage.reported_cost_usd is None for usage in calls):
        return inapplicable(name, "the provider reported no cost")
    cost = Cost.total(call_cost(usage, price) for usage in calls)
    if not cost.is_lower_bound:
        return scored(name, round(cost.usd, 12))
    if cost.unmeasured:
        return _unmeasured(name, trial.usage)
    reason = f"the provider reported no cost of {cost.unpriced} calls, and no price is known"
    return Unscored(name=name, reason=reason)


def _whole(usage: Usage) -> tuple[Usage, ...]:
    """Return the usage of a trial that kept none of its calls, if it made any."""
    return (usage,) if usage.requests or usage.reported_cost_usd is not None else ()


@lru_cache(maxsize=4096)
def _counted(counts: tuple[int, ...]) -> tuple[Score, ...]:
    return tuple(scored(name, float(n)) for name, n in zip(COUNTED, counts, strict=True))


def _counts(events: Iterable[Event]) -> tuple[int, ...]:
    """Return the counts in the order of `COUNTED`."""
    turns = retries = tools = failed_tools = repaired = searches = 0
    fetches = failed_fetches = unrecorded = 0
    for event in events:
        if type(event) is ModelCalled:
            turns += 1
            retries += event.request_retries
            if event.notes is not None and "repaired_call" in event.notes:
                repaired += len(event.tool_calls)
        elif type(event) is ToolCalled:
            tools += 1
            failed_tools += not event.ok
        elif type(event) is Searched:
            searches += 1
            unrecorded += event.unrecorded
        elif type(event) is Fetched:
            fetches += 1
            failed_fetches += not event.ok
            unrecorded += event.unrecorded
    work = (turns, retries, tools, failed_tools, repaired, searches)
    return *work, fetches, failed_fetches, unrecorded


def _virtual_seconds(trial: TrialRecord) -> Score:
    last = getattr(trial.transcript[-1], "at_s", None) if trial.transcript else None
    if last is None:
        return inapplicable("virtual_seconds", "the clock was real")
    return scored("virtual_seconds", last)
