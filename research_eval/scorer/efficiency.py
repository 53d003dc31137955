"""What a trial took: turns, tool calls, requests, tokens, money, virtual time."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from research_eval.dataset import Case
from research_eval.schema import (
    Event,
    Fetched,
    ModelCalled,
    Score,
    Searched,
    ToolCalled,
    TrialRecord,
)
from research_eval.scorer.protocol import Pages, inapplicable, scored

__all__ = ["efficiency"]

COUNTED = (
    "turns",
    "request_retries",
    "tool_calls",
    "failed_tool_calls",
    "searches",
    "fetches",
    "failed_fetches",
    "off_tape",
)


def efficiency(case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
    """Count what the trial did and consumed, also when it ended in an error."""
    del case, pages
    yield from _counted(_counts(trial.transcript))
    usage = trial.usage
    yield scored("input_tokens", float(usage.input_tokens))
    yield scored("output_tokens", float(usage.output_tokens))
    yield scored("model_requests", float(usage.requests))
    if usage.reported_cost_usd is None:
        yield inapplicable("cost_usd", "the provider reported no cost")
    else:
        yield scored("cost_usd", usage.reported_cost_usd)
    yield _virtual_seconds(trial)


@lru_cache(maxsize=4096)
def _counted(counts: tuple[int, ...]) -> tuple[Score, ...]:
    return tuple(scored(name, float(n)) for name, n in zip(COUNTED, counts, strict=True))


def _counts(events: Iterable[Event]) -> tuple[int, ...]:
    """Return the counts in the order of `COUNTED`."""
    turns = retries = tools = failed_tools = searches = fetches = failed_fetches = off_tape = 0
    for event in events:
        if type(event) is ModelCalled:
            turns += 1
            retries += event.request_retries
        elif type(event) is ToolCalled:
            tools += 1
            failed_tools += not event.ok
        elif type(event) is Searched:
            searches += 1
            off_tape += event.off_tape
        elif type(event) is Fetched:
            fetches += 1
            failed_fetches += not event.ok
            off_tape += event.off_tape
    return turns, retries, tools, failed_tools, searches, fetches, failed_fetches, off_tape


def _virtual_seconds(trial: TrialRecord) -> Score:
    last = getattr(trial.transcript[-1], "at_s", None) if trial.transcript else None
    if last is None:
        return inapplicable("virtual_seconds", "the clock was real")
    return scored("virtual_seconds", last)
