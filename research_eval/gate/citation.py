"""Citations: an answer in, every http(s) URL that it cites out."""

import re

from research_eval.schema import Citation

__all__ = ["extract_citations"]

_URL = re.compile(r"(?<=\]\()https?://[^\s)]*|https?://[^\s<>\"`|]+", re.IGNORECASE)


def extract_citations(text: str) -> tuple[Citation, ...]:
    """Return the citations of `text`, in order."""
    found = []
    for match in _URL.finditer(text):
        url = match[0].rstrip(".,;:!?)]*'_")
        found.append(Citation(url=url, start=match.start(), end=match.start() + len(url)))
    return tuple(found)
