"""The SSRF guard at connect time: the address that was checked is the address that is dialled."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable
from functools import cache

import httpcore
import httpx
from typing_extensions import override

from research_eval.tool.fetch.address import is_public, parse_address
from research_eval.tool.fetch.settings import FetchSettings
from research_eval.tool.fetch.ssrf_guard import may_be_private

__all__ = ["BLOCKED", "UNKNOWN_HOST", "GuardedBackend", "Resolve", "guarded_transport"]

BLOCKED = "blocked address"
"""How the message of a refused connection begins."""
UNKNOWN_HOST = "unknown host"
"""How the message of a failed name look-up begins."""

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Gives all addresses of a host."""


async def _resolve(host: str, port: int) -> list[str]:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Resolves once, checks every address, and dials one of those it checked."""

    def __init__(
        self,
        settings: FetchSettings,
        *,
        inner: httpcore.AsyncNetworkBackend | None = None,
        resolve: Resolve = _resolve,
    ) -> None:
        self._settings = settings
        self._inner = inner or httpcore.AnyIOBackend()
        self._resolve = resolve

    @override
    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to `host`, if all its addresses are allowed.

        Raises:
            httpcore.ConnectError: If one is not, or if none answers.
            httpcore.ConnectTimeout: If names or servers take too long.
        """
        try:
            async with asyncio.timeout(timeout):
                addresses = await self._checked(host, port)
        except TimeoutError as exc:
            raise httpcore.ConnectTimeout(f"{UNKNOWN_HOST}: {host} (too slow)") from exc
        failure: Exception | None = None
        for address in addresses:
            try:
                return await self._inner.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as exc:
                failure = exc
        raise failure or httpcore.ConnectError(f"{UNKNOWN_HOST}: {host}")

    async def _checked(self, host: str, port: int) -> list[str]:
        if parse_address(host):
            addresses = [host]
        else:
            try:
                addresses = await self._resolve(host, port)
            except (OSError, UnicodeError) as exc:
                raise httpcore.ConnectError(f"{UNKNOWN_HOST}: {host}") from exc
        for address in addresses:
            parsed = parse_address(address)
            is_open = parsed is not None and is_public(parsed)
            if not is_open and not may_be_private(host, address, self._settings):
                raise httpcore.ConnectError(f"{BLOCKED}: {host} is not on the public internet")
        return addresses

    @override
    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Refuse.

        Raises:
            httpcore.ConnectError: Always.
        """
        raise httpcore.ConnectError(f"{BLOCKED}: sockets of this machine are closed")

    @override
    async def sleep(self, seconds: float) -> None:
        """Wait between two tries to connect."""
        await self._inner.sleep(seconds)


@cache
def _ssl_context() -> ssl.SSLContext:
    """Read the certificates once in a process; every trial has a transport of its own."""
    return httpx.create_ssl_context(trust_env=False)


class _GuardedTransport(httpx.AsyncHTTPTransport):
    """httpx's own transport on a pool that dials through a `GuardedBackend`."""

    def __init__(self, backend: httpcore.AsyncNetworkBackend) -> None:
        super().__init__(verify=_ssl_context(), trust_env=False)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=_ssl_context(),
            max_connections=20,
            max_keepalive_connections=0,
            http1=True,
            http2=False,
            network_backend=backend,
        )


def guarded_transport(
    settings: FetchSettings, *, backend: httpcore.AsyncNetworkBackend | None = None
) -> httpx.AsyncBaseTransport:
    """Return a transport that reaches only what `settings` allow.

    Args:
        settings: The SSRF guard. With a proxy, the proxy resolves names and has to guard against SSRF itself.
        backend: Who dials; for tests.
    """
    if settings.proxy is not None:
        return httpx.AsyncHTTPTransport(proxy=settings.proxy, trust_env=False)
    return _GuardedTransport(backend or GuardedBackend(settings))
