"""Find the element that holds a page's main content."""

import re

from research_eval.tool.fetch.annex import drop_annexes
from research_eval.tool.fetch.boilerplate import drop_boilerplate, restore, text_of
from research_eval.tool.fetch.cleanse import one_line
from research_eval.tool.fetch.content import CONTAINERS, is_named_content
from research_eval.tool.fetch.discussion import drop_discussion
from research_eval.tool.fetch.dom import Element, Tree
from research_eval.tool.fetch.picture import drop_captions
from research_eval.tool.fetch.trimming import below, is_link_list, trim

__all__ = ["is_starved", "main_content"]

_ENTRY = re.compile(r"(?:^|\s)h-?entry(?:\s|$)")
"""Class names by which microformats call an article."""
_HEADER_CHARS = 600
_KEPT = frozenset({"code", "h1", "pre"})
_LABEL_CHARS = 30
_NEARLY = 0.95
"""Share of the prose of a named part that one within it holds, if nothing beside it matters."""
_PLENTY = 600
"""Weight of prose from which on a page holds something to read."""
_PROSE = 400
"""Weight of prose from which on a page is judged by its paragraphs."""


def main_content(tree: Tree, title: str | None = None, *, is_wide: bool = False) -> Element:
    """Return the element whose content is what the page is about; furniture in it is marked.

    A first-level heading that stands outside of it, and in the page's title, is put before it.

    Args:
        tree: The page.
        title: What it calls itself.
        is_wide: Whether to keep paragraphs that only their surroundings' names speak against.
    """
    drop_boilerplate(tree, is_wide=is_wide)
    drop_discussion(tree)
    chosen = _choose(tree)
    trim(chosen)
    drop_annexes(chosen)
    drop_captions(chosen)
    heading = _heading_outside(tree, chosen, title or "")
    if heading is None:
        return chosen
    joined = Element("div", {}, None)
    joined.children = [heading, chosen]
    return joined


def is_starved(main: Element, prose: int) -> bool:
    """Say whether `main` holds little of a page's `prose`: then the article was left out."""
    parts = [main, *(c for c in main.children if isinstance(c, Element) and not c.is_dropped)]
    return prose >= _PLENTY and max(part.prose for part in parts) < 0.2 * prose


def _choose(tree: Tree) -> Element:
    chosen = _choose_by_name(tree)
    if tree.root.prose >= _PROSE and chosen.prose < 0.2 * tree.root.prose:
        return _descend(tree.root)
    return chosen


def _choose_by_name(tree: Tree) -> Element:
    total = tree.root.chars
    mains = [
        e
        for e in tree.elements
        if not e.is_dropped and (e.tag == "main" or e.get("role") == "main")
    ]
    base = max(mains, key=lambda e: e.chars, default=tree.root)
    if base.chars < 0.25 * total and total - base.chars > 500:
        base = tree.root
    article = _leading_article(tree, base)
    if article is not None:
        return article
    if base is not tree.root:
        return base
    named = _named_content(tree, total)
    return _descend(named or tree.root)


def _leading_article(tree: Tree, base: Element) -> Element | None:
    """Return the article that the page is about, if it is about one."""
    articles = [e for e in tree.elements if not e.is_dropped and e.chars and _is_article(e)]
    if not articles:
        return None
    largest = max(articles, key=lambda e: e.chars)
    if _is_one_of_several(largest):
        return None
    others = sum(1 for e in articles if e is not largest and e.chars > 0.25 * largest.chars)
    if largest.chars >= 0.6 * base.chars or (largest.chars >= 400 and others == 0):
        return largest
    return None


def _is_one_of_several(article: Element) -> bool:
    """Say whether parts of the same kind with prose of their own stand beside `article`."""
    peers = article.parent.children if article.parent is not None else []
    prose = sum(
        e.prose
        for e in peers
        if isinstance(e, Element)
        and not e.is_dropped
        and e.tag == article.tag
        and e.link_chars < 0.2 * e.chars
    )
    return prose - article.prose > 0.1 * article.prose


def _is_article(element: Element) -> bool:
    if element.tag == "article":
        return True
    return element.tag in CONTAINERS and _ENTRY.search(element.get("class")) is not None


def _named_content(tree: Tree, total: int) -> Element | None:
    """Return what the page's author named as content, if it holds most of the text.

    Of several with the same names, as the posts of a forum, none is the page's content.
    """
    named = [e for e in tree.elements[1:] if not e.is_dropped and is_named_content(e)]
    large = [e for e in named if e.chars >= 0.4 * total]
    prose = max((e.prose for e in large), default=0)
    whole = [e for e in large if e.prose >= _NEARLY * prose]
    best = min(reversed(whole), key=lambda e: e.chars, default=None)
    if best is None:
        return None
    alike = (e for e in named if e is not best and e.get("class") == best.get("class"))
    if any(e.tag == best.tag and e.prose > 0.1 * best.prose for e in alike):
        return None
    return best


def _descend(start: Element) -> Element:
    """Follow the child that holds nearly all of the prose, as long as there is one."""
    node = start
    while True:
        children = [c for c in node.children if isinstance(c, Element) and not c.is_dropped]
        choose = _with_prose if node.prose >= _PROSE else _with_text
        inner = choose(children, node)
        if inner is None:
            return node
        node = inner


def _with_prose(children: list[Element], node: Element) -> Element | None:
    """Return the child with the paragraphs, if only labels and lists of links stand beside it."""
    best = max(children, key=lambda e: e.prose, default=None)
    if best is None or best.tag not in CONTAINERS or best.prose < max(_PROSE, 0.6 * node.prose):
        return None
    if best.chars < 0.25 * node.chars or sum(child.prose for child in children) < node.prose:
        return None
    others = (child for child in children if child is not best)
    return best if all(_is_beside(child, best.prose) for child in others) else None


def _is_beside(element: Element, prose: int) -> bool:
    """Say whether `element` may be left out: a label, or a list of links, without a heading."""
    if element.chars >= _LABEL_CHARS and not is_link_list(element, prose):
        return False
    return not any(inner.tag in _KEPT for inner in below(element))


def _with_text(children: list[Element], node: Element) -> Element | None:
    """Return the child with nearly all of the text, and of that outside of links."""
    best = max(children, key=_unlinked, default=None)
    if best is None or best.tag not in CONTAINERS:
        return None
    is_most = _unlinked(best) >= 0.8 * _unlinked(node) and best.chars >= 0.6 * node.chars
    return best if is_most else None


def _unlinked(element: Element) -> int:
    return element.chars - element.link_chars


def _heading_outside(tree: Tree, chosen: Element, title: str) -> Element | None:
    """Return the page's own heading, if the content begins after it."""
    inside = {id(e) for e in below(chosen)}
    headings = [e for e in tree.elements if e.tag == "h1" and e.chars]
    if any(id(e) in inside for e in headings):
        return None
    wanted = title.casefold()
    for heading in headings:
        text = one_line(text_of(heading)).casefold()
        if text and (text in wanted or wanted.partition(" | ")[0] in text):
            shown = _header_of(heading)
            restore(shown)
            return shown
    return None


def _header_of(heading: Element) -> Element:
    """Return the header that `heading` stands in, if it holds more than links, else `heading`."""
    place = heading.parent
    for _ in range(3):
        if place is None:
            break
        if place.tag in {"header", "hgroup"}:
            is_small = place.chars < _HEADER_CHARS and place.link_chars < 0.3 * place.chars
            return place if is_small else heading
        place = place.parent
    return heading
