"""Take out what readers wrote below an article, however long it is."""

from collections.abc import Iterable

from research_eval.tool.fetch.content import is_named_content
from research_eval.tool.fetch.dom import Element, Tree, count
from research_eval.tool.fetch.furniture import is_called

__all__ = ["drop_discussion", "is_discussion"]

_ARTICLE = 600
"""Weight of prose outside of comments from which on a page is an article with comments."""
_SHARE = 0.3
"""Share of a page's prose outside of comments that speaks for an article even without its name."""
_NEVER = frozenset({"article", "body", "h1", "html", "main"})


def is_discussion(element: Element) -> bool:
    """Say whether the names of `element` call it comments of readers."""
    return element.tag not in _NEVER and is_called("discussion", element)


def drop_discussion(tree: Tree) -> None:
    """Mark comments where the page holds an article besides; elsewhere they are its content."""
    holders = _holders(e for e in tree.elements if e.tag == "h1")
    found: list[Element] = []
    inside: set[int] = set()
    named: list[Element] = []
    for element in tree.elements[1:]:
        if element.is_dropped:
            continue
        if id(element.parent) in inside:
            inside.add(id(element))
        elif is_discussion(element) and id(element) not in holders:
            inside.add(id(element))
            found.append(element)
        elif element.prose >= _ARTICLE and is_named_content(element):
            named.append(element)
    prose = sum(element.prose for element in found)
    outside = tree.root.prose - prose
    if not prose or outside < _ARTICLE:
        return
    around = _holders(found)
    if outside < _SHARE * tree.root.prose and all(id(element) in around for element in named):
        return
    for element in found:
        element.is_dropped = True
    for element in tree.elements[1:]:
        element.is_dropped |= element.parent is not None and element.parent.is_dropped
    tree.discussion = prose
    count(reversed(tree.elements))


def _holders(elements: Iterable[Element]) -> set[int]:
    """Return the ids of `elements` and of all that they stand in."""
    found: set[int] = set()
    for element in elements:
        place: Element | None = element
        while place is not None and id(place) not in found:
            found.add(id(place))
            place = place.parent
    return found
