"""What a reader takes for a URL and no renderer links to a page: an answer in, such places out.

Nothing of it can be clicked, so it is no citation and no violation; a scorer counts it.
"""

# ruff: noqa: RUF001  # letters that only look like others stand here on purpose

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

from publicsuffixlist import PublicSuffixList

from research_eval.gate.character import INVISIBLE
from research_eval.gate.citation import extract_citations
from research_eval.gate.code import CodeMap
from research_eval.schema import Citation

__all__ = ["Malformed", "find_malformed", "is_domain"]

Reason = Literal["scheme", "space", "defanged", "no_scheme"]
"""`scheme`: its letters, colon or slashes are others than a scheme's. `space`: white space stands behind
the slashes. `defanged`: it was written so that nobody follows it. `no_scheme`: a host with a path alone."""

_LETTERS = {"h": "hһｈＨ", "t": "tтτｔＴ", "p": "pрρｐＰ", "s": "sѕｓＳ"}
"""A letter of a scheme, and letters of other scripts that look like it."""
_WORD = "".join(f"[{_LETTERS[letter]}][{INVISIBLE}]*" for letter in "http")
_WORD = f"{_WORD}(?:[{_LETTERS['s']}][{INVISIBLE}]*)?"
_REST = r"[^\s<>\"'`()\[\]{}|，。、；！？（）「」『』【】《》]"
_HOST = r"[A-Za-z0-9\u00a1-\uff00](?:[A-Za-z0-9\u00a1-\uff00.-]{0,253}[A-Za-z0-9\u00a1-\uff00])?\.[A-Za-z]{2,24}"
_SHAPES: tuple[tuple[Reason, re.Pattern[str]], ...] = (
    (
        "space",
        re.compile(
            rf"(?<![A-Za-z]){_WORD}[:：][/／]{{2}}[ \t\u00a0\u3000]+{_HOST}{_REST}*", re.IGNORECASE
        ),
    ),
    (
        "defanged",
        re.compile(
            rf"(?<![A-Za-z])(?:hxxps?|{_WORD})(?:\[:\]|:)//(?:\[\.\]|\(\.\)|\[dot\]|{_REST}){{1,200}}",
            re.IGNORECASE,
        ),
    ),
    (
        "scheme",
        re.compile(
            rf"(?<![A-Za-z0-9+.-])(?:{_WORD}|h?t{{1,3}}ps?)(?:[:：;；][/／]{{0,3}}|[/／]{{2}}){_HOST}{_REST}*",
            re.IGNORECASE,
        ),
    ),
    (
        "no_scheme",
        re.compile(
            r"(?<![\w@/.:\\=#%&+~-])(?:[a-z0-9](?:[a-z0-9-]{0,62})\.){1,8}[a-z]{2,24}/[A-Za-z0-9~%]"
            rf"{_REST}*"
        ),
    ),
)
_IS_DEFANGED = re.compile(r"^hxxp|\[:\]|\[\.\]|\(\.\)|\[dot\]", re.IGNORECASE)
_LINKED = re.compile(r"[^\[\]\n]{0,80}\][(\[]|[^<]{0,80}</a\b", re.IGNORECASE)
"""What follows a text that a link shows."""
_FILES = frozenset(
    {"md", "py", "sh", "rs", "pl", "ps", "so", "cc", "zip", "mov", "java", "vi", "io"}
)
"""Endings of files that are top-level domains as well."""


class Malformed(NamedTuple):
    """One such place."""

    text: str
    start: int
    end: int
    reason: Reason


def is_domain(host: str) -> bool:
    """Return whether a text can be the host of a public site, and is not rather a file's name.

    >>> is_domain("nature.com"), is_domain("readme.md"), is_domain("e.g")
    (True, False, False)
    """
    last = host.rpartition(".")[2].lower()
    return last not in _FILES and _suffixes().privatesuffix(host.lower()) is not None


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList(accept_unknown=False)


def find_malformed(text: str, citations: tuple[Citation, ...] | None = None) -> list[Malformed]:
    """Return what of a text looks like a URL and is none, in order; code is left out.

    Args:
        text: An answer.
        citations: What it cites, if that is known.
    """
    if "/" not in text and "／" not in text:
        return []
    cited = extract_citations(text) if citations is None else citations
    taken = bytearray(len(text))
    for citation in cited:
        taken[citation.start : citation.end] = b"1" * (citation.end - citation.start)
    code = CodeMap(text)
    found: list[Malformed] = []
    for reason, shape in _SHAPES:
        for one in _shaped(text, shape, reason):
            is_linked = any(taken[one.start : one.end]) or _LINKED.match(text, one.end)
            if not is_linked and not code.holds(one.start):
                found.append(one)
                taken[one.start : one.end] = b"1" * (one.end - one.start)
    return sorted(found, key=lambda one: one.start)


def _shaped(text: str, shape: re.Pattern[str], reason: Reason) -> Iterator[Malformed]:
    for match in shape.finditer(text):
        written = match[0].rstrip(".,;:!?*_~")
        if reason == "defanged" and not _IS_DEFANGED.search(written):
            continue
        if reason == "no_scheme" and not is_domain(written.partition("/")[0]):
            continue
        yield Malformed(written, match.start(), match.start() + len(written), reason)
