"""The record of a trial in, lines for a terminal out; nothing in them steers the terminal."""

import os
from collections.abc import Iterator
from itertools import zip_longest

import click

from research_eval.schema import (
    ENDINGS,
    AnswerChecked,
    Event,
    Fetched,
    ModelCalled,
    PromptRendered,
    ProviderTry,
    Searched,
    ToolCalled,
    TrialRecord,
)
from research_eval.schema.display import one_line, visible

__all__ = ["trial_lines"]

MAX_ARGUMENT_CHARS = 300
"""How much of a call's arguments, of a title or of an error is shown."""
BAR = "    | "
"""Before each line of a text of model or gate, so that no such text looks like a line of ours."""


def trial_lines(trial: TrialRecord) -> Iterator[str]:
    """Yield the trial in the order in which it happened."""
    case, configuration = one_line(trial.case_id), one_line(trial.configuration)
    yield _bold(f"{case} / {configuration} / trial {trial.trial}")
    yield "question"
    yield from _quoted(trial.question)
    for event, following in zip_longest(trial.transcript, trial.transcript[1:]):
        yield from _event_lines(event)
        if isinstance(event, ModelCalled) and not isinstance(following, AnswerChecked):
            yield from _quoted(event.text)
            yield from _calls(event)
    yield ""
    yield from _ending(trial)


def _event_lines(event: Event) -> Iterator[str]:
    match event:
        case PromptRendered():
            yield f"tools: {one_line(', '.join(event.tools)) or 'none'}"
        case ModelCalled():
            yield from _turn(event)
        case Searched():
            yield from _search(event)
        case Fetched():
            yield _page(event)
        case ToolCalled() if not event.ok:
            yield f"  {one_line(event.tool)} failed: {_short(event.error or 'no reason given')}"
        case ToolCalled():
            yield f"  {one_line(event.tool)} gave {event.result_chars} characters"
        case AnswerChecked():
            yield from _attempt(event)


def _turn(event: ModelCalled) -> Iterator[str]:
    usage = event.usage
    notes = "".join(f", {one_line(note)}" for note in event.notes or ())
    again = f", sent again {event.request_retries} times" if event.request_retries else ""
    yield ""
    yield _bold(f"turn {event.turn}, attempt {event.attempt}") + (
        f": {event.finish_reason}, {usage.input_tokens} + {usage.output_tokens} tokens{again}{notes}"
    )


def _calls(event: ModelCalled) -> Iterator[str]:
    for call in event.tool_calls:
        yield f"  calls {one_line(call.name)} {_short(call.arguments)}"


def _search(event: Searched) -> Iterator[str]:
    by = f" by {one_line(event.served_by)}" if event.served_by else ": all providers failed"
    never = ", never recorded" if event.unrecorded else ""
    yield f"  searched {_short(event.query)!r}{by}, {len(event.hits)} hits{never}"
    for tried in event.tries:
        if tried.outcome != "served":
            yield f"    {_try(tried)}"
    for hit in event.hits:
        yield f"    {hit.rank}. {one_line(hit.url)}  {_short(hit.title)}".rstrip()


def _try(tried: ProviderTry) -> str:
    status = f" {tried.status}" if tried.status is not None else ""
    error = f" {one_line(tried.error)}" if tried.error else ""
    return f"{one_line(tried.provider)}: {tried.outcome}{error}{status}"


def _page(event: Fetched) -> str:
    url = one_line(event.url)
    if not event.ok:
        status = f", status {event.status}" if event.status is not None else ""
        never = ", never recorded" if event.unrecorded else ""
        return _red(
            f"  not opened {url}: {one_line(event.error or 'no reason given')}{status}{never}"
        )
    parts = [f"{event.content_chars or 0} characters"]
    if event.final_url not in {None, event.url}:
        parts.append(f"redirected to {one_line(event.final_url or '')}")
    if event.evidence != "ok":
        parts.append(f"no evidence: {event.evidence}")
    parts += map(one_line, event.flags)
    if event.from_ledger:
        parts.append("opened before")
    return f"  opened {url}: {', '.join(parts)}"


def _attempt(event: AnswerChecked) -> Iterator[str]:
    verdict = event.verdict
    word = _green("passed") if verdict.passed else _red("rejected")
    yield ""
    yield _bold(f"attempt {event.attempt}") + f": {word} by {one_line(verdict.gate)}"
    yield from _quoted(event.answer)
    for one in verdict.violations:
        url = f" {one_line(one.url)}" if one.url else ""
        yield _red(f"  {one.kind}{url}")
        if one.nearest:
            differs = f" (differs in {one_line(one.difference)})" if one.difference else ""
            yield f"    nearest page: {one_line(one.nearest)}{differs}"
    if event.corrective is not None:
        yield "  corrective"
        yield from _quoted(event.corrective)


def _ending(trial: TrialRecord) -> Iterator[str]:
    colour = _green if trial.status == "completed" else _red
    usage = trial.usage
    yield f"{colour(trial.status)}: {ENDINGS[trial.status].meaning}"
    if trial.failure is not None:
        turn = f" in turn {trial.failure.turn}" if trial.failure.turn is not None else ""
        yield f"  {one_line(trial.failure.kind)}{turn}: {one_line(trial.failure.message)}"
    if trial.answer is not None and not trial.attempts:
        yield from _quoted(trial.answer)
    for one in trial.references:
        yield f"  cites {one_line(one.url)}"
    for url in (trial.fidelity.unseen_urls if trial.fidelity else None) or ():
        yield f"  our tools never saw {one_line(url)}: invented, or opened with the agent's own tools"
    yield (
        f"  {usage.requests} model calls, {usage.input_tokens} + {usage.output_tokens} tokens"
        " (input + output)"
    )


def _quoted(text: str) -> Iterator[str]:
    """Yield the lines of a text with a bar before each."""
    yield from (f"{BAR}{line}".rstrip() for line in visible(text).split("\n") if text)


def _short(text: str) -> str:
    return one_line(text, MAX_ARGUMENT_CHARS)


def _bold(text: str) -> str:
    return _styled(text, bold=True)


def _red(text: str) -> str:
    return _styled(text, fg="red")


def _green(text: str) -> str:
    return _styled(text, fg="green")


def _styled(text: str, *, bold: bool | None = None, fg: str | None = None) -> str:
    """Return `text` in a colour; click takes it out where no terminal is written to."""
    return text if os.environ.get("NO_COLOR") else click.style(text, fg=fg, bold=bold)
