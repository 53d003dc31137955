"""HTML in, title, Markdown and findings out: parse, select, write, as `read_html` says in a few lines."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from research_eval.plugin import fault_of, is_shutdown
from research_eval.tool.fetch.boilerplate import text_of, wall_text
from research_eval.tool.fetch.cleanse import cleanse, one_line
from research_eval.tool.fetch.dom import Element, Tree, parse
from research_eval.tool.fetch.flight import flight_html
from research_eval.tool.fetch.link import LinkResolver
from research_eval.tool.fetch.markdown import to_markdown
from research_eval.tool.fetch.metadata import Metadata, read_metadata
from research_eval.tool.fetch.page import (
    ContentExtractor,
    ExtractedHtml,
    ExtractedPage,
    ExtractorError,
    PageFlag,
)
from research_eval.tool.fetch.reveal import open_shadow_roots
from research_eval.tool.fetch.sanitise import sanitise
from research_eval.tool.fetch.selection import is_starved, main_content
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
_LARGE_CHARS = 50_000
_LITTLE_CHARS = 1000
_LITTLE_SHARE = 0.01
"""A document of so many characters that gave less than so many, or such a share, gave little."""
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
    tree = parse(sanitise(open_shadow_roots(html)))
    about = read_metadata(tree.parser)
    links = LinkResolver(url, about.base)
    choice = _select(html, tree, about, headers or {})
    content = (
        cleanse(_extracted(extractor, tree.seen_html(), url))
        if extractor is not None and not choice.is_for_machines
        else to_markdown(choice.main, links)
    )
    is_low = not choice.flags and _is_low_yield(html, content)
    return _page(url, about, links, content, ("low_yield",) if is_low else choice.flags, tree)


def _extracted(extractor: ContentExtractor, html: str, url: str) -> str:
    """Return what another extractor makes of the page.

    Raises:
        ExtractorError: If it raises, or returns anything else than an `ExtractedHtml`.
    """
    try:
        found: object = extractor(html, url=url)
    except BaseException as exc:
        if is_shutdown(exc) and not isinstance(exc, GeneratorExit):  # none of a plain function
            raise
        raise ExtractorError(f"the extractor raised {fault_of(exc)}") from exc
    if not isinstance(found, ExtractedHtml):
        said = f"the extractor returned {type(found).__name__}, expected ExtractedHtml"
        raise ExtractorError(said)
    return found.content


@dataclass(frozen=True)
class _Choice:
    """The part of a page that is its content, and what that says of the page."""

    main: Element
    impression: Impression
    flags: tuple[PageFlag, ...]
    is_for_machines: bool = False
    """Whether it was taken from what only scripts or search engines read."""


def _select(html: str, tree: Tree, about: Metadata, headers: Mapping[str, str]) -> _Choice:
    """Choose the main content, or what stands for it where a page shows next to none."""
    choice = _select_seen(html, tree, about, headers)
    if choice.impression.chars >= _SHELL_CHARS or "bot_wall" in choice.flags:
        return choice
    return _of_machines(about, tree) or choice


def _select_seen(html: str, tree: Tree, about: Metadata, headers: Mapping[str, str]) -> _Choice:
    """Choose more widely where the first choice left out most of the prose."""
    seen = _Seen(html, tree.root.chars, tree.root.prose, text_of(tree.root, 4000))
    choice = _chosen(seen, tree, about, headers, is_wide=False)
    if is_starved(choice.main, seen.prose - tree.discussion) and not _SETTLED & set(choice.flags):
        return _chosen(seen, tree, about, headers, is_wide=True)
    return choice


def _chosen(
    seen: "_Seen", tree: Tree, about: Metadata, headers: Mapping[str, str], *, is_wide: bool
) -> _Choice:
    main = main_content(tree, about.title, is_wide=is_wide)
    impression = _impression(seen, tree, about, main)
    return _Choice(main, impression, find_flags(impression, headers))


def _of_machines(about: Metadata, tree: Tree) -> _Choice | None:
    """Return what a page without text of its own gives to scripts or search engines, if anything."""
    body = about.article_body or ""
    if len(body) >= _SHELL_CHARS:
        main = parse(sanitise(body)).root
        flags: tuple[PageFlag, ...] = ("paywall",) if about.is_paid else ()
        return _Choice(main, _impression(_Seen(body, 0, 0, ""), tree, about, main), flags, True)
    payload = flight_html(tree.parser)
    if payload is None:
        return None
    rendered = parse(sanitise(payload))
    choice = _select_seen(payload, rendered, about, {})
    if choice.impression.chars < _SHELL_CHARS:
        return None
    return replace(choice, is_for_machines=True)


def _is_low_yield(html: str, content: str) -> bool:
    """Say whether a large page gave next to nothing: then much of it may need scripts or clicks."""
    is_little = len(content) < min(_LITTLE_CHARS, _LITTLE_SHARE * len(html))
    return len(html) >= _LARGE_CHARS and is_little


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
