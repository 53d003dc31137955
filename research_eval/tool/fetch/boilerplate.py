"""Tell what on a page is furniture: menus, banners, sharing, recommendations."""

import re

from research_eval.tool.fetch.cleanse import one_line
from research_eval.tool.fetch.dom import INLINE_TAGS, Element, Tree, count
from research_eval.tool.fetch.furniture import is_called, words_called
from research_eval.tool.fetch.naming import words_in

__all__ = ["KEPT_WORDS", "drop_boilerplate", "restore", "text_of", "wall_text", "words_of"]

_STRONG = words_called("strong")
KEPT_WORDS = words_called("kept")
"""Words that name what belongs to a text."""
_CONDITIONAL = words_called("conditional")
"""Words that mark furniture only where the element is mostly links."""
_ROLES = frozenset(
    {
        "alert",
        "alertdialog",
        "banner",
        "complementary",
        "contentinfo",
        "dialog",
        "menu",
        "menubar",
        "navigation",
        "search",
        "toolbar",
        "tooltip",
    }
)
_WALLS = words_called("walls")
"""Words that name furniture which may stand in place of the content."""
_FIRM = _WALLS | words_called("firm")
"""Words that name furniture even where it holds most of the page's prose."""
_PROSE = 300
"""Weight of prose from which on a page, or a part of it, is more than labels."""
_PARAGRAPHS = frozenset({"blockquote", "dd", "li", "p", "td"})
_PHRASE_CHARS = 8
_WALL_CHARS = 3000
_GUTTER = re.compile(
    r"(?:^|\s)(?:linenos?|lineno|line-numbers?-rows|(?:rouge-)?gutter|blob-num|hljs-ln-numbers)(?:\s|$)"
)
_COPYING = re.compile(r"(?:^|\s)(?:copybtn|copy-button|code-copy|clipboard-copy)(?:\s|$)")
_FIRST_ELEMENTS = 60
_NUMBERS = re.compile(r"[\d\s.:…+-]*\Z")
_NEVER_BY_NAME = frozenset({"article", "body", "code", "h1", "html", "main", "pre"})
_PLACES = frozenset({"article", "main"})


def words_of(element: Element) -> frozenset[str]:
    """Return the words that a person wrote into an element's classes and id."""
    if not element.attrs:
        return frozenset()
    return words_in(element.get("class"), element.get("id"))


def drop_boilerplate(tree: Tree, *, is_wide: bool = False) -> None:
    """Mark the furniture of the page, and count again what is left.

    Args:
        tree: The page.
        is_wide: Whether to judge again, and what holds paragraphs only if its kind is sure.
    """
    if is_wide:
        for element in tree.elements:
            element.is_dropped = False
        count(reversed(tree.elements))
    chars, prose = max(1, tree.root.chars), max(_PROSE, tree.root.prose)
    holds_main, code_aids = _holders(tree), _code_aids(tree.elements)
    for element in tree.elements[1:]:
        parent = element.parent
        if parent is not None and parent.is_dropped:
            element.is_dropped = True
        elif id(element) not in holds_main:
            is_open = not is_wide or not element.prose or _is_firm(element)
            element.is_dropped = id(element) in code_aids or (
                is_open and _is_boilerplate(element, element.chars / chars, element.prose / prose)
            )
    count(reversed(tree.elements))


def _is_firm(element: Element) -> bool:
    """Say whether `element` is furniture even where it holds paragraphs."""
    if element.tag in {"dialog", "footer", "nav"} or words_of(element) & _FIRM:
        return True
    return element.get("role").lower() in _ROLES - {"banner", "complementary"}


def restore(element: Element) -> None:
    """Take back that `element` is furniture; what is furniture inside of it stays so."""
    element.is_dropped = False
    stack = [child for child in element.children if isinstance(child, Element)]
    while stack:
        inner = stack.pop()
        inner.is_dropped = inner.tag != "header" and _is_boilerplate(inner, 0.0, 0.0)
        if not inner.is_dropped:
            stack.extend(child for child in inner.children if isinstance(child, Element))


def _code_aids(elements: list[Element]) -> set[int]:
    """Return the ids of what holds the line numbers of code, or the button that copies it."""
    named = [e for e in elements if "class" in e.attrs]
    gutters = {id(e) for e in named if _GUTTER.search(e.get("class"))}
    if gutters:
        gutters -= _lettered(elements)
    return gutters | {id(e) for e in named if _COPYING.search(e.get("class"))}


def _lettered(elements: list[Element]) -> set[int]:
    """Return the ids of the elements that hold more than numbers."""
    found: set[int] = set()
    for element in reversed(elements):
        if any(
            not _NUMBERS.match(child) if isinstance(child, str) else id(child) in found
            for child in element.children
        ):
            found.add(id(element))
    return found


def _holders(tree: Tree) -> set[int]:
    """Return the ids of elements that hold the page's declared main part."""
    holders: set[int] = set()
    for element in tree.elements:
        if element.tag in {"main", "body"} or element.get("role") == "main":
            place: Element | None = element
            while place is not None and id(place) not in holders:
                holders.add(id(place))
                place = place.parent
    return holders


def _is_boilerplate(element: Element, share: float, part: float) -> bool:
    """Judge `element`, which holds a share of the page's characters and a part of its prose."""
    tag, role = element.tag, element.get("role").lower()
    density = element.link_chars / max(1, element.chars)
    if tag == "nav" or role in {"navigation", "menu", "menubar"}:
        return share < 0.6 or density > 0.5
    if tag in {"header", "aside"}:
        return _is_aside(element, share, density)
    if tag == "footer":
        return share < 0.4 and not _in_quotation(element)
    if role in _ROLES or tag in {"dialog", "form"}:
        return share < 0.3
    return _is_named_boilerplate(element, share, part)


def _is_aside(element: Element, share: float, density: float) -> bool:
    """Judge a header or an aside: inside of the main part they often belong to it."""
    is_inside = _is_inside(element)
    if element.tag == "header":
        return not is_inside and share < 0.3
    is_linked = density > 0.35 or bool(words_of(element) & _STRONG)
    is_linked = is_linked or is_called("article", element)
    return share < 0.4 and (not is_inside or is_linked)


def _is_named_boilerplate(element: Element, share: float, part: float) -> bool:
    words = words_of(element)
    is_article_furniture = is_called("article", element)
    if not (words or is_article_furniture) or words & KEPT_WORDS:
        return False
    if element.tag in _NEVER_BY_NAME or _is_phrase(element):
        return False
    is_most = part >= 0.5
    if words & _STRONG or is_article_furniture:
        return share < 0.4 and (not is_most or bool(words & _FIRM))
    is_listing = element.links > 2 and element.link_chars > 0.6 * element.chars
    if not words & _CONDITIONAL or not is_listing or is_most:
        return False
    return share < (0.5 if _is_within_page(element) else 0.25)


def _is_within_page(element: Element) -> bool:
    """Say whether the first links below lead to places on the page itself."""
    stack, targets = [element], list[str]()
    for _ in range(_FIRST_ELEMENTS):
        if not stack or len(targets) == 3:
            break
        inner = stack.pop()
        if inner.tag == "a" and inner.get("href"):
            targets.append(inner.get("href"))
        stack.extend(c for c in reversed(inner.children[:20]) if isinstance(c, Element))
    return all(target.startswith("#") for target in targets)


def _is_phrase(element: Element) -> bool:
    """Say whether `element` is some words of a paragraph."""
    if element.tag not in INLINE_TAGS or element.chars < _PHRASE_CHARS:
        return False
    parent = element.parent
    return parent is not None and parent.tag in _PARAGRAPHS and parent.prose > 0


def _is_inside(element: Element) -> bool:
    place = element.parent
    while place is not None:
        if place.tag in _PLACES or place.get("role") == "main":
            return True
        place = place.parent
    return False


def _in_quotation(element: Element) -> bool:
    return element.parent is not None and element.parent.tag in {"blockquote", "figure"}


def wall_text(tree: Tree) -> str:
    """Return the texts of banners that may stand in place of the content: consent, subscription."""
    parts: list[str] = []
    for element in tree.elements[1:]:
        parent = element.parent
        if not element.is_dropped or (parent is not None and parent.is_dropped):
            continue
        if words_of(element) & _WALLS or "dialog" in element.get("role") or element.tag == "dialog":
            parts.append(text_of(element, 1000))
            if sum(map(len, parts)) > _WALL_CHARS:
                break
    return "\n".join(parts)


def text_of(element: Element, limit: int = 2000, *, is_all: bool = True) -> str:
    """Return the text below `element`, on one line, cut at about `limit` characters.

    Args:
        element: Where to begin.
        limit: How much is wanted.
        is_all: Whether furniture is read too.
    """
    parts: list[str] = []
    size = 0
    stack: list[Element | str] = [element]
    while stack and size < limit:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
            size += len(item)
        elif is_all or not item.is_dropped:
            stack.extend(reversed(item.children))
            if item.tag not in INLINE_TAGS or item.tag in {"br", "img"}:
                parts.append(" ")
    return one_line("".join(parts))
