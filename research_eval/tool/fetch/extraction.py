"""A document's bytes in, a page as a model reads it out; the same in every process.

Where a document is read follows from the document alone. PDF goes to the worker, a process with
limits on time and memory; so does HTML of more than `IN_PROCESS_BYTES`, or by an extractor that is
not ours. Smaller HTML is made harmless by `sanitise` and is then read here in time proportional to its
length; other texts are only decoded. The same code reads in both places, so the result is the same.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping

from research_eval.tool.fetch.page import ExtractedPage
from research_eval.tool.fetch.reader import load_extractor, read_here, unreadable
from research_eval.tool.fetch.sniff import kind_of
from research_eval.tool.fetch.worker import Worker, WorkerError

__all__ = ["IN_PROCESS_BYTES", "extract", "is_light"]

IN_PROCESS_BYTES = 300_000
"""Size up to which HTML is read in this process."""

_REMEMBERED_PAGES = 512
_REMEMBERED_CHARS = 20_000_000
_TELLING_HEADERS = ("cf-mitigated", "x-amzn-waf-action", "x-vercel-mitigated")
"""Headers, besides the content type, that the result depends on."""


class _Memory:
    """The pages that were read last."""

    def __init__(self) -> None:
        self._pages: OrderedDict[tuple[object, ...], ExtractedPage] = OrderedDict()
        self._chars = 0

    def get(self, key: tuple[object, ...]) -> ExtractedPage | None:
        page = self._pages.get(key)
        if page is not None:
            self._pages.move_to_end(key)
        return page

    def put(self, key: tuple[object, ...], page: ExtractedPage) -> None:
        if key in self._pages:
            return
        self._pages[key] = page
        self._chars += len(page.content)
        while len(self._pages) > _REMEMBERED_PAGES or self._chars > _REMEMBERED_CHARS:
            _, old = self._pages.popitem(last=False)
            self._chars -= len(old.content)


_MEMORY = _Memory()
_WORKER = Worker()


def extract(
    body: bytes,
    *,
    url: str,
    content_type: str = "",
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    extractor: str = "default",
) -> ExtractedPage:
    """Return the document as a page; each document is read once in a process.

    Args:
        body: Its bytes, without content coding.
        url: Where it was found, after redirects.
        content_type: What the server called it.
        status: The HTTP status; anything but 2xx is an error, whatever the page shows.
        headers: The other headers of the response.
        extractor: Who finds the main content of HTML, as `FetchSettings.extractor`.
    """
    lowered = {name.lower(): value for name, value in (headers or {}).items()}
    telling = {name: lowered[name] for name in _TELLING_HEADERS if name in lowered}
    key = (hashlib.sha256(body).digest(), url, content_type, tuple(telling.items()), extractor)
    page = _MEMORY.get(key)
    if page is None:
        page = _read(body, url=url, content_type=content_type, headers=telling, extractor=extractor)
        _MEMORY.put(key, page)
    if 200 <= status < 300:
        return page
    return page.model_copy(
        update={"citable": False, "error": f"http_{status}", "message": f"the server said {status}"}
    )


def is_light(body: bytes, *, url: str, content_type: str, extractor: str = "default") -> bool:
    """Say whether the document is read in this process."""
    kind, is_readable = kind_of(body, content_type=content_type, url=url)
    if kind in {"html", "feed"}:
        return len(body) <= IN_PROCESS_BYTES and extractor == "default"
    return not is_readable or kind != "pdf"


def _read(
    body: bytes, *, url: str, content_type: str, headers: dict[str, str], extractor: str
) -> ExtractedPage:
    if is_light(body, url=url, content_type=content_type, extractor=extractor):
        return read_here(
            body, url=url, content_type=content_type, headers=headers, extractor=extractor
        )
    load_extractor(extractor)  # a wrong name is the user's to fix, not the document's fault
    question: dict[str, object] = {
        "url": url,
        "content_type": content_type,
        "headers": headers,
        "extractor": extractor,
    }
    try:
        answer = _WORKER.ask(question, body)
    except WorkerError:
        kind, _ = kind_of(body, content_type=content_type, url=url)
        return unreadable(url, kind, "too_heavy")
    return ExtractedPage.model_validate_json(answer)
