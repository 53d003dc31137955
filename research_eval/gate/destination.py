"""Explicit destinations: Markdown links and reference definitions, HTML attributes, LaTeX.

Each is exact: the escapes of its form are undone once and nothing is stripped.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urljoin

from research_eval.gate.character import INVISIBLE
from research_eval.gate.escape import decode_attribute, decode_latex, decode_markdown
from research_eval.gate.parenthesis import ParenthesisMap
from research_eval.schema import CitationForm

__all__ = ["Destination", "find_destinations"]

_LINK = re.compile(rf"\]\([ \t]{{0,99}}\n?[ \t{INVISIBLE}]{{0,99}}(?=<?[hH&\\/{INVISIBLE}])")
_PLAIN = re.compile(
    r"([hH][tT][tT][pP][sS]?://[^\x00-\x20\x7f()<>\\&/][^\x00-\x20\x7f()<>\\&]*)"
    r"(?: \"[^\"\\\n]{0,200}\")?\)"
)
_ANGLE = re.compile(r"<((?:[^<>\n\\]|\\.)*)>")
_TAIL = re.compile(
    r"(?:[ \t\r\n]{1,99}(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))"
    r"|[ \t\r\n]{1,99}[\"'\u201c\u2018\u00ab][^\n)]{0,500}|[ \t]{1,9}=\d*x?\d*)?[ \t\r\n]{0,99}\)"
)
_LOOSE_TAIL = re.compile(r"[ \t][^\n()<>]{1,300}\)")
_WRAPPED_TAIL = re.compile(r"[ \t]{0,9}\r?\n[ \t]{0,20}[^\x00-\x20()<>\"']{1,500}\)")
_LINE_BREAK = re.compile(r"[ \t]*\r?\n[ \t]*")
_REMARK = re.compile(
    r"(?i)\s+(?:(?:accessed|archived|retrieved|viewed|visited|last|in|via|by|p|pp|page)\b|[-\u2013\u2014,;(&])"
)
_TITLE = (
    r"\"(?:[^\"\n]|\n(?![ \t]*\n)){0,2000}\"|'(?:[^'\n]|\n(?![ \t]*\n)){0,2000}'"
    r"|\((?:[^()\n]|\n(?![ \t]*\n)){0,2000}\)"
)
_DEFINITION = re.compile(
    r"[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+|>)*\[(?!\^)(?:[^\[\]\\\n]|\\.){1,500}\]:"
    r"[ \t]*+(?:\n[ \t]*+)?(?:<((?:[^<>\n\\]|\\.)*)>|([^\x00-\x20<][^\x00-\x20]*+))"
    rf"(?=(?:(?:[ \t]+|[ \t]*\n[ \t]*)(?:{_TITLE}))?[ \t]*(?:\n|$)|[ \t]*(?:\n|$))"
)
MAX_LABEL_CHARS = 600
"""How far before its colon a definition may begin in its line."""
_ATTRIBUTE_NAMES = ("href", "src", "cite", "action", "poster", "longdesc", "ping")
_ATTRIBUTE = re.compile(
    rf"(?<=[\s\"'/])(?:form|xlink:)?(?:{'|'.join(_ATTRIBUTE_NAMES)})\s{{0,99}}=\s{{0,99}}"
    r"(?:(\\*)\"((?:[^\"\n]|\n(?![ \t\r]*\n))*?)\1\"|'((?:[^'\n]|\n(?![ \t\r]*\n))*)'"
    r"|([^\x00-\x20\"'<>][^\x00-\x20>]*))",
    re.IGNORECASE,
)
_LATEX = re.compile(r"\\(?:url|href|nolinkurl|path)\s{0,9}\{((?:[^{}\\\n]|\\.|\{[^{}\n]*\})*)\}")
_WEB = re.compile(
    rf"[{INVISIBLE}\x00-\x20]*(?:(https?:[/\\]*[^/\\].*)|[/\\]{{2,}}([^/\\].*))",
    re.IGNORECASE | re.DOTALL,
)
"""A URL, or one without a scheme, which leads to another site all the same."""
_BASE = re.compile(
    r"<base\s[^<>]{0,500}?href\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE
)
_RELATIVE = re.compile(
    r"\]\([ \t]*<?([^()<>\s#][^()<>\s]*)|\]:[ \t]*<?([^<>\s#][^<>\s]*)"
    r"|\shref\s*=\s*[\"']?([^\s\"'<>#][^\s\"'<>]*)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/\\]{2}")
_NO_SLASHES = re.compile(r"https?:(?![/\\])", re.IGNORECASE)
_BARE_SCHEME = re.compile(r"<((?:http|HTTP)[sS]?:(?!//)[^\x00-\x20<>]+)>")
_GOES_ON = re.compile(r"[A-Za-z0-9%&_=~#-][^\x00-\x20<]*")
_PATH_BEHIND_TAG = re.compile(r"/?>(?P<path>(?=[^\s<]*[/?=&#])[^\x00-\x20<]+)")
_OPEN_TAG = re.compile(
    r"<[A-Za-z][A-Za-z0-9-]*+(?:\s++[A-Za-z_:][\w.:-]*+"
    r"(?:\s*+=\s*+(?:[^\s\"'=<>`]++|'[^']*+'|\"[^\"]*+\"))?+)*+\s*+/?>",
    re.ASCII,
)
_UNTAGGED_END = re.compile("[\"'<]")
_ATTRIBUTE_NOISE = re.compile(r"[\t\n\r]+")
_SCHEME_INSIDE = re.compile(r"https?://|(?<![^\s*_~(\[])www\.", re.IGNORECASE)


class Destination(NamedTuple):
    """A URL that its form delimits exactly."""

    start: int
    end: int
    url: str
    form: CitationForm
    is_relative: bool = False
    """Whether it is written without a scheme, and takes that of the page that shows it."""


def find_destinations(text: str) -> list[Destination]:
    """Return the explicit http(s) destinations of `text`, in order, none inside another."""
    found: list[Destination] = []
    if "](" in text:
        found.extend(_links(text))
    if "]:" in text:
        found.extend(_definitions(text))
    if "=" in text and _names_attribute(text):
        found.extend(_attributes(text))
    if "\\" in text:
        found.extend(_latex_links(text))
    if "<http" in text or "<HTTP" in text:
        for match in _BARE_SCHEME.finditer(text):
            found.extend(_web(*match.span(1), decode_markdown(match[1]), "autolink"))
    if ("<b" in text or "<B" in text) and "<base" in text.lower():
        found.extend(_moved_links(text))
    found.sort()
    return _without_overlap(found)


def _names_attribute(text: str) -> bool:
    lowered = text.lower()
    return any(name in lowered for name in _ATTRIBUTE_NAMES)


def _without_overlap(found: list[Destination]) -> list[Destination]:
    kept: list[Destination] = []
    for destination in found:
        if not kept or destination.start >= kept[-1].end:
            kept.append(destination)
    return kept


def _links(text: str) -> Iterator[Destination]:
    parentheses = ParenthesisMap(text)
    for match in _LINK.finditer(text):
        if text[match.start() - 1] == "\\" and _is_escaped(text, match.start()):
            continue
        plain = _PLAIN.match(text, match.end())
        if plain is not None:
            yield Destination(*plain.span(1), plain[1], "markdown")
            continue
        span = _link_span(text, match.start() + 1, match.end(), parentheses)
        if span is not None:
            start, end = span
            written = _LINE_BREAK.sub("", text[start:end])
            yield from _web(start, end, decode_markdown(written), "markdown")


def _is_escaped(text: str, position: int) -> bool:
    before = position
    while before and text[before - 1] == "\\":
        before -= 1
    return (position - before) % 2 == 1


def _link_span(
    text: str, opening: int, start: int, parentheses: ParenthesisMap
) -> tuple[int, int] | None:
    """Return where the destination after the parenthesis at `opening` stands, if it is one."""
    if text[start] == "<":
        angle = _ANGLE.match(text, start)
        return angle.span(1) if angle and _TAIL.match(text, angle.end()) else None
    closing, end, is_balanced = parentheses.after(opening, start)
    if closing is not None:
        return start, closing
    if _TAIL.match(text, end):
        return start, end
    return _loose_span(text, start, end) if is_balanced else None


def _loose_span(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span of a destination with raw spaces or a broken line.

    Strict Markdown would not link it; a reader takes all of it for the address, unless what follows
    is a remark or another URL.
    """
    loose = _LOOSE_TAIL.match(text, end) or _WRAPPED_TAIL.match(text, end)
    if loose is None or text[end - 1] in ",;.:":
        return None
    if _SCHEME_INSIDE.search(loose[0]) or _REMARK.match(loose[0]):
        return None
    return start, loose.end() - 1


def _definitions(text: str) -> Iterator[Destination]:
    colon = text.find("]:")
    while colon >= 0:
        line = text.rfind("\n", max(0, colon - MAX_LABEL_CHARS), colon) + 1
        match = _DEFINITION.match(text, line) if line or colon < MAX_LABEL_CHARS else None
        colon = text.find("]:", max(colon, match.end() if match else 0) + 1)
        if match is None:
            continue
        group = 1 if match[1] is not None else 2
        yield from _web(*match.span(group), decode_markdown(match[group]), "reference")


def _attributes(text: str) -> Iterator[Destination]:
    for match in _ATTRIBUTE.finditer(text):
        group = next(number for number in (2, 3, 4) if match[number] is not None)
        written = match[group]
        glued = _GOES_ON.match(text, match.end()) or _behind_broken_tag(text, match)
        if glued is not None and group in {2, 3}:  # no tag for a renderer: it links the text
            whole = text[match.start(group) : glued.end()]
            yield from _web(match.end(group), glued.end(), whole, "html")
        if group == 4 and not _is_in_tag(text, match.start()):
            written = _UNTAGGED_END.split(written, maxsplit=1)[0]
        start = match.start(group)
        value = _ATTRIBUTE_NOISE.sub("", decode_attribute(written)).strip(" \f")
        yield from _web(start, start + len(written), value.replace("\\/", "/"), "html")


def _behind_broken_tag(text: str, attribute: re.Match[str]) -> re.Match[str] | None:
    """Find the path that a renderer links behind the end of what looks like a tag and is none."""
    path = _PATH_BEHIND_TAG.match(text, attribute.end())
    if path is None:
        return None
    first = text.rfind("<", max(0, attribute.start() - MAX_LABEL_CHARS), attribute.start())
    is_tag = first >= 0 and _OPEN_TAG.match(text, first, path.start("path")) is not None
    return None if is_tag else path


def _is_in_tag(text: str, position: int) -> bool:
    before = text[max(0, position - MAX_LABEL_CHARS) : position]
    return before.rfind("<") > before.rfind(">")


def _latex_links(text: str) -> Iterator[Destination]:
    for match in _LATEX.finditer(text):
        yield from _web(*match.span(1), decode_latex(match[1]).strip(" \t"), "latex")


def _moved_links(text: str) -> Iterator[Destination]:
    """Yield relative destinations, which the first `base` element moves to its site."""
    base = _BASE.search(text)
    if base is None:
        return
    root = decode_attribute(next(group for group in base.groups() if group is not None))
    root = f"https:{root}" if root.startswith("//") else root
    for match in _RELATIVE.finditer(text):
        group = next(number for number in (1, 2, 3) if match[number] is not None)
        if _SCHEME.match(match[group]) or base.start() <= match.start() < base.end():
            continue
        try:
            moved = urljoin(root, match[group])
        except ValueError:
            continue
        yield from _web(*match.span(group), moved, "html")


def _web(start: int, end: int, url: str, form: CitationForm) -> Iterator[Destination]:
    """Yield the destination, if it leads to the web."""
    match = _WEB.fullmatch(url)
    if match is not None:
        url, place = match.groups()
        if url is not None and _NO_SLASHES.match(url):
            url = url.replace(":", "://", 1)
        yield Destination(start, end, url or f"https://{place}", form, is_relative=url is None)
