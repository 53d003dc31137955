"""Read a downloaded document without holding up the other trials."""

import asyncio

from research_eval.tool.fetch.download import Document
from research_eval.tool.fetch.extraction import extract, is_light
from research_eval.tool.fetch.page import ExtractedPage
from research_eval.tool.fetch.settings import FetchSettings

__all__ = ["read_document"]


async def read_document(document: Document, settings: FetchSettings) -> ExtractedPage:
    """Return `document` as a page; a light one at once, others while this task waits."""
    content_type = document.headers.get("content-type", "")

    def read() -> ExtractedPage:
        return extract(
            document.body,
            url=document.url,
            content_type=content_type,
            status=document.status,
            headers=document.headers,
            extractor=settings.extractor,
        )

    if is_light(
        document.body, url=document.url, content_type=content_type, extractor=settings.extractor
    ):
        page = read()
    else:
        page = await asyncio.to_thread(read)
    if not document.is_cut:
        return page
    flags = tuple(flag for flag in page.flags if flag != "low_yield")  # the cut is the reason
    return page.model_copy(update={"truncated": True, "flags": flags})
