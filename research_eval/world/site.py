"""The bundled web as a function: a request in, the reply of the right host out."""

from functools import cache

from research_eval.world.address import address, ascii_url, split_url
from research_eval.world.browse import browse
from research_eval.world.index import Entry, PageIndex
from research_eval.world.library import Library, host_of, load_library
from research_eval.world.markup import to_text
from research_eval.world.page import Page
from research_eval.world.pdf import write_pdf
from research_eval.world.render import render_page, render_special, visible_text
from research_eval.world.reply import Reply, Request
from research_eval.world.searching import answer_brave, answer_serper

__all__ = ["World", "load_world"]

_SPECIAL = {
    "gone": (404, "not_found"),
    "forbidden": (403, "forbidden"),
    "rate-limited": (429, "rate_limited"),
    "soft-404": (200, "not_found"),
    "shell": (200, "shell"),
    "consent-wall": (200, "consent_wall"),
    "login-wall": (200, "login_wall"),
    "bot-wall": (200, "bot_wall"),
}
"""Status and template of what is served in a page's place."""

_OVERSIZED_BYTES = 12_000_000
_MAX_REDIRECTS = 5
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


class World:
    """Hosts, pages and search endpoints; the same answer to the same request, always."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.index = PageIndex(_entry(page, library) for page in library.pages if page.index)
        self._pages = {address(*split_url(page.url)[1:]): page for page in library.pages}

    def page(self, url: str) -> Page | None:
        """Return the page at `url`, whatever its spelling."""
        return self._pages.get(address(*split_url(url)[1:]))

    def destination(self, url: str) -> Page | None:
        """Return the page where a visitor of `url` ends, redirects followed."""
        page = self.page(url)
        for _ in range(_MAX_REDIRECTS):
            if page is None or page.serve != "redirect":
                return page
            page = self.page(_target(page))
        return None

    def text(self, url: str) -> str | None:
        """Return what a visitor reads at `url`; `None` where nothing is to be read."""
        page = self.destination(url)
        return visible_text(page) if page is not None and page.serve in {"page", "pdf"} else None

    def answer(self, request: Request) -> Reply:
        """Return the reply to one request."""
        host = request.host.lower()
        path = request.target.partition("?")[0]
        local = host.partition(":")[0] in _LOCAL or host.startswith("[::1]")
        if path == "/search" and (local or host == "google.serper.dev"):
            return answer_serper(request, self.index)
        if path == "/res/v1/web/search" and (local or host == "api.search.brave.com"):
            return answer_brave(request, self.index)
        if request.method not in {"GET", "HEAD"}:
            return _text_reply(405, "method not allowed\n")
        if local:
            return browse(request, self)
        return self._answer_page(request)

    def _answer_page(self, request: Request) -> Reply:
        page = self._pages.get(address(request.host, request.target))
        host = request.host.lower().partition(":")[0]
        if page is None:
            return self._not_found(host)
        if request.scheme == "http" and page.url.startswith("https://"):
            return _redirect(301, "https://" + host + request.target)
        return self._serve(page)

    def _not_found(self, host: str) -> Reply:
        if host not in self.library.hosts:
            return _text_reply(502, f"no such host in this world: {host}\n")
        missing = Page(url=f"https://{host}/", title="404")
        return _html_reply(missing, render_special("not_found", missing, self.library), 404)

    def _serve(self, page: Page) -> Reply:
        if page.serve == "redirect":
            return _redirect(page.status or 301, ascii_url(_target(page)))
        if page.serve == "pdf":
            data = write_pdf(page.title, visible_text(page))
            return Reply(200, (("Content-Type", "application/pdf"), *page.headers.items()), data)
        if page.serve == "page":
            return _html_reply(page, render_page(page, self.library), page.status or 200)
        if page.serve == "oversized":
            return _html_reply(page, _inflated(render_page(page, self.library)), 200)
        status, template = _SPECIAL[page.serve]
        return _html_reply(
            page, render_special(template, page, self.library), page.status or status
        )


@cache
def load_world() -> World:
    """Return the bundled world; built once a process."""
    return World(load_library())


def _entry(page: Page, library: Library) -> Entry:
    title = page.title if page.serve != "pdf" else f"[PDF] {page.title}"
    return Entry(
        url=ascii_url(page.listed_url or page.url),
        title=title,
        text=to_text(page.body),
        snippet=page.snippet,
        date=page.date,
        language=page.language or library.hosts[host_of(page.url)].language,
    )


def _target(page: Page) -> str:
    """Return where a redirect leads, as an absolute URL."""
    target = page.redirect or "/"
    return target if "://" in target else f"https://{host_of(page.url)}{target}"


def _redirect(status: int, location: str) -> Reply:
    return Reply(
        status,
        (("Location", location), ("Content-Type", "text/html; charset=utf-8")),
        b"<p>Moved</p>\n",
    )


def _html_reply(page: Page, text: str, status: int) -> Reply:
    charset = f"; charset={page.encoding}" if page.declared_in == "header" else ""
    headers = (("Content-Type", f"text/html{charset}"), *page.headers.items())
    return Reply(status, headers, text.encode(page.encoding, "xmlcharrefreplace"))


def _text_reply(status: int, text: str) -> Reply:
    return Reply(status, (("Content-Type", "text/plain; charset=utf-8"),), text.encode())


def _inflated(text: str) -> str:
    """Return `text` grown beyond any sensible size limit by the samples of its chart, as data."""
    data = f'<script type="application/json" id="samples">[{_samples()}null]</script>'
    return text.replace("</body>", f"{data}</body>")


@cache
def _samples() -> str:
    """Return the samples, one line each; kept, because they are many."""
    line = "[{:07d}, 0.00, null],\n"
    count = _OVERSIZED_BYTES // len(line.format(0))
    return "".join(line.format(number) for number in range(count))
