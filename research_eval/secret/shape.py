"""Shapes of keys: text in, what looks like a key though nobody named it out."""

import re
from collections.abc import Iterator

from research_eval.secret.known import SCRUBBED
from research_eval.secret.view import views_of

__all__ = ["KEY_SHAPES", "shapes_in"]

KEY_SHAPES = re.compile(
    r"(?<![A-Za-z0-9_/+-])(?:sk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,}|(?:AKIA|ASIA)[0-9A-Z]{16}"
    r"|AIza[0-9A-Za-z_-]{35}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22,}"
    r"|xox[abeprs]-[A-Za-z0-9-]{20,}|hf_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{40,}|tvly-[A-Za-z0-9-]{20,}"
    r"|BSA[A-Za-z0-9_-]{26,28}|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----)(?![A-Za-z0-9_/+=-])"
)
"""Keys that say what they are: of OpenAI, Anthropic, AWS, Google, GitHub, Slack, Hugging Face, Groq,
Tavily, Brave; JSON web tokens; private keys."""

_VALUE = r"(?=[A-Za-z_.~+/-]*[0-9])[A-Za-z0-9_.~+/-]{16,}"
_CARRIED = re.compile(
    rf"(?i)(?:[?&;](?:access_)?(?:token|key|api_?key)=|\"(?:[a-z]+[_-])?token\"\s*:\s*\"|\bbearer\s+"
    rf"|\bbasic\s+)({_VALUE})"
)
"""What stands where a key stands: a query field, a JSON field, an authorization header."""


def shapes_in(content: bytes) -> Iterator[str]:
    """Return what has the shape of a key, or stands in the place of one, in any reading of `content`."""
    seen: set[str] = set()
    for view in views_of(content):
        text = view.data.decode("latin-1")
        found = [hit.group() for hit in KEY_SHAPES.finditer(text)]
        found += [hit.group(1) for hit in _CARRIED.finditer(text)]
        for shape in found:
            if shape not in seen and SCRUBBED not in shape:
                seen.add(shape)
                yield shape
