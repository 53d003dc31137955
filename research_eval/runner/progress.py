"""Say how a run is going: a live line on a terminal, a plain line now and then elsewhere."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from research_eval.model import LimiterStatus
from research_eval.schema import Event, ModelCalled, TrialKey, TrialRecord

__all__ = [
    "PlainProgress",
    "ProgressView",
    "TerminalProgress",
    "Waits",
    "progress_for",
    "provider_words",
]

PLAIN_INTERVAL_S = 10.0

Waits = Callable[[], Mapping[str, LimiterStatus]]
"""Tells what is going on at each provider of models."""


class ProgressView(Protocol):
    """Is told what happens in a run."""

    def started(self, key: TrialKey) -> None:
        """Take note that a trial began."""
        ...

    def event(self, key: TrialKey, event: Event) -> None:
        """Take note of an event inside a trial."""
        ...

    def ended(self, record: TrialRecord) -> None:
        """Take note that a trial is in the journal."""
        ...

    def dropped(self, key: TrialKey) -> None:
        """Take note that a trial stopped and nothing of it is kept."""
        ...

    def tick(self) -> None:
        """Show what goes on while nothing happens; called every second."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...


class _Counts:
    """How many trials are in which state."""

    def __init__(self, planned: int, done: int, waits: Waits) -> None:
        self.planned = planned
        self.done = done
        self.waits = waits
        self.running: dict[TrialKey, float] = {}
        self.by_status: Counter[str] = Counter()
        self.tokens = 0
        self.request_retries = 0

    def end(self, record: TrialRecord) -> None:
        self.running.pop(record.key, None)
        self.done += 1
        self.by_status[record.status] += 1

    def note(self, event: Event) -> None:
        if isinstance(event, ModelCalled):
            self.tokens += event.usage.input_tokens + event.usage.output_tokens
            self.request_retries += event.request_retries

    def text(self) -> str:
        waiting = self.planned - self.done - len(self.running)
        parts = [
            f"{len(self.running)} running",
            f"{waiting} waiting",
            *(f"{count} {status}" for status, count in sorted(self.by_status.items())),
        ]
        if self.tokens:
            parts.append(f"{self.tokens:,} tokens")
        if self.request_retries:
            parts.append(f"{self.request_retries} request retries")
        parts += [words for words in map(provider_words, *_columns(self.waits())) if words]
        if self.running:
            oldest = min(self.running, key=self.running.__getitem__)
            age = time.monotonic() - self.running[oldest]
            if age > PLAIN_INTERVAL_S:
                parts.append(f"oldest {'/'.join(map(str, oldest))} for {age:.0f} s")
        return ", ".join(parts)


def _columns(waits: Mapping[str, LimiterStatus]) -> tuple[list[str], list[LimiterStatus]]:
    return list(waits), list(waits.values())


def provider_words(name: str, status: LimiterStatus) -> str:
    """Return in words what is waited for at a provider, and how long; nothing if nothing is.

    >>> provider_words("openai", LimiterStatus(0, 12, 4, 7.6, 4, 0.0))
    'openai: held for 8 s, 4 to be sent again, 12 in line'
    >>> provider_words("groq", LimiterStatus(2, 0, 32, 0.0, 0, 41.2))
    'groq: 2 asked, the oldest for 41 s'
    """
    parts = []
    if status.in_flight:
        age = f", the oldest for {status.oldest_s:.0f} s" if status.oldest_s >= 1 else ""
        parts.append(f"{status.in_flight} asked{age}")
    if status.paused_for_s:
        parts.append(f"held for {max(1, round(status.paused_for_s))} s")
    if status.retrying:
        parts.append(f"{status.retrying} to be sent again")
    if status.waiting:
        parts.append(f"{status.waiting} in line")
    return f"{name}: {', '.join(parts)}" if parts else ""


class PlainProgress:
    """One line every ten seconds: for logs and CI."""

    def __init__(self, console: Console, planned: int, done: int, waits: Waits = dict) -> None:
        self._console = console
        self._counts = _Counts(planned, done, waits)
        self._last = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._print()

    def started(self, key: TrialKey) -> None:
        """Take note that a trial began."""
        self._counts.running[key] = time.monotonic()

    def event(self, key: TrialKey, event: Event) -> None:
        """Take note of an event inside a trial."""
        del key
        self._counts.note(event)

    def ended(self, record: TrialRecord) -> None:
        """Take note that a trial is in the journal."""
        self._counts.end(record)
        self.tick()

    def dropped(self, key: TrialKey) -> None:
        """Take note that a trial stopped and nothing of it is kept."""
        self._counts.running.pop(key, None)

    def tick(self) -> None:
        """Print a line if the last one was long ago."""
        if time.monotonic() - self._last >= PLAIN_INTERVAL_S:
            self._print()

    def _print(self) -> None:
        self._last = time.monotonic()
        counts = self._counts
        self._console.print(
            f"{counts.done}/{counts.planned} trials: {counts.text()}",
            highlight=False,
            soft_wrap=True,
        )


class TerminalProgress:
    """A bar with what is running, waiting and failed, and the time that is left."""

    def __init__(self, console: Console, planned: int, done: int, waits: Waits = dict) -> None:
        self._counts = _Counts(planned, done, waits)
        self._progress = Progress(
            TextColumn("trials"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[text]}"),
            console=console,
        )
        self._task = self._progress.add_task("", total=planned, completed=done, text="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._progress.stop()

    def started(self, key: TrialKey) -> None:
        """Take note that a trial began."""
        self._counts.running[key] = time.monotonic()

    def event(self, key: TrialKey, event: Event) -> None:
        """Take note of an event inside a trial."""
        del key
        self._counts.note(event)
        self._progress.update(self._task, text=self._counts.text())

    def ended(self, record: TrialRecord) -> None:
        """Take note that a trial is in the journal."""
        self._counts.end(record)
        self._progress.update(self._task, completed=self._counts.done, text=self._counts.text())

    def dropped(self, key: TrialKey) -> None:
        """Take note that a trial stopped and nothing of it is kept."""
        self._counts.running.pop(key, None)

    def tick(self) -> None:
        """Show what is waited for now."""
        self._progress.update(self._task, text=self._counts.text())


def progress_for(console: Console, planned: int, done: int, waits: Waits = dict) -> ProgressView:
    """Return the view that suits the place where output goes."""
    kind = TerminalProgress if console.is_terminal else PlainProgress
    return kind(console, planned, done, waits)
