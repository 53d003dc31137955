"""Serve the world on 127.0.0.1, over HTTP/1.1."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from typing_extensions import override

from research_eval.errors import ConfigError
from research_eval.world.address import split_url
from research_eval.world.reply import Reply, Request
from research_eval.world.site import World, load_world

__all__ = ["SCHEME_HEADER", "WorldServer", "serve_world"]

SCHEME_HEADER = "x-world-scheme"
"""Request header that names the scheme of the original URL."""

_DATE = "Mon, 02 Mar 2026 09:00:00 GMT"
_MAX_BODY = 1_000_000


class WorldServer:
    """A server that runs.

    Attributes:
        base_url: Where it listens, for instance `http://127.0.0.1:8765`.
    """

    def __init__(self, world: World, port: int) -> None:
        try:
            self._server = _Server(world, port)
        except (OSError, OverflowError) as exc:
            raise ConfigError(f"cannot listen on 127.0.0.1 port {port}: {exc}") from exc
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop listening and drop every connection."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server.drop_connections()


@contextmanager
def serve_world(port: int = 0, *, world: World | None = None) -> Iterator[WorldServer]:
    """Serve the bundled world, or `world`, inside the block; port 0 takes a free one.

    Raises:
        ConfigError: If the port cannot be had.
    """
    server = WorldServer(world or load_world(), port)
    try:
        yield server
    finally:
        server.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, world: World, port: int) -> None:
        self.world = world
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        super().__init__(("127.0.0.1", port), _Handler)

    @override
    def process_request(self, request: Any, client_address: Any) -> None:
        with self._guard:
            self._open.add(request)
        super().process_request(request, client_address)

    @override
    def shutdown_request(self, request: Any) -> None:
        with self._guard:
            self._open.discard(request)
        super().shutdown_request(request)

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that hangs up in the middle is ordinary."""

    def drop_connections(self) -> None:
        """Hang up on clients that keep a connection open."""
        with self._guard:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    disable_nagle_algorithm = True
    wbufsize = -1

    def _respond(self) -> None:
        length = self.headers.get("content-length") or "0"
        if not length.isdigit() or int(length) > _MAX_BODY:
            self.close_connection = True
            self._send(Reply(413, (), b""))
            return
        body = self.rfile.read(int(length))
        self._send(self.server.world.answer(self._request(body)))

    def _request(self, body: bytes) -> Request:
        """Return the request; its host is in the target where a client uses this server as proxy."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        scheme, host, target = (
            headers.get(SCHEME_HEADER, "http"),
            headers.get("host", ""),
            self.path,
        )
        if "://" in target.partition("?")[0]:
            _, host, target = split_url(target)
            scheme = "https"  # what a proxy is asked for in clear is not sent on to https
        return Request(self.command, scheme, host, target, headers, body)

    def _send(self, reply: Reply) -> None:
        self.send_response_only(reply.status)
        for name, value in (("Date", _DATE), ("Server", "world"), *reply.headers):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = _respond  # noqa: N815 - names of http.server

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Keep no log."""
