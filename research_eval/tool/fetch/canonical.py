"""A page's own canonical URL, as far as it may be believed."""

from research_eval.ledger import is_same_site
from research_eval.tool.fetch.page import ExtractedPage

__all__ = ["same_site_canonical"]


def same_site_canonical(page: ExtractedPage) -> str | None:
    """Return the canonical URL of `page` if it differs and lies on the same registrable domain."""
    if page.canonical is None or page.canonical == page.url:
        return None
    return page.canonical if is_same_site(page.canonical, page.url) else None
