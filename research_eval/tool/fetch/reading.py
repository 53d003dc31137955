"""Read a downloaded document without holding up the other trials."""

from research_eval.tool.fetch.download import Document
from research_eval.tool.fetch.extract import extract
from research_eval.tool.fetch.page import ExtractedPage
from research_eval.tool.fetch.settings import FetchSettings

__all__ = ["read_document"]


async def read_document(document: Document, settings: FetchSettings) -> ExtractedPage:
    """Return `document` as a page."""
    del settings
    page = extract(
        document.body,
        url=document.url,
        content_type=document.headers.get("content-type", ""),
        status=document.status,
        headers=document.headers,
    )
    return page.model_copy(update={"truncated": page.truncated or document.is_cut})
