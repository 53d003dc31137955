"""Documents that come back as they are: JSON, XML, CSV, Markdown, plain text."""

import re

from research_eval.tool.fetch.cleanse import cleanse

__all__ = ["read_plain"]

_HEADING = re.compile(r"\A(?:---\n.*?\n---\n)?\s*#\s+([^\n]+)", re.DOTALL)
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)
_ESCAPE = re.compile(
    r"\\\\|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})"
)
_LONG_LINE = 200
_MAX_INDENT = 40


def read_plain(text: str, kind: str) -> tuple[str, str | None]:
    """Return the readable form of `text`, and its title where it has one."""
    clean = cleanse(text.replace("\r\n", "\n").replace("\r", "\n"))
    if kind == "json":
        return _json(clean), None
    if kind == "markdown":
        heading = _HEADING.match(clean)
        return clean, heading[1].strip(" #") if heading else None
    return clean, None


def _unescaped(match: "re.Match[str]") -> str:
    """Return the letter that an escape stands for; what cannot be shown stays escaped."""
    high, low, single = match.groups()
    if high is not None:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    char = "" if single is None else chr(int(single, 16))
    return char if char.isprintable() and char not in {"", '"', "\\"} else match[0]


def _json(text: str) -> str:
    """Write escaped letters out and break endless lines into short ones; no value is touched."""
    if "\\u" in text:
        text = _ESCAPE.sub(_unescaped, text)
    if len(text) / (text.count("\n") + 1) <= _LONG_LINE:
        return text
    lines: list[str] = []
    line: list[str] = []
    depth = 0
    for piece in _JSON_TOKEN.findall(text):
        if piece in "]}":
            lines.append("".join(line))
            depth = max(0, depth - 1)
            line = [" " * min(depth, _MAX_INDENT), piece]
            continue
        line.append(": " if piece == ":" else piece)
        if piece in ",[{":
            depth += piece != ","
            lines.append("".join(line))
            line = [" " * min(depth, _MAX_INDENT)]
    return "\n".join(text for text in [*lines, "".join(line)] if text.strip())
