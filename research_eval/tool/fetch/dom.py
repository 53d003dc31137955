"""A document as a light tree of our own, built without recursion, hidden parts left out."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_eval.tool.fetch.hidden import is_hidden
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
    unseen: list[LexborNode] = field(default_factory=list)
    """Nodes that a person does not see."""

    def seen_html(self) -> str:
        """Return the document without what a person does not see; the parser's tree is used up."""
        for node in self.unseen:
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
    _build(tree, body.child, sheet)
    count(reversed(tree.elements))
    return tree


def _build(tree: Tree, first: LexborNode | None, sheet: Stylesheet) -> None:
    stack: list[tuple[LexborNode | None, Element]] = [(first, tree.root)]
    while stack:
        node, parent = stack.pop()
        while node is not None:
            tag = node.tag or ""
            if tag == "-text":
                parent.children.append(node.text_content or "")
            elif tag in INVISIBLE_TAGS:
                _note_invisible(tree, node, tag, parent)
            elif tag[:1] not in {"-", "!"}:
                element = _element(tree, node, tag, parent, sheet)
                if element is not None and node.child is not None:
                    stack.append((node.child, element))
            node = node.next


def _element(
    tree: Tree, node: LexborNode, tag: str, parent: Element, sheet: Stylesheet
) -> Element | None:
    attrs = node.attributes
    if attrs and is_hidden(tag, attrs, sheet):
        tree.unseen.append(node)
        return None
    if len(tree.elements) >= MAX_ELEMENTS:
        tree.is_cut = True
        return None
    element = Element(tag, attrs, parent)
    parent.children.append(element)
    tree.elements.append(element)
    return element


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
