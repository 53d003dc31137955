"""A laboratory for fetching: servers on loopback, and a network backend that can dial nothing else."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager

import httpcore
import httpx
from typing_extensions import override

from research_eval.clock import Clock, SystemClock
from research_eval.ledger import SourceRegistry
from research_eval.schema import Event
from research_eval.tool.fetch import FetchSettings, FetchTool
from research_eval.tool.fetch.transport import GuardedBackend, guarded_transport

LOOPBACK = {"127.0.0.1", "::1"}

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class LoopbackBackend(httpcore.AsyncNetworkBackend):
    """Dials loopback alone, whoever asks; remembers what it was asked for."""

    def __init__(self) -> None:
        self.dialled: list[str] = []
        self._inner = httpcore.AnyIOBackend()

    @override
    async def connect_tcp(self, host, port, timeout=None, local_address=None, socket_options=None):
        self.dialled.append(host)
        if host not in LOOPBACK:
            raise httpcore.ConnectError(f"the laboratory does not dial {host}")
        return await self._inner.connect_tcp(host, port, timeout, local_address, socket_options)

    @override
    async def connect_unix_socket(self, path, timeout=None, socket_options=None):
        raise httpcore.ConnectError("the laboratory has no sockets of this kind")

    @override
    async def sleep(self, seconds):
        await self._inner.sleep(seconds)


class Names:
    """Answers look-ups from a table, and gives one answer after the other."""

    def __init__(self, **answers: list[list[str]]) -> None:
        self._answers = {name.replace("_", "."): list(given) for name, given in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        given = self._answers.get(host)
        if not given:
            raise OSError(f"no such name: {host}")
        return given.pop(0) if len(given) > 1 else given[0]


class Lab:
    """A fetch tool whose way to the network ends on loopback."""

    def __init__(
        self, settings: FetchSettings, *, names: Names | None = None, clock: Clock | None = None
    ) -> None:
        self.backend = LoopbackBackend()
        self.names = names or Names()
        guarded = GuardedBackend(settings, inner=self.backend, resolve=self.names)
        self.http = httpx.AsyncClient(
            transport=guarded_transport(settings, backend=guarded), trust_env=False
        )
        self.ledger = SourceRegistry()
        self.events: list[Event] = []
        self.tool = FetchTool(
            settings,
            http=self.http,
            ledger=self.ledger,
            clock=clock or SystemClock(),
            emit=self.events.append,
        )

    async def fetch(self, url: str, **arguments: object):
        return await self.tool({"url": url, **arguments})


@asynccontextmanager
async def lab(settings: FetchSettings, *, names: Names | None = None):
    """Open a laboratory."""
    made = Lab(settings, names=names)
    try:
        yield made
    finally:
        await made.http.aclose()


@asynccontextmanager
async def server(serve: Serve):
    """Run a server on loopback; yields its port."""
    connections: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            await reader.readuntil(b"\r\n\r\n")
            await serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            connections.discard(task)

    listening = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield listening.sockets[0].getsockname()[1]
    finally:
        for task in list(connections):
            task.cancel()
        listening.close()


def reply(body: bytes = b"", *headers: str, status: str = "200 OK", length: bool = True) -> bytes:
    """Return the bytes of a response."""
    lines = [f"HTTP/1.1 {status}", "Connection: close", *headers]
    if length:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def always(answer: bytes) -> Serve:
    """Return a server that gives `answer` to every request."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        del reader
        writer.write(answer)
        await writer.drain()

    return serve
