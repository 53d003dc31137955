"""Templates and names: what looks like a URL, and in code is no citation, since nobody can click it."""

import re

__all__ = ["TAGS", "find_namespaces", "is_in_tag", "is_template", "leads_nowhere"]

_NAMESPACE = re.compile(
    r"(?<=[\s<])(?:xmlns(?::[\w.-]{1,40})?|(?:\w{1,20}:)?(?:schemaLocation|noNamespaceSchemaLocation)|targetNamespace)"
    r"\s{0,9}=\s{0,9}\\?(?:\"[^\"<>]*\"|'[^'<>]*')|<!DOCTYPE[^<>]*>"
    r"|\"@context\"\s{0,9}:\s{0,9}\"[^\"\\]*\"",
)
_TAG = re.compile(
    r"<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?)*\s*/?>"
)
_PLACEHOLDER = re.compile(
    r"\{\{|\{(?![0-9A-Fa-f]*[0-9][0-9A-Fa-f]*[-}])[?&+/;]?_*[A-Za-z][\w.*+(:-]*(?:[)\w.*+-]*\}|$|[(+])"
    r"|\$\(|(?<![0-9])%[sd](?![0-9a-fA-F])|%\([a-z]|\$\{|\$[A-Z_]{2}"
)
"""A name or an expression in braces; no number, and no identifier such as `{3F2504E0-4F89-11D3}`."""
_NO_HOST = re.compile(r"https?://[^/?#]*%(?![0-9A-Fa-f]{2})", re.IGNORECASE)
_NO_PORT = re.compile(
    r"https?://(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])(?::$|:[^\s0-9/?#.,;!)\]])",
    re.IGNORECASE,
)
MAX_TAG_CHARS = 2000
"""How far before a name its tag may begin."""

_SLOT = re.compile(r"(?:<|&lt;)([A-Za-z][A-Za-z0-9_ -]{0,40})(?:>|&gt;)")
_OPEN_SLOT = frozenset("/=-_:.@&?#")
TAGS = frozenset(
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
"""Tags of HTML that models write."""


def find_namespaces(text: str) -> list[tuple[int, int]]:
    """Return where XML names namespaces and document types; their URLs are names, not sources."""
    if "=" not in text and "<!" not in text and "@context" not in text:
        return []
    if not any(
        name in text for name in ("xmlns", "<!DOCTYPE", "amespace", "schemaLocation", "@context")
    ):
        return []
    return [match.span() for match in _NAMESPACE.finditer(text)]


def is_in_tag(text: str, span: tuple[int, int]) -> bool:
    """Whether `span` is a declaration, or lies in a tag that a renderer passes on as it is."""
    start, end = span
    if text.startswith("<!", start):
        return True
    opening = text.rfind("<", max(0, start - MAX_TAG_CHARS), start)
    tag = _TAG.match(text, opening) if opening >= 0 else None
    return tag is not None and tag.end() >= end


def is_template(url: str, after: str) -> bool:
    """Whether a bare `url` holds a slot to be filled, such as `{id}`, `%s` or `<id>`."""
    if ("{" in url or "%" in url or "$" in url) and _PLACEHOLDER.search(url):
        return True
    if after[:1] not in {"<", "&"} or url[-1] not in _OPEN_SLOT:
        return False
    slot = _SLOT.match(after)
    return slot is not None and slot[1].lower() not in TAGS


def leads_nowhere(run: str, after: str) -> bool:
    """Whether no browser can follow a URL: a `%s` in its host, or a name for the port of this machine.

    `http://localhost:<port>` leads to no page of the web, whatever a renderer makes of it.
    """
    if _NO_HOST.match(run):
        return True
    found = _NO_PORT.match(run)
    return found is not None and (not found[0].endswith(":") or after[:1] in {"<", "&"})
