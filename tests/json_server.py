"""A server on 127.0.0.1 that answers in JSON, for tests of what asks one."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["JsonHandler", "serving"]


class JsonHandler(BaseHTTPRequestHandler):
    """What the handlers of such servers share; each says in `post`, and `get`, what it answers."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.post(json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def do_GET(self) -> None:
        self.get()

    def post(self, body: dict[str, Any]) -> None:
        """Answer what was asked."""
        raise NotImplementedError

    def get(self) -> None:
        """Answer for the path."""
        self.send(404, {})

    def send(self, status: int, body: object, *headers: tuple[str, str]) -> None:
        """Answer with `body` as JSON."""
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in (("content-type", "application/json"), *headers):
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[None]:
    """Let `server` answer while the block runs."""
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
