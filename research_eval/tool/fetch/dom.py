"""A document as a light tree of our own, built without recursion, hidden parts left out."""

from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_eval.tool.fetch.hidden import is_hidden
from research_eval.tool.fetch.stylesheet import Stylesheet

__all__ = ["INVISIBLE_TAGS", "MAX_ELEMENTS", "Element", "Tree", "parse"]

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


class Element:
    """One element that can be seen."""

    __slots__ = ("attrs", "chars", "children", "is_dropped", "link_chars", "links", "parent", "tag")

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
    _count(tree.elements)
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


def _count(elements: list[Element]) -> None:
    """Sum characters and links from the leaves up."""
    for element in reversed(elements):
        chars = link_chars = 0
        links = 1 if element.tag == "a" and element.attrs.get("href") else 0
        for child in element.children:
            if isinstance(child, str):
                chars += len("".join(child.split()))
            else:
                chars += child.chars
                link_chars += child.link_chars
                links += child.links
        element.chars = chars
        element.links = links
        element.link_chars = chars if element.tag == "a" else link_chars
