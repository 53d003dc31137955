"""Main content by trafilatura instead of the project's own rules; an optional extra."""

import trafilatura

from research_eval.tool.fetch.page import ExtractedHtml

__all__ = ["extract_html"]


def extract_html(html: str, *, url: str) -> ExtractedHtml:
    """Return the main content of `html`; a `ContentExtractor`."""
    content = trafilatura.extract(
        html,
        url=url,
        output_format="markdown",
        include_links=True,
        include_formatting=True,
        include_tables=True,
    )
    return ExtractedHtml(content=content or "")
