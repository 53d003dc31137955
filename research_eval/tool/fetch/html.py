"""HTML in, title, Markdown and findings out."""

from collections.abc import Mapping
from dataclasses import dataclass

from research_eval.tool.fetch.boilerplate import text_of, wall_text
from research_eval.tool.fetch.cleanse import cleanse, one_line
from research_eval.tool.fetch.dom import Element, Tree, parse
from research_eval.tool.fetch.link import LinkResolver
from research_eval.tool.fetch.markdown import to_markdown
from research_eval.tool.fetch.metadata import Metadata, read_metadata
from research_eval.tool.fetch.page import (
    ContentExtractor,
    ExtractedHtml,
    ExtractedPage,
    PageFlag,
)
from research_eval.tool.fetch.selection import is_starved, main_content
from research_eval.tool.fetch.tame import tame
from research_eval.tool.fetch.wall import Impression, evidence_of, find_flags

__all__ = ["extract_html", "read_html"]

_ROOT_IDS = frozenset(
    {
        "__next",
        "__nuxt",
        "app",
        "app-root",
        "application",
        "main-app",
        "mount",
        "react-root",
        "root",
        "svelte",
    }
)
_ROOT_TAGS = frozenset({"app-root", "my-app"})
_SOURCE_CHARS = 300_000
_SETTLED = frozenset({"bot_wall", "consent_wall", "login_wall", "paywall", "soft_404"})
"""Flags that say why there is little to read."""
_SHELL_CHARS = 250
"""Fewer visible characters than this may be a shell whose text is given to machines alone."""


def extract_html(html: str, *, url: str) -> ExtractedHtml:
    """Return the main content of `html` by the project's own rules; a `ContentExtractor`."""
    page = read_html(html, url=url)
    return ExtractedHtml(content=page.content, title=page.title)


def read_html(
    html: str,
    *,
    url: str,
    headers: Mapping[str, str] | None = None,
    extractor: ContentExtractor | None = None,
) -> ExtractedPage:
    """Return everything that can be told from `html`.

    Args:
        html: The decoded document.
        url: Where it was found.
        headers: Those of the response, in lower case.
        extractor: Who finds the main content instead; flags are found the same way.
    """
    html = tame(html)
    tree = parse(html)
    about = read_metadata(tree.parser)
    links = LinkResolver(url, about.base)
    seen = _Seen(html, tree.root.chars, tree.root.prose, text_of(tree.root, 4000))
    main = main_content(tree, about.title)
    impression = _impression(seen, tree, about, main)
    flags = find_flags(impression, headers or {})
    if is_starved(main, seen.prose) and not _SETTLED & set(flags):
        main = main_content(tree, about.title, is_wide=True)
        impression = _impression(seen, tree, about, main)
        flags = find_flags(impression, headers or {})
    content = to_markdown(main, links)
    body = about.article_body or ""
    if len(body) >= _SHELL_CHARS and impression.chars < _SHELL_CHARS and "bot_wall" not in flags:
        content, flags = (
            to_markdown(parse(tame(body)).root, links),
            ("paywall",) if about.is_paid else (),
        )
    elif extractor is not None:
        content = cleanse(extractor(tree.seen_html(), url=url).content)
    return _page(url, about, links, content, flags, tree)


def _page(
    url: str,
    about: Metadata,
    links: LinkResolver,
    content: str,
    flags: tuple[PageFlag, ...],
    tree: Tree,
) -> ExtractedPage:
    evidence = evidence_of(flags)
    return ExtractedPage(
        url=url,
        kind="html",
        title=about.title,
        content=content,
        flags=flags,
        evidence=evidence,
        citable=evidence == "ok",
        truncated=tree.is_cut,
        canonical=links.resolve(about.canonical),
        author=about.author,
        published=about.published,
        modified=about.modified,
        site=about.site,
        language=one_line(about.language or "") or None,
        description=about.description,
    )


@dataclass(frozen=True)
class _Seen:
    """The page as it is before furniture is told from content."""

    html: str
    chars: int
    prose: int
    text: str
    """The beginning of all that can be seen."""


def _impression(seen: _Seen, tree: Tree, about: Metadata, main: Element) -> Impression:
    """Gather what the page is judged by."""
    chars = (
        sum(c.chars for c in main.children if isinstance(c, Element)) if main.parent is None else 0
    )
    chars = max(chars, main.chars)
    text = text_of(main, 4000, is_all=False) if chars < 10_000 else ""
    headings = (e for e in tree.elements if e.tag == "h1")
    return Impression(
        title=about.title or "",
        heading="\n".join(text_of(e, 300) for _, e in zip(range(5), headings, strict=False)),
        text=text,
        tail=text[-800:],
        chars=chars,
        visible_chars=seen.chars,
        visible_text=seen.text if seen.chars < 10_000 else "",
        furniture_text=wall_text(tree),
        noscript=one_line(tree.noscript[:4000]),
        scripts=tree.scripts,
        has_empty_root=any(_is_empty_root(e) for e in tree.elements),
        has_password_field=tree.has_password_field,
        is_paid=about.is_paid,
        html=seen.html[:_SOURCE_CHARS],
    )


def _is_empty_root(element: Element) -> bool:
    return element.chars == 0 and (element.get("id") in _ROOT_IDS or element.tag in _ROOT_TAGS)
