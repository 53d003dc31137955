"""Small pieces of Markdown: links, superscripts, the language of code, what blanks mean."""

import re

from research_eval.tool.fetch.cleanse import cleanse
from research_eval.tool.fetch.dom import Element

__all__ = [
    "BLANKS",
    "BREAK",
    "BREAKS",
    "annotation_of",
    "balanced",
    "fence_for",
    "flat",
    "keeping_breaks",
    "language_of",
    "raised",
    "target",
]

BREAK = "\x02"
BLANKS = re.compile(r"[ \t\n\r\f\u00a0\u3000]+")
BREAKS = re.compile(rf"[ ]*{BREAK}[ ]*")
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight|sourceCode|brush:)[-\s]?([a-zA-Z0-9+#_.]+)"
)
_LANGUAGE_AROUND = re.compile(r"(?:^|\s)(?:language|highlight-source)-([a-zA-Z0-9+#_.]+)")
_PLACES_FOR_LANGUAGE = 9
_BACKTICKS = re.compile("`{3,}")
_NO_LANGUAGE = frozenset(
    [
        "none",
        "default",
        "text",
        "plaintext",
        "plain",
        "de",
        "en",
        "es",
        "fr",
        "it",
        "ja",
        "ko",
        "nl",
        "pl",
        "pt",
        "ru",
        "zh",
    ]
)
_SUPERSCRIPTS = str.maketrans("0123456789+-\u2212()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾ⁿ")
_SUPERSCRIPT = re.compile(r"[0-9+\-\u2212()n]{1,6}\Z")


def keeping_breaks(text: str) -> str:
    """Return `text` without what cannot be seen, our own mark of a line break left in."""
    if BREAK not in text:
        return cleanse(text)
    return BREAK.join(map(cleanse, text.split(BREAK)))


def flat(text: str) -> str:
    """Return `text` on one line, without what cannot be seen."""
    return BLANKS.sub(" ", cleanse(text)).strip()


def balanced(text: str) -> str:
    """Return `text` so that it can stand in square brackets."""
    if text.count("[") == text.count("]"):
        return text
    return text.replace("[", "\\[").replace("]", "\\]")


def target(url: str) -> str:
    """Return `url` so that it can stand in round brackets."""
    if "(" not in url and ")" not in url:
        return url
    depth = 0
    for char in url:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            break
    return url if depth == 0 else f"<{url}>"


def language_of(pre: Element) -> str:
    """Return the language that a code block names, on itself, its `code` or what is around it."""
    places = [pre, *(child for child in pre.children if isinstance(child, Element))]
    around = pre.parent
    while around is not None and len(places) < _PLACES_FOR_LANGUAGE:
        places.append(around)
        around = around.parent
    for number, place in enumerate(places):
        named = place.get("data-lang") or place.get("data-language")
        pattern = _LANGUAGE if number < 4 else _LANGUAGE_AROUND
        match = pattern.search(place.get("class"))
        language = named or (match[1] if match else "")
        if language and language.lower() not in _NO_LANGUAGE and "`" not in language:
            return language.lower()[:20]
    return ""


def annotation_of(math: Element) -> str:
    """Return the TeX that a formula carries beside what is shown, or an empty text."""
    stack: list[Element] = [math]
    while stack:
        element = stack.pop()
        if element.tag == "annotation" and "tex" in element.get("encoding"):
            return "".join(child for child in element.children if isinstance(child, str))
        inner = (child for child in element.children if isinstance(child, Element))
        stack.extend(child for child in inner if child.tag != "math")
    return ""


def raised(text: str) -> str | None:
    """Return `text` in raised figures, if it is made of such alone."""
    return text.translate(_SUPERSCRIPTS) if _SUPERSCRIPT.match(text) else None


def fence_for(text: str) -> str:
    """Return a fence for code that is longer than any in it."""
    return "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
