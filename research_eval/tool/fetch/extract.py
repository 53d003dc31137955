"""A document's bytes in, a page as a model reads it out; the same in every process."""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping

from research_eval.tool.fetch.decode import decode
from research_eval.tool.fetch.html import read_html
from research_eval.tool.fetch.page import ExtractedPage
from research_eval.tool.fetch.plain import read_plain
from research_eval.tool.fetch.sniff import kind_of

__all__ = ["extract"]

_MAX_CHARS = 200_000
_MEMORY: "OrderedDict[tuple[object, ...], ExtractedPage]" = OrderedDict()
_MEMORY_PAGES = 256


def extract(
    body: bytes,
    *,
    url: str,
    content_type: str = "",
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> ExtractedPage:
    """Return the document as a page; each document is read once in a process.

    Args:
        body: Its bytes, without content coding.
        url: Where it was found, after redirects.
        content_type: What the server called it.
        status: The HTTP status.
        headers: The other headers of the response.
    """
    key = (hashlib.sha256(body).digest(), url, content_type, status)
    page = _MEMORY.get(key)
    if page is None:
        page = _extract(body, url=url, content_type=content_type)
        _MEMORY[key] = page
        if len(_MEMORY) > _MEMORY_PAGES:
            _MEMORY.popitem(last=False)
    return page


def _extract(body: bytes, *, url: str, content_type: str) -> ExtractedPage:
    kind, is_readable = kind_of(body, content_type=content_type, url=url)
    if not is_readable:
        return ExtractedPage(
            url=url,
            kind=kind,
            flags=("binary",),
            citable=False,
            error="binary",
            message=f"it is a {kind}",
        )
    decoded = decode(body, content_type=content_type, is_html=kind == "html")
    if kind == "html":
        page = read_html(decoded.text, url=url)
    else:
        content, title = read_plain(decoded.text, kind)
        page = ExtractedPage(url=url, kind=kind, title=title, content=content)
    content = page.content
    return page.model_copy(
        update={
            "encoding": decoded.encoding,
            "content": content[:_MAX_CHARS],
            "truncated": page.truncated or len(content) > _MAX_CHARS,
        }
    )
