"""Work on a run's journal piece by piece, here or on a cluster: what commands with --scheduler share."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import click

if TYPE_CHECKING:
    from distributed import Client

    from research_eval.gate.stored import Chunk

__all__ = ["Spread", "workers"]

Result = TypeVar("Result")


class Spread(Protocol):
    """Does the same work on each piece of a journal and yields what comes out, in their order."""

    def __call__(
        self, work: "Callable[[Chunk], Result]", chunks: "Iterable[Chunk]", /
    ) -> Iterator[Result]: ...


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


def _here(work: "Callable[[Chunk], Result]", chunks: "Iterable[Chunk]", /) -> Iterator[Result]:
    return map(work, chunks)


class _There:
    """Workers, which find the journal by its whole path: they may stand in other folders."""

    def __init__(self, client: "Client") -> None:
        self._client = client

    def __call__(
        self, work: "Callable[[Chunk], Result]", chunks: "Iterable[Chunk]", /
    ) -> Iterator[Result]:
        from research_eval.runner.cluster import spread

        whole = (chunk._replace(path=str(Path(chunk.path).resolve())) for chunk in chunks)
        return spread(self._client, work, whole)
