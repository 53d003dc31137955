"""Fetch: a URL in, the text of the page and what it is worth as evidence out."""

from typing import TYPE_CHECKING, Any

from research_eval.tool.fetch.page import ContentExtractor, ExtractedHtml, ExtractedPage
from research_eval.tool.fetch.settings import FetchSettings

if TYPE_CHECKING:
    from research_eval.tool.fetch.conditional import ConditionalTransport, PageCache
    from research_eval.tool.fetch.extraction import extract
    from research_eval.tool.fetch.politeness import Politeness
    from research_eval.tool.fetch.tool import FetchTool, PageLedger
    from research_eval.tool.fetch.transport import guarded_transport

__all__ = [
    "ConditionalTransport",
    "ContentExtractor",
    "ExtractedHtml",
    "ExtractedPage",
    "FetchSettings",
    "FetchTool",
    "PageCache",
    "PageLedger",
    "Politeness",
    "extract",
    "guarded_transport",
]

_LAZY = {
    "ConditionalTransport": "conditional",
    "FetchTool": "tool",
    "Politeness": "politeness",
    "PageCache": "conditional",
    "PageLedger": "tool",
    "extract": "extraction",
    "guarded_transport": "transport",
}
"""Names that bring parsers and detectors with them, and the modules where they stand."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 - what a module holds can be anything
    """Import what is heavy when it is first asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
