"""A document as a light tree of our own, built without recursion, hidden parts left out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_eval.tool.fetch.hidden import is_hidden
from research_eval.tool.fetch.reveal import SHADOW_TAG, Pieces, fallback_of, panels_of
from research_eval.tool.fetch.stylesheet import Stylesheet

__all__ = ["INLINE_TAGS", "INVISIBLE_TAGS", "MAX_ELEMENTS", "Element", "Tree", "count", "parse"]

MAX_ELEMENTS = 100_000
"""Elements that are looked at; a longer document is cut there."""

INVISIBLE_TAGS = frozenset(
    {
        "applet",
        "area",
        "audio",
        "base",
        "basefont",
        "bgsound",
        "button",
        "canvas",
        "datalist",
        "embed",
        "frame",
        "frameset",
        "head",
        "iframe",
        "input",
        "link",
        "map",
        "meta",
        "meter",
        "noembed",
        "noframes",
        "noscript",
        "object",
        "option",
        "optgroup",
        "param",
        "progress",
        "rp",
        "rt",
        "rtc",
        "script",
        "select",
        "source",
        "style",
        "svg",
        "template",
        "textarea",
        "title",
        "track",
        "video",
        "wbr",
    }
)
"""Elements that show no text of the page."""

INLINE_TAGS = frozenset(
    [
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "br",
        "cite",
        "code",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "img",
        "ins",
        "kbd",
        "mark",
        "q",
        "ruby",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
        "var",
    ]
)
"""Elements that are a part of the paragraph around them."""

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ROW_ROLES = {
    ("rowgroup", "table"): "tbody",
    ("row", "table"): "tr",
    ("row", "tbody"): "tr",
    ("cell", "tr"): "td",
    ("columnheader", "tr"): "th",
    ("rowheader", "tr"): "th",
}
"""Parts of a table that is made of other elements, by their role and what they stand in."""
_CELL_ROLES = frozenset({"cell", "columnheader", "gridcell", "row", "rowheader"})
_BARE = frozenset({"div", "span"})
_PROSE_CHARS = 80
"""Characters outside of links from which on a run of text is a paragraph, and no label."""
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff]")
"""Letters of scripts that say with one what others say with three."""


class Element:
    """One element that can be seen."""

    __slots__ = (
        "attrs",
        "chars",
        "children",
        "is_dropped",
        "link_chars",
        "links",
        "parent",
        "prose",
        "run",
        "tag",
    )

    def __init__(self, tag: str, attrs: dict[str, str | None], parent: "Element | None") -> None:
        self.tag = tag
        self.attrs = attrs
        self.parent = parent
        self.children: list[Element | str] = []
        self.chars = 0
        """Visible characters below, blanks between words not counted."""
        self.link_chars = 0
        """Those of them that stand in links."""
        self.links = 0
        """Links below."""
        self.prose = 0
        """Weight of the paragraphs below: texts outside of links that are longer than labels."""
        self.run = 0
        """Weight of the text that an inline element adds to the paragraph around it."""
        self.is_dropped = False
        """Whether it was judged to be no content."""

    def get(self, name: str) -> str:
        """Return the value of an attribute, or an empty text."""
        return self.attrs.get(name) or ""


@dataclass
class Tree:
    """A parsed document."""

    root: Element
    elements: list[Element]
    """All elements of the body, parents before children."""
    parser: LexborHTMLParser
    is_cut: bool = False
    noscript: str = ""
    """What a browser without JavaScript would show in addition."""
    scripts: int = 0
    frames: int = 0
    has_password_field: bool = False
    form_fields: int = 0
    discussion: int = 0
    """Weight of the prose of readers' comments that was left out."""
    unseen: list[LexborNode] = field(default_factory=list)
    """Nodes that a person does not see."""
    late: set[str] = field(default_factory=set)
    """The ids of hidden elements whose content scripts put elsewhere on the page."""

    def seen_html(self) -> str:
        """Return the document without what a person does not see; the parser's tree is used up."""
        for node in self.unseen:
            if node.is_element_node and node.attributes.get("id") in self.late:
                node.attrs["hidden"] = "until-found"
            else:
                node.decompose()
        self.unseen.clear()
        return self.parser.html or ""


def parse(html: str) -> Tree:
    """Return the visible part of `html`."""
    parser = LexborHTMLParser(html)
    root = Element("body", {}, None)
    tree = Tree(root=root, elements=[root], parser=parser)
    body = parser.body
    if body is None:
        return tree
    root.attrs = body.attributes
    sheet = Stylesheet.of(node.text() for node in parser.css("style"))
    pieces = Pieces(parser)
    _Builder(tree, sheet, pieces, panels_of(parser, sheet)).build(body.child)
    tree.late = pieces.taken
    _fill_slots(tree)
    count(reversed(tree.elements))
    return tree


@dataclass(frozen=True)
class _Builder:
    """Makes the elements of one tree."""

    tree: Tree
    sheet: Stylesheet
    pieces: Pieces
    panels: frozenset[str]

    def build(self, first: LexborNode | None) -> None:
        stack: list[tuple[LexborNode | None, Element]] = [(first, self.tree.root)]
        while stack:
            node, parent = stack.pop()
            while node is not None:
                tag = node.tag or ""
                child, inner = node.child, None
                if tag == "-text":
                    parent.children.append(node.text_content or "")
                elif tag == "template" and (piece := self.pieces.take(node)) is not None:
                    child, inner = piece.child, self._add("div", {}, parent)
                    node = self._skip_fallback(node)
                elif tag in INVISIBLE_TAGS and not _is_heading_button(node, tag, parent):
                    _note_invisible(self.tree, node, tag, parent)
                elif tag[:1] not in {"-", "!"}:
                    inner = self._element(node, tag, parent)
                if inner is not None and child is not None:
                    stack.append((child, inner))
                node = node.next

    def _skip_fallback(self, place: LexborNode) -> LexborNode:
        """Note what a late piece replaces, and return the last of it."""
        last = place
        for node in fallback_of(place):
            self.tree.unseen.append(node)
            last = node
        return last

    def _element(self, node: LexborNode, tag: str, parent: Element) -> Element | None:
        attrs = node.attributes
        if attrs and is_hidden(tag, attrs, self.sheet) and attrs.get("id") not in self.panels:
            self.tree.unseen.append(node)
            return None
        if tag == "button":
            tag = "span"
        return self._add(_shown_as(tag, attrs, parent), attrs, parent)

    def _add(self, tag: str, attrs: dict[str, str | None], parent: Element) -> Element | None:
        if len(self.tree.elements) >= MAX_ELEMENTS:
            self.tree.is_cut = True
            return None
        element = Element(tag, attrs, parent)
        parent.children.append(element)
        self.tree.elements.append(element)
        return element


def _is_heading_button(node: LexborNode, tag: str, parent: Element) -> bool:
    """Say whether `node` is the button that a heading of a panel consists of."""
    return tag == "button" and parent.tag in _HEADINGS and "aria-expanded" in node.attributes


def _shown_as(tag: str, attrs: dict[str, str | None], parent: Element) -> str:
    """Return the tag whose look an element has: roles make tables of other elements."""
    role = attrs.get("role") if tag in _BARE else None
    if not role:
        return tag
    if role == "table":
        return role
    return _ROW_ROLES.get((role, parent.tag), "div" if role in _CELL_ROLES else tag)


def _fill_slots(tree: Tree) -> None:
    """Put the children of shadow hosts into the slots of their shadow trees, as a person sees them."""
    shadows = [element for element in tree.elements if element.tag == SHADOW_TAG]
    for shadow in shadows:
        host = shadow.parent
        if host is None or shadow not in host.children:
            continue
        light = _light_of(host)
        host.children = [shadow]
        for slot in _slots_in(shadow):
            given = light.pop(slot.get("name"), [])
            if any(not isinstance(item, str) or item.strip() for item in given):
                slot.children = given
    if shadows:
        tree.elements = list(_preorder(tree.root))


def _light_of(host: Element) -> dict[str, list[Element | str]]:
    """Return the children of a shadow host by the slot that each is for."""
    light: dict[str, list[Element | str]] = {}
    for child in host.children:
        if isinstance(child, str):
            light.setdefault("", []).append(child)
        elif child.tag != SHADOW_TAG:
            light.setdefault(child.get("slot"), []).append(child)
    return light


def _slots_in(shadow: Element) -> list[Element]:
    """Return the slots of a shadow tree, without those of the shadow trees in it."""
    return [element for element in _preorder(shadow, leave_out=SHADOW_TAG) if element.tag == "slot"]


def _preorder(root: Element, *, leave_out: str = "") -> Iterator[Element]:
    """Yield the elements below `root`, parents first, each told where it stands now."""
    stack = [root]
    while stack:
        element = stack.pop()
        yield element
        for child in reversed(element.children):
            if isinstance(child, Element) and child.tag != leave_out:
                child.parent = element
                stack.append(child)


def _note_invisible(tree: Tree, node: LexborNode, tag: str, parent: Element) -> None:
    """Keep of an element that shows nothing what tells something about the page."""
    if tag == "script":
        tree.scripts += 1
        if (node.attributes.get("type") or "").startswith("math/tex"):
            parent.children.append(f" ${node.text().strip()}$ ")
    elif tag == "template":
        tree.unseen.append(node)
    elif tag == "noscript":
        tree.unseen.append(node)
        tree.noscript += " " + (node.text(deep=True) or "")[:2000]
    elif tag in {"iframe", "frame"}:
        tree.frames += 1
    elif tag == "input":
        tree.form_fields += 1
        tree.has_password_field |= (node.attributes.get("type") or "").lower() == "password"


def count(elements: Iterable[Element]) -> None:
    """Sum characters, links and prose, without what was dropped.

    Args:
        elements: All of a tree, children before parents.
    """
    for element in elements:
        if not element.is_dropped:
            _count(element)


def _count(element: Element) -> None:
    is_link = element.tag == "a"
    chars = link_chars = prose = run = linked = 0
    links = 1 if is_link and element.attrs.get("href") else 0
    for child in element.children:
        if isinstance(child, str):
            text = "".join(child.split())
            chars += len(text)
            run += len(text) if text.isascii() else len(text) + 2 * len(_WIDE.findall(text))
        elif not child.is_dropped:
            chars += child.chars
            link_chars += child.link_chars
            links += child.links
            prose += child.prose
            run += child.run
            linked += child.link_chars if child.tag in INLINE_TAGS else 0
    element.chars, element.links = chars, links
    element.link_chars = chars if is_link else link_chars
    element.run = run if element.tag in INLINE_TAGS and not is_link else 0
    is_paragraph = run >= max(_PROSE_CHARS, linked) and element.tag not in INLINE_TAGS
    element.prose = 0 if is_link else prose + run * is_paragraph
