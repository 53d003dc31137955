"""Take out of a document what makes parsers slow, in one linear pass and always in the same way.

Browsers flatten documents that are nested deeper than 512 elements; so does this. Elements with an
absurd number of attributes lose them, and endless lists of options, which show no text of the
page, are left out. What is left takes a parser time in proportion to its length.
"""

import re

__all__ = ["sanitise"]

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]*)([^<>]*)>?")
_RAW = re.compile(r"<(script|style|textarea|title|xmp|noembed)\b[^<>]*>", re.IGNORECASE)
_MAX_DEPTH = 512
_MAX_ATTRIBUTES = 200
_MAX_ATTRIBUTE_CHARS = 200_000
_MAX_OPTIONS = 1000
_NOT_NESTED = frozenset(
    [
        "area",
        "base",
        "basefont",
        "body",
        "br",
        "col",
        "colgroup",
        "dd",
        "dt",
        "embed",
        "head",
        "hr",
        "html",
        "img",
        "input",
        "keygen",
        "li",
        "link",
        "meta",
        "optgroup",
        "option",
        "p",
        "param",
        "rp",
        "rt",
        "source",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "track",
        "wbr",
        "a",
    ]
)
"""Elements that stand alone or are closed by the next of their kind."""


def sanitise(html: str) -> str:
    """Return `html` as it is, or without what no browser would show either.

    >>> sanitise("<p>a<b>b</b>")
    '<p>a<b>b</b>'
    """
    if not _is_suspect(html):
        return html
    pieces: list[str] = []
    open_tags: dict[str, int] = {}
    depth = place = options = 0
    for tag in _TAG.finditer(html):
        name = tag[2].lower()
        is_end = bool(tag[1])
        keep = tag[0]
        if name in {"option", "optgroup"}:
            options += 1
            keep = "" if options > _MAX_OPTIONS else keep
        elif name not in _NOT_NESTED:
            depth, keep = _nest(name, is_end, depth, open_tags, keep)
        if keep and not is_end and _has_too_many(tag[3]):
            keep = f"<{name}>"
        if keep != tag[0]:
            pieces += (html[place : tag.start()], keep or " ")
            place = tag.end()
    pieces.append(html[place:])
    return "".join(pieces)


def _nest(
    name: str, is_end: bool, depth: int, open_tags: dict[str, int], tag: str
) -> tuple[int, str]:
    """Return the depth behind a tag, and the tag unless it lies too deep."""
    if is_end:
        if open_tags.get(name, 0) <= 0:
            return depth, tag if depth < _MAX_DEPTH else ""
        open_tags[name] -= 1
        return depth - 1, tag if depth <= _MAX_DEPTH else ""
    open_tags[name] = open_tags.get(name, 0) + 1
    return depth + 1, tag if depth < _MAX_DEPTH else ""


def _has_too_many(attributes: str) -> bool:
    if len(attributes) > _MAX_ATTRIBUTE_CHARS:
        return True
    return len(attributes) > 2 * _MAX_ATTRIBUTES and len(attributes.split()) > 3 * _MAX_ATTRIBUTES


def _is_suspect(html: str) -> bool:
    """Look at the tags once and quickly; most documents need no more."""
    if html.count("<") <= _MAX_DEPTH and len(html) < _MAX_ATTRIBUTE_CHARS:
        return any(_has_too_many(part) for part in html.split("<")) if len(html) > 4000 else False
    depth = options = 0
    for tag in _TAG.finditer(html):
        name = tag[2].lower()
        if name in _NOT_NESTED:
            options += name == "option"
        else:
            depth += -1 if tag[1] else 1
            depth = max(depth, 0)
        if depth >= _MAX_DEPTH or options > _MAX_OPTIONS or _has_too_many(tag[3]):
            return True
    return False
