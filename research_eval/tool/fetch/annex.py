"""Take out of an article what interrupts or follows it: other articles, comments, who wrote it, forms.

A part is judged by the label that it begins with, or, behind an article that its author named, by its
names, its links and the call that it ends with.
"""

from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from research_eval.tool.fetch.boilerplate import KEPT_WORDS, text_of, words_of
from research_eval.tool.fetch.content import is_named_content
from research_eval.tool.fetch.discussion import is_discussion
from research_eval.tool.fetch.dom import INLINE_TAGS, Element, count
from research_eval.tool.fetch.furniture import heading_pattern, is_called
from research_eval.tool.fetch.trimming import below, is_own_heading

__all__ = ["drop_annexes"]

_Kind = Literal["recommendation", "discussion", "author", "letter"]
_KINDS: tuple[_Kind, ...] = ("recommendation", "discussion", "author", "letter")
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_PARTS = frozenset({"aside", "div", "dl", "figure", "footer", "form", "nav", "ol", "section", "ul"})
"""Elements that may be a part of their own."""
_LINES = frozenset({"div", "li", "p", "section", "span"})
_WORK = frozenset({"code", "math", "pre", "table"})
"""Elements that belong to a text wherever they stand."""
_LABEL_CHARS = 70
_LINE_CHARS = 260
_LETTER_CHARS = 700
_ITEM_CHARS = 600
"""Characters of a title of another article, with what is said of it."""
_TITLE_CHARS = 12
_SMALL = 50
"""Elements in a line or label, at most."""
_LOOKED_AT = 2000
"""Elements of a part that are looked at."""
_CHOICES = 10
"""Things to tick from which on a list of them is no text."""
_MANY = 3
"""Titles from which on a list of articles may be longer than the text before it."""
_ARTICLE = 400
"""Weight of prose from which on a text has begun."""
_MOST = 0.5
"""Share of the prose from which on a part is no annex."""
_ANSWERS = frozenset(
    {"reply", "report", "like", "report abuse", "antworten", "répondre", "responder"}
)
_CALLS = frozenset({"donate", "support us", "subscribe", "subscribe now", "sign up", "get a quote"})


@dataclass
class _Outline:
    """What has to be known of an article to judge its parts."""

    order: list[Element]
    labels: dict[int, Element] = field(default_factory=dict)
    """The element that holds the first words of each."""
    titles: dict[int, int] = field(default_factory=dict)
    """How many titles of other articles each holds."""
    before: dict[int, int] = field(default_factory=dict)
    """Weight of the prose before each."""
    sizes: dict[int, int] = field(default_factory=dict)
    """How many elements each holds, itself counted."""
    places: dict[int, tuple[list[Element], int]] = field(default_factory=dict)
    """The elements that each stands among, and its place there."""

    def is_small(self, element: Element) -> bool:
        """Say whether `element` can be looked through for each of its wrappers again."""
        return self.sizes[id(element)] <= _SMALL


def drop_annexes(root: Element) -> None:
    """Mark what belongs to the site and not to the article in `root`; count again."""
    if root.prose < _ARTICLE:
        return
    outline = _outline(root)
    kept = _holders_of_headings(outline.order)
    is_reference = sum(e.tag in _WORK for e in outline.order) >= 8
    found = False
    for element in outline.order:
        if element.is_dropped or _is_gone(element):
            continue
        if id(element) not in kept and element is not root:
            found |= (
                (outline.is_small(element) and _drop_line(element, is_reference))
                or _drop_choices(element)
                or _drop_part(element, root, outline)
            )
    if found:
        count(reversed(list(below(root))))
    if _drop_after(root, outline):
        count(reversed(list(below(root))))


def _outline(root: Element) -> _Outline:
    outline = _Outline(list(below(root)))
    for element in reversed(outline.order):
        inner = [child for child in element.children if isinstance(child, Element)]
        outline.places.update((id(child), (inner, place)) for place, child in enumerate(inner))
        outline.sizes[id(element)] = 1 + sum(outline.sizes.get(id(child), 0) for child in inner)
        label, titles = None, 0
        for child in element.children:
            if isinstance(child, str):
                label = label or (element if child.strip() else None)
            elif not child.is_dropped:
                label = label or outline.labels.get(id(child))
                titles += outline.titles[id(child)]
        if element.tag in _HEADINGS and label is not None:
            label = element
        if label is not None:
            outline.labels[id(element)] = label
        is_title = element.tag in _HEADINGS or (
            element.tag not in INLINE_TAGS and element.link_chars == element.chars
        )
        outline.titles[id(element)] = titles or int(is_title and element.chars >= _TITLE_CHARS)
    weight = 0
    for element in outline.order:
        outline.before[id(element)] = weight
        shown = (c for c in element.children if isinstance(c, Element) and not c.is_dropped)
        weight += max(0, element.prose - sum(child.prose for child in shown))
    return outline


def _holders_of_headings(order: list[Element]) -> set[int]:
    """Return the ids of the main heading and of all that it stands in."""
    found: set[int] = set()
    for element in order:
        place: Element | None = element if element.tag == "h1" else None
        while place is not None and id(place) not in found:
            found.add(id(place))
            place = place.parent
    return found


def _is_gone(element: Element) -> bool:
    """Say whether what `element` stands in was left out; what stands in it is then as well."""
    element.is_dropped = element.parent is not None and element.parent.is_dropped
    return element.is_dropped


def _drop_line(element: Element, is_reference: bool) -> bool:
    """Mark a line of advertising, a link to another article, a sentence that asks for an address."""
    if element.tag not in _LINES or not 0 < element.chars < _LINE_CHARS:
        return False
    if element.chars < 60 and _says("label", text_of(element), is_whole=True):
        element.is_dropped = True
    elif element.links and not is_reference and element.tag != "span":
        is_linked = element.link_chars >= 0.6 * element.chars
        text = text_of(element)
        element.is_dropped = (is_linked and _says("line", text)) or (
            element.tag != "li" and _says("letter", text)
        )
    return element.is_dropped


def _drop_choices(element: Element) -> bool:
    """Mark a list of things to tick, as of countries in a form."""
    if element.tag in _PARTS and not element.prose and len(element.children) >= _CHOICES:
        inner = [c for c in element.children if isinstance(c, Element) and c.chars]
        labels = sum(1 for child in inner if any(e.tag == "label" for e in _first(child)))
        element.is_dropped = labels >= max(_CHOICES, len(inner))
    return element.is_dropped


def _says(section: str, text: str, *, is_whole: bool = False) -> bool:
    found = heading_pattern(section).match(text)
    return found is not None and (not is_whole or not text[found.end() :].strip(" .:·|-"))


def _drop_part(element: Element, root: Element, outline: _Outline) -> bool:
    """Mark `element`, or the section that it is the heading of, if its label says what it is."""
    label = outline.labels.get(id(element))
    if label is None or label.chars > _LABEL_CHARS or not outline.is_small(label):
        return False
    if element.tag not in _PARTS and element.tag not in _HEADINGS:
        return False
    text = text_of(label)
    kind = next((kind for kind in _KINDS if _says(f"heading {kind}", text)), None)
    is_doubtful = kind is None and _says("heading discussion if", text)
    if kind is None and not is_doubtful:
        return False
    parts = _section(element, label, outline)
    if is_doubtful and not _is_answered(parts):
        return False
    if not _is_annex(kind or "discussion", parts, root, outline):
        return False
    for part in parts:
        part.is_dropped = True
    return True


def _section(element: Element, label: Element, outline: _Outline) -> list[Element]:
    """Return `element`, and where it is no more than a heading, what follows up to the next one."""
    section = [element]
    if element.chars != label.chars or label.tag not in _HEADINGS:
        return section
    siblings, place = outline.places.get(id(element), ([], 0))
    for sibling in siblings[place + 1 : place + 1 + _LOOKED_AT]:
        if sibling.is_dropped:
            continue
        if any(e.tag in _HEADINGS and e.tag <= label.tag for e in _first(sibling)):
            break
        section.append(sibling)
        if element.tag not in _HEADINGS and sibling.chars:
            break
    return section


def _first(element: Element) -> list[Element]:
    """Return `element` and the first things in it."""
    found = [element]
    while found[-1].children and len(found) < 4:
        inner = next((c for c in found[-1].children if isinstance(c, Element) and c.chars), None)
        if inner is None:
            break
        found.append(inner)
    return found


def _is_annex(kind: _Kind, parts: list[Element], root: Element, outline: _Outline) -> bool:
    chars = sum(part.chars for part in parts)
    prose = sum(part.prose for part in parts)
    before = outline.before[id(parts[0])]
    if kind == "letter":
        return chars < _LETTER_CHARS and any(_asks_for_address(part) for part in parts)
    if kind == "recommendation":
        titles = sum(max(outline.titles[id(part)], part.links) for part in parts)
        is_small = prose < _MOST * root.prose or (titles >= _MANY and before >= _ARTICLE)
        return is_small and chars < _ITEM_CHARS * titles
    if kind == "author":
        return before >= _ARTICLE and prose < _MOST * root.prose
    return before >= _ARTICLE


def _asks_for_address(part: Element) -> bool:
    """Say whether `part` holds a form, or words on letters by mail."""
    stack = [part]
    for _ in range(_LOOKED_AT):
        if not stack:
            break
        element = stack.pop()
        if element.tag == "form":
            return True
        stack.extend(c for c in element.children[:_LOOKED_AT] if isinstance(c, Element))
    return heading_pattern("letter words").search(text_of(part)) is not None


def _is_answered(parts: list[Element]) -> bool:
    """Say whether parts hold what readers wrote: names that say so, or links to answer them."""
    answers = 0
    for part in parts:
        for element in islice(below(part), _LOOKED_AT):
            if is_discussion(element) or "comment" in words_of(element):
                return True
            is_short = 0 < element.chars < 16 and len(element.children) < _SMALL
            if is_short and text_of(element).lower() in _ANSWERS:
                answers += 1
    return answers >= 2


def _drop_after(root: Element, outline: _Outline) -> bool:
    """Mark the parts behind the article's declared end that weak signs speak against."""
    found = False
    node = _body(root, outline.order)
    while node is not None and node is not root and node.parent is not None:
        siblings = [c for c in node.parent.children if isinstance(c, Element) and not c.is_dropped]
        place = siblings.index(node) if node in siblings else len(siblings)
        for part in siblings[place + 1 :]:
            if part.chars and _is_after(part, outline):
                part.is_dropped = found = True
        node = node.parent
    return found


def _body(root: Element, order: list[Element]) -> Element | None:
    """Return the innermost part of `root` that its author named as the article's text."""
    least = max(_ARTICLE, _MOST * root.prose)
    large = [
        e
        for e in order
        if e.prose >= least
        and e is not root
        and not (e.is_dropped or _is_gone(e))
        and (is_named_content(e) or e.tag == "article")
    ]
    return large[-1] if large else None


def _is_after(part: Element, outline: _Outline) -> bool:
    if words_of(part) & KEPT_WORDS or any(e.tag in _WORK for e in below(part)):
        return False
    label = outline.labels.get(id(part))
    if label is not None and is_own_heading(text_of(label)):
        return False
    if is_called("after", part):
        return True
    if not part.prose:
        return part.links > 0
    titles = outline.titles[id(part)]
    if titles > 1 and part.chars < _ITEM_CHARS * titles and part.links > 1:
        return True
    return _last_words(part) in _CALLS


def _last_words(element: Element) -> str:
    """Return the text of the last link in `element`, if it ends with one."""
    links = [e for e in below(element) if e.tag == "a"]
    text = text_of(links[-1], 40).lower() if links else ""
    return text if text and text_of(element, 4000).lower().endswith(text) else ""
