"""The words by which walls and missing pages give themselves away, from `phrases.txt`."""

import re
from functools import cache
from importlib.resources import files

__all__ = ["phrase_pattern"]

_THING = r"(?:page|file|document|article|story|content|resource|url|link|post|product|item|listing|entry|site)"


@cache
def phrase_pattern(section: str) -> re.Pattern[str]:
    """Return one pattern for all expressions of a section of `phrases.txt`.

    Raises:
        KeyError: If there is no such section.
    """
    expressions = _sections()[section]
    return re.compile(
        "|".join(f"(?:{expression})" for expression in expressions), re.IGNORECASE | re.MULTILINE
    )


@cache
def _sections() -> dict[str, list[str]]:
    text = files("research_eval.tool.fetch").joinpath("phrases.txt").read_text(encoding="utf-8")
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        if line.startswith("[") and line.endswith("]") and line[1:-1].replace("_", "").isalnum():
            current = sections.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            current.append(line.replace("{thing}", _THING))
    return sections
