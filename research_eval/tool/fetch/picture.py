"""Take out captions that an article does not need: those of galleries, and what is said a second time."""

from research_eval.tool.fetch.boilerplate import text_of
from research_eval.tool.fetch.dom import Element, count
from research_eval.tool.fetch.furniture import is_called
from research_eval.tool.fetch.trimming import below

__all__ = ["drop_captions"]

_ARTICLE = 600
"""Weight of prose from which on captions stand beside a text."""
_PICTURES = 3
"""Pictures from which on an element is a gallery."""
_SHARE = 0.4
"""Share of the characters from which on a gallery is what the page is about."""
_CAPTION_CHARS = 600
_QUOTE_CHARS = (20, 400)
_MARKS = " \"'\u00ab\u00bb\u2018\u2019\u201c\u201d\u201e"


def drop_captions(root: Element) -> None:
    """Mark galleries, second captions and repeated quotes in an article; count again."""
    if root.prose < _ARTICLE:
        return
    pictures = _pictures(root)
    seen: set[str] = set()
    quotes: list[Element] = []
    found = False
    for element in below(root):
        if not element.chars or (element.parent is not None and element.parent.is_dropped):
            continue
        if pictures.get(id(element), 0) >= _PICTURES and is_called("gallery", element):
            element.is_dropped = element.chars < _SHARE * root.chars
        elif element.chars < _CAPTION_CHARS and _is_caption(element):
            text = text_of(element)
            element.is_dropped = text in seen
            seen.add(text)
        elif is_called("pullquote", element):
            quotes.append(element)
        found |= element.is_dropped
    found |= _drop_repeated(root, quotes)
    if found:
        count(reversed(list(below(root))))


def _is_caption(element: Element) -> bool:
    if element.parent is not None and element.parent.tag == "figcaption":
        return False
    return element.tag == "figcaption" or (element.tag != "table" and is_called("caption", element))


def _pictures(root: Element) -> dict[int, int]:
    """Return how many pictures each element holds."""
    found: dict[int, int] = {}
    for element in reversed(list(below(root))):
        found[id(element)] = (element.tag == "img") + sum(
            found.get(id(child), 0) for child in element.children if isinstance(child, Element)
        )
    return found


def _drop_repeated(root: Element, quotes: list[Element]) -> bool:
    """Mark quotes that stand in the text as well."""
    found = False
    whole = text_of(root, 200_000, is_all=False) if quotes else ""
    for quote in quotes[:20]:
        text = text_of(quote).strip(_MARKS)
        if _QUOTE_CHARS[0] <= len(text) <= _QUOTE_CHARS[1] and whole.count(text) > 1:
            quote.is_dropped = found = True
    return found
