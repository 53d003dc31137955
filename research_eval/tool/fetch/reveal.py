"""Find what a browser shows although the markup has it elsewhere: streamed pieces, shadow trees, panels."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_eval.tool.fetch.hidden import is_hidden
from research_eval.tool.fetch.stylesheet import Stylesheet

__all__ = ["SHADOW_TAG", "Pieces", "fallback_of", "open_shadow_roots", "panels_of"]

SHADOW_TAG = "shadow-root"
"""The element that a declarative shadow root is read as."""

_TEMPLATE = re.compile(r"<(/?)template(?=[\s/>])([^<>]*)>", re.IGNORECASE)
_IS_SHADOW = re.compile(r"(?:^|\s)shadowrootmode\s*=\s*[\"']?(?:open|closed)\b", re.IGNORECASE)
_PLACE = re.compile(r"(.*)[BP]:([0-9a-f]+)\Z")
_PIECE = re.compile(r"(.*)S:([0-9a-f]+)\Z")
_OPENS = re.compile(r"\$[?!~]?\Z")
_CLOSES = "/$"
_MAX_PANELS = 2000
_MAX_ANCESTORS = 60
_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})


def open_shadow_roots(html: str) -> str:
    """Return `html` with each declarative shadow root as an ordinary element, `SHADOW_TAG`.

    >>> open_shadow_roots('<a-b><template shadowrootmode="open"><p>x</p></template></a-b>')
    '<a-b><shadow-root><p>x</p></shadow-root></a-b>'
    """
    if "shadowrootmode" not in html.lower():
        return html
    is_shadow: list[bool] = []

    def replace(tag: re.Match[str]) -> str:
        if not tag[1]:
            is_shadow.append(_IS_SHADOW.search(tag[2]) is not None)
            return f"<{SHADOW_TAG}>" if is_shadow[-1] else tag[0]
        return f"</{SHADOW_TAG}>" if is_shadow and is_shadow.pop() else tag[0]

    return _TEMPLATE.sub(replace, html)


class Pieces:
    """The late pieces of a page that React streamed, by the place that each is for.

    A boundary `<template id="B:0">` is filled by the children of `<div hidden id="S:0">`, which
    scripts of the page move there as they arrive; `P:0` marks the place of a piece in another.
    """

    def __init__(self, parser: LexborHTMLParser) -> None:
        self._nodes: dict[tuple[str, str], LexborNode] = {}
        self.taken: set[str] = set()
        """The ids of the pieces that were put in their places."""
        for node in parser.css('[id*="S:"]'):
            found = _PIECE.match(node.attributes.get("id") or "")
            if found is not None:
                self._nodes.setdefault((found[1], found[2]), node)

    def take(self, place: LexborNode) -> LexborNode | None:
        """Return the piece for the template `place`; `None` where there is none. Each is given once."""
        found = _PLACE.match(place.attributes.get("id") or "") if self._nodes else None
        piece = self._nodes.pop((found[1], found[2]), None) if found is not None else None
        if piece is not None:
            self.taken.add(piece.attributes.get("id") or "")
        return piece


def fallback_of(place: LexborNode) -> Iterator[LexborNode]:
    """Yield what a boundary shows until its piece has come: up to the comment that ends it."""
    if ":" not in (name := place.attributes.get("id") or "") or name.rpartition(":")[0][-1:] != "B":
        return
    depth = 0
    node = place.next
    while node is not None:
        if node.is_comment_node:
            said = (node.comment_content or "").strip()
            if said == _CLOSES and depth == 0:
                return
            depth += bool(_OPENS.match(said)) - (said == _CLOSES)
        yield node
        node = node.next


def panels_of(parser: LexborHTMLParser, sheet: Stylesheet) -> frozenset[str]:
    """Return the ids of panels that a person opens by a click on a tab or heading that can be seen."""
    found: set[str] = set()
    for number, node in enumerate(parser.css("[aria-controls]")):
        if number >= _MAX_PANELS:
            break
        if _opens_panel(node) and _is_seen(node, sheet):
            found.update((node.attributes.get("aria-controls") or "").split()[:10])
    return frozenset(found)


def _opens_panel(node: LexborNode) -> bool:
    attrs = node.attributes
    if (attrs.get("role") or "").lower() == "tab":
        return True
    parent = node.parent
    return "aria-expanded" in attrs and parent is not None and parent.tag in _HEADINGS


def _is_seen(node: LexborNode, sheet: Stylesheet) -> bool:
    place: LexborNode | None = node
    for _ in range(_MAX_ANCESTORS):
        if place is None or place.tag in {"body", "html"}:
            return True
        if is_hidden(place.tag or "", place.attributes, sheet):
            return False
        place = place.parent
    return False
