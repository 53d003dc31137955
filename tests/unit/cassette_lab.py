"""A small laboratory for recordings: scripted servers, and a talk that is recorded and replayed."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import httpx
import httpx2

from research_eval.cassette import ModelCassettes, Session, WebCassettes
from research_eval.clock import Clock, VirtualClock
from research_eval.schema import TrialKey

MODULES = {"httpx": httpx, "httpx2": httpx2}
KEY = TrialKey("case", "configuration", 1)

Talk = Callable[[Any], Awaitable[Any]]
"""What a client does: takes an open client, returns what it learnt."""


def transport_of(session: Session, http: Any, inner: Any = None, task_id: str = "") -> Any:
    return session.transport(inner, task_id=task_id)


class Server:
    """A transport that answers by script and counts what it was asked."""

    def __init__(self, http: Any, answer: Callable[[Any], Any]) -> None:
        self.http = http
        self.asked: list[Any] = []
        self._answer = answer
        self.transport = self._make()

    def _make(self) -> Any:
        server = self

        class Transport(self.http.AsyncBaseTransport):
            async def handle_async_request(self, request: Any) -> Any:
                await request.aread()
                server.asked.append(request)
                answer = server._answer(request)
                return await answer if asyncio.iscoroutine(answer) else answer

        return Transport()


def pieces(
    http: Any,
    chunks: Iterable[bytes],
    *,
    pause_s: float = 0.0,
    error: Any = None,
    watch: list[str] | None = None,
) -> Any:
    """Return a body that arrives piece by piece, perhaps slowly, perhaps not to its end."""

    class Stream(http.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            for chunk in chunks:
                if pause_s:
                    await asyncio.sleep(pause_s)
                yield chunk
            if error is not None:
                raise error

        async def aclose(self) -> None:
            if watch is not None:
                watch.append("closed")

    return Stream()


class Lab:
    """Records talks into one folder and replays them from it."""

    def __init__(self, folder: Path, http: Any = httpx, channel: str = "web") -> None:
        self.folder = folder / channel
        self.http = http
        self.kind = WebCassettes if channel == "web" else ModelCassettes

    def cassette(self, mode: str, **options: Any) -> Any:
        return self.kind(self.folder, mode=mode, **options)

    async def record(
        self,
        answer: Callable[[Any], Any],
        talk: Talk,
        *,
        key: TrialKey = KEY,
        clock: Clock | None = None,
        **options: Any,
    ) -> Any:
        self.server = Server(self.http, answer)
        return await self._run(
            self.cassette("record", **options), talk, key, clock, self.server.transport
        )

    async def replay(
        self, talk: Talk, *, key: TrialKey = KEY, clock: Clock | None = None, **options: Any
    ) -> Any:
        return await self._run(self.cassette("replay", **options), talk, key, clock, None)

    async def _run(
        self, cassette: Any, talk: Talk, key: TrialKey, clock: Clock | None, inner: Any
    ) -> Any:
        self.clock = clock or VirtualClock()
        self.session = cassette.session(key, self.clock)
        transport = transport_of(self.session, self.http, inner)
        try:
            async with self.http.AsyncClient(transport=transport) as client:
                return await talk(client)
        finally:
            self.session.close()
            cassette.close()

    def files(self) -> Mapping[str, bytes]:
        return files_in(self.folder)


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def everything_in(folder: Path) -> str:
    return "\n".join(content.decode("utf-8", "replace") for content in files_in(folder).values())
