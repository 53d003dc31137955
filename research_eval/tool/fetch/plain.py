"""Documents that come back as they are: JSON, XML, CSV, Markdown, plain text."""

import json
import re

from research_eval.tool.fetch.cleanse import cleanse

__all__ = ["read_plain"]

_HEADING = re.compile(r"\A(?:---\n.*?\n---\n)?\s*#\s+([^\n]+)", re.DOTALL)
_LONG_LINE = 2000


def read_plain(text: str, kind: str) -> tuple[str, str | None]:
    """Return the readable form of `text`, and its title where it has one."""
    clean = cleanse(text.replace("\r\n", "\n").replace("\r", "\n"))
    if kind == "json":
        return _json(clean), None
    if kind == "markdown":
        heading = _HEADING.match(clean)
        return clean, heading[1].strip(" #") if heading else None
    return clean, None


def _json(text: str) -> str:
    """Indent JSON that stands on one endless line; anything else stays as it is written."""
    lines = text.count("\n") + 1
    if len(text) <= 200 or len(text) / lines < _LONG_LINE / 10:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return json.dumps(value, ensure_ascii=False, indent=1)
