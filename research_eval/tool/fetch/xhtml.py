"""XHTML as XML means it, in the spelling that a parser of HTML reads the same."""

import re

__all__ = ["as_html", "is_xhtml"]

_NAMESPACE = "http://www.w3.org/1999/xhtml"
_BINDING = re.compile(r"\bxmlns:([A-Za-z_][\w.-]*)\s*=\s*[\"']" + re.escape(_NAMESPACE) + r"[\"']")
_DEFAULT = re.compile(r"\bxmlns\s*=\s*[\"']" + re.escape(_NAMESPACE) + r"[\"']")
_TYPES = frozenset({"application/xhtml+xml", "application/xml", "text/xml"})
_HEAD_CHARS = 4096
_CDATA = "<![CDATA["
_CDATA_END = "]]>"
_TAG = re.compile(
    r"<(/?)(?:([A-Za-z_][\w.-]{0,40}):)?([A-Za-z_][\w.-]{0,60})"
    r"((?:\s+[^\s=<>/\"']+(?:\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'))?)*)\s*(/?)>"
)
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source"}
    | {"track", "wbr"}
)
_FOREIGN = frozenset({"svg", "math"})


def is_xhtml(text: str, content_type: str) -> bool:
    """Say whether a browser reads `text` as XHTML: it is sent as XML, and in that namespace."""
    media_type = content_type.partition(";")[0].strip().lower()
    head = text[:_HEAD_CHARS]
    return media_type in _TYPES and bool(_DEFAULT.search(head) or _BINDING.search(head))


def as_html(text: str) -> str:
    """Return XHTML with closed elements written out, prefixes taken off and CDATA as text.

    >>> as_html('<p xmlns="http://www.w3.org/1999/xhtml"><script src="a.js"/>b<br></br></p>')
    '<p xmlns="http://www.w3.org/1999/xhtml"><script src="a.js"></script>b<br></p>'
    """
    prefixes = set(_BINDING.findall(text[:_HEAD_CHARS]))
    return _TAG.sub(lambda tag: _spelled(tag, prefixes), _without_cdata(text))


def _spelled(tag: re.Match[str], prefixes: set[str]) -> str:
    is_end, prefix, name, attributes, is_closed = tag.groups()
    if prefix is not None and prefix not in prefixes:
        return tag[0]
    if name in _VOID:
        return "" if is_end else f"<{name}{attributes}>"
    if is_end:
        return f"</{name}>"
    closing = f"</{name}>" if is_closed and name not in _FOREIGN else ""
    return f"<{name}{attributes}>{closing}"


def _without_cdata(text: str) -> str:
    first, *sections = text.split(_CDATA)
    parts = [first]
    for section in sections:
        inside, mark, after = section.partition(_CDATA_END)
        inside = inside.replace("&", "&amp;").replace("<", "&lt;")
        parts += (inside, after) if mark else (_CDATA, section)
    return "".join(parts)
