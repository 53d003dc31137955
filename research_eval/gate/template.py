"""Templates and names: what looks like a URL and that no reader takes for a citation."""

import re

__all__ = ["find_namespaces", "is_template"]

_NAMESPACE = re.compile(
    r"(?<=[\s<])(?:xmlns(?::[\w.-]{1,40})?|(?:\w{1,20}:)?(?:schemaLocation|noNamespaceSchemaLocation)|targetNamespace)"
    r"\s{0,9}=\s{0,9}\\?(?:\"[^\"<>]*\"|'[^'<>]*')|<!DOCTYPE[^<>]*>",
)
_PLACEHOLDER = re.compile(
    r"\{\{|\{(?![0-9A-Fa-f]*[0-9][0-9A-Fa-f]*[-}])[?&+/;]?_*[A-Za-z][\w.*-]*(?:\}|$)"
    r"|\$\(|(?<![0-9])%[sd](?![0-9a-fA-F])|%\([a-z]"
)
"""A name in braces; no number, and no identifier such as `{3F2504E0-4F89-11D3}`."""
_SLOT = re.compile(r"(?:<|&lt;)([A-Za-z][A-Za-z0-9_ -]{0,40})(?:>|&gt;)")
_OPEN_SLOT = frozenset("/=-_:.@&?#")
_TAGS = frozenset(
    [
        "a",
        "abbr",
        "article",
        "b",
        "blockquote",
        "body",
        "br",
        "caption",
        "center",
        "cite",
        "code",
        "dd",
        "del",
        "details",
        "div",
        "dl",
        "dt",
        "em",
        "font",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "head",
        "header",
        "hr",
        "html",
        "i",
        "img",
        "ins",
        "kbd",
        "li",
        "loc",
        "main",
        "mark",
        "nav",
        "ol",
        "p",
        "pre",
        "q",
        "ref",
        "s",
        "samp",
        "section",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "title",
        "tr",
        "tt",
        "u",
        "ul",
        "url",
    ]
)


def find_namespaces(text: str) -> list[tuple[int, int]]:
    """Return where XML names namespaces and document types; their URLs are names, not sources."""
    if "=" not in text and "<!" not in text:
        return []
    if not any(name in text for name in ("xmlns", "<!DOCTYPE", "amespace", "schemaLocation")):
        return []
    return [match.span() for match in _NAMESPACE.finditer(text)]


def is_template(url: str, after: str) -> bool:
    """Whether a bare `url` holds a slot to be filled, such as `{id}`, `%s` or `<id>`."""
    if ("{" in url or "%" in url or "$" in url) and _PLACEHOLDER.search(url):
        return True
    if after[:1] not in {"<", "&"} or url[-1] not in _OPEN_SLOT:
        return False
    slot = _SLOT.match(after)
    return slot is not None and slot[1].lower() not in _TAGS
