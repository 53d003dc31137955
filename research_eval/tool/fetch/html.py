"""HTML in, title, Markdown and findings out."""

from research_eval.tool.fetch.cleanse import one_line
from research_eval.tool.fetch.dom import parse
from research_eval.tool.fetch.link import LinkResolver
from research_eval.tool.fetch.markdown import to_markdown
from research_eval.tool.fetch.metadata import read_metadata
from research_eval.tool.fetch.page import ExtractedHtml, ExtractedPage
from research_eval.tool.fetch.selection import main_content

__all__ = ["extract_html", "read_html"]


def extract_html(html: str, *, url: str) -> ExtractedHtml:
    """Return the main content of `html` by the project's own rules; a `ContentExtractor`."""
    page = read_html(html, url=url)
    return ExtractedHtml(content=page.content, title=page.title)


def read_html(html: str, *, url: str) -> ExtractedPage:
    """Return everything that can be told from `html`."""
    tree = parse(html)
    about = read_metadata(tree.parser)
    links = LinkResolver(url, about.base)
    content = to_markdown(main_content(tree), links)
    return ExtractedPage(
        url=url,
        kind="html",
        title=about.title,
        content=content,
        truncated=tree.is_cut,
        canonical=links.resolve(about.canonical),
        author=about.author,
        published=about.published,
        modified=about.modified,
        site=about.site,
        language=one_line(about.language or "") or None,
        description=about.description,
    )
