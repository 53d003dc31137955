"""What a trial took: turns, tool calls, requests, tokens, money, virtual time."""

from collections import Counter
from collections.abc import Iterator

from research_eval.dataset import Case
from research_eval.schema import (
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
    counts: Counter[str] = Counter()
    for event in trial.transcript:
        _count(event, counts)
    for name in COUNTED:
        yield scored(name, float(counts[name]))
    usage = trial.usage
    yield scored("input_tokens", float(usage.input_tokens))
    yield scored("output_tokens", float(usage.output_tokens))
    yield scored("model_requests", float(usage.requests))
    if usage.reported_cost_usd is None:
        reason = "the provider reported no cost"
        yield inapplicable("cost_usd", reason)
    else:
        yield scored("cost_usd", usage.reported_cost_usd)
    yield _virtual_seconds(trial)


def _count(event: object, counts: Counter[str]) -> None:
    if isinstance(event, ModelCalled):
        counts["turns"] += 1
        counts["request_retries"] += event.request_retries
    elif isinstance(event, ToolCalled):
        counts["tool_calls"] += 1
        counts["failed_tool_calls"] += not event.ok
    elif isinstance(event, Searched):
        counts["searches"] += 1
        counts["off_tape"] += event.off_tape
    elif isinstance(event, Fetched):
        counts["fetches"] += 1
        counts["failed_fetches"] += not event.ok
        counts["off_tape"] += event.off_tape


def _virtual_seconds(trial: TrialRecord) -> Score:
    stamps = (getattr(event, "at_s", None) for event in reversed(trial.transcript))
    last = next((stamp for stamp in stamps if stamp is not None), None)
    if last is None:
        reason = "the clock was real"
        return inapplicable("virtual_seconds", reason)
    return scored("virtual_seconds", last)
