"""Work on a run's journal piece by piece, here or on a cluster: what commands with --scheduler share."""

import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

import click

if TYPE_CHECKING:
    from distributed import Client

    from research_eval.journal.piece import Piece

__all__ = ["JournalProgress", "Spread", "stopped_by_sigterm", "workers"]

Result = TypeVar("Result")

PLAIN_INTERVAL_S = 10.0
"""Between two lines where no terminal shows a bar."""


class Spread(Protocol):
    """Does the same work on each piece of a journal and yields what comes out, in their order."""

    def __call__(
        self, work: "Callable[[Piece], Result]", chunks: "Iterable[Piece]", /
    ) -> Iterator[Result]:
        """Do `work` on each of `chunks`."""
        ...


@contextmanager
def workers(scheduler: str | None) -> Iterator[Spread]:
    """Let this process do the work, or those of a cluster.

    Raises:
        ConfigError: If the cluster cannot be used.
    """
    if scheduler is None:
        yield _here
        return
    from research_eval.runner.cluster import connect

    with connect(scheduler) as client:
        if not client.nthreads():
            click.echo("research-eval: the cluster has no worker yet: waiting for one", err=True)
        yield _There(client)


def _here(work: "Callable[[Piece], Result]", chunks: "Iterable[Piece]", /) -> Iterator[Result]:
    return map(work, chunks)


class _There:
    """Workers, which find the journal by its whole path: they may stand in other folders."""

    def __init__(self, client: "Client") -> None:
        self._client = client

    def __call__(
        self, work: "Callable[[Piece], Result]", chunks: "Iterable[Piece]", /
    ) -> Iterator[Result]:
        from research_eval.runner.cluster import spread

        whole = (chunk._replace(path=str(Path(chunk.path).resolve())) for chunk in chunks)
        return spread(self._client, work, whole)


@contextmanager
def stopped_by_sigterm() -> Iterator[None]:
    """Let SIGTERM stop the block as Ctrl-C does, so that nothing half-written is left."""
    usual = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, usual)


class JournalProgress:
    """Says on standard error how far a journal is: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self, journal: Path, done: str, *, quiet: bool) -> None:
        """Start at the beginning.

        Args:
            journal: The file that is worked on.
            done: What is done to trials, as a participle.
            quiet: Whether to say nothing.
        """
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._size = journal.stat().st_size if journal.is_file() else 0
        self._done, self._quiet, self._trials = done, quiet, 0
        self._began = self._last = time.monotonic()
        console = Console(stderr=True, quiet=quiet)
        self._bar = Progress(
            TextColumn("journal"),
            BarColumn(bar_width=24),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[text]}"),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("", total=self._size, text="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._bar.stop()

    def add(self, trials: int, end: int) -> None:
        """Take note that so many trials more are done, up to the byte `end` of the journal."""
        self._trials += trials
        end = min(end, self._size)
        now = time.monotonic()
        speed = self._trials / max(now - self._began, 1e-9)
        text = f"{self._trials:,} trials {self._done}, {speed:,.0f} a second"
        self._bar.update(self._task, completed=end, text=text)
        is_due = now - self._last >= PLAIN_INTERVAL_S
        if is_due and self._bar.disable and not self._quiet:
            self._last = now
            click.echo(f"{end / max(self._size, 1):.0%} of the journal: {text}", err=True)
