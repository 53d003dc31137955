"""The plain view for people: a list of all pages, and each page under `/_world/scheme/host/path`."""

import html
import re
from typing import Protocol
from urllib.parse import quote

from research_eval.world.address import ascii_url, split_url
from research_eval.world.library import Library
from research_eval.world.reply import Reply, Request

__all__ = ["browse", "local_path"]

_PREFIX = "/_world/"
_ABSOLUTE = re.compile(rb"""(href=["'])(https?)://([^/"'?#]+)""", re.IGNORECASE)


class _Answers(Protocol):
    library: Library

    def answer(self, request: Request) -> Reply: ...


def local_path(url: str) -> str:
    """Return the path under which this server shows the page at `url`."""
    scheme, host, target = split_url(ascii_url(url))
    return f"{_PREFIX}{scheme}/{quote(host)}{target}"


def browse(request: Request, world: _Answers) -> Reply:
    """Answer a request that was sent to the server's own address."""
    path = request.target.partition("?")[0]
    if path == "/":
        return Reply(
            200, (("Content-Type", "text/html; charset=utf-8"),), _listing(world.library).encode()
        )
    scheme, _, rest = request.target.removeprefix(_PREFIX).partition("/")
    host, slash, target = rest.partition("/")
    scheme = scheme.lower()
    if not request.target.startswith(_PREFIX) or scheme not in {"http", "https"} or not slash:
        return Reply(
            404, (("Content-Type", "text/plain; charset=utf-8"),), b"not found; the list is at /\n"
        )
    if host.lower().partition(":")[0] not in world.library.hosts:
        return Reply(
            404,
            (("Content-Type", "text/plain; charset=utf-8"),),
            b"no such host; the list is at /\n",
        )
    return _localised(world.answer(request._replace(scheme=scheme, host=host, target="/" + target)))


def _localised(reply: Reply) -> Reply:
    """Lead links and redirects of the world back through this server."""
    headers = tuple(
        (name, local_path(value) if name == "Location" else value) for name, value in reply.headers
    )
    return reply._replace(headers=headers, body=_ABSOLUTE.sub(rb"\1/_world/\2/\3", reply.body))


def _listing(library: Library) -> str:
    """Return the page that lists every page, by host."""
    parts = []
    for host, about in sorted(library.hosts.items()):
        items = "".join(
            f'<li><a href="{html.escape(local_path(page.url))}">{html.escape(page.title)}</a> '
            f"<code>{html.escape(page.url)}</code> {html.escape(page.serve)}</li>\n"
            for page in library.on_host(host)
        )
        parts.append(f"<h2>{html.escape(about.name)}</h2>\n<ul>\n{items}</ul>\n")
    head = '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>The bundled web</title></head>'
    return f"{head}\n<body><h1>The bundled web: {len(library.pages)} pages</h1>\n{''.join(parts)}</body></html>\n"
