"""Escapes: undo what Markdown, HTML and LaTeX do to a destination, once."""

import html
import re

__all__ = [
    "ENTITY",
    "PUNCTUATION",
    "decode_attribute",
    "decode_entities",
    "decode_latex",
    "decode_markdown",
]

PUNCTUATION = r"!-/:-@\[-`{-~"
"""ASCII punctuation, as the body of a character class."""

ENTITY = r"&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
"""A character reference; without its semicolon it is none."""

_ENTITY = re.compile(ENTITY)
_REFERENCE = re.compile(
    rf"{ENTITY}|&\#(?:[0-9]{{1,7}}(?![0-9;])|[xX][0-9a-fA-F]{{1,6}}(?![0-9a-fA-F;]))"
)
_MARKDOWN = re.compile(rf"\\([{PUNCTUATION}])|({ENTITY})")
_LATEX = re.compile(
    r"\\([~^])\{\}|\\([#$%&_{}~^\\/:.-])|\{\\_\}|\\(?:textasciitilde|string~)(?:\{\})?"
)


def decode_entities(text: str) -> str:
    """Return `text` with character references decoded once."""
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text) if "&" in text else text


def decode_attribute(text: str) -> str:
    """Return the value of an HTML attribute as a browser reads it.

    A reference by number needs no semicolon there; one by name does, so that `&copy=1` stays.
    """
    if "&" not in text:
        return text
    return _REFERENCE.sub(lambda found: html.unescape(found[0]), text)


def decode_markdown(text: str) -> str:
    """Return `text` with backslash escapes and character references decoded once, in one pass."""
    if "\\" not in text and "&" not in text:
        return text
    return _MARKDOWN.sub(lambda found: found[1] or html.unescape(found[2]), text)


def decode_latex(text: str) -> str:
    r"""Return `text` with LaTeX's escapes undone, for instance `\_` and `\~{}`."""
    if "\\" not in text:
        return text
    return _LATEX.sub(_latex_character, text)


def _latex_character(found: re.Match[str]) -> str:
    return found[1] or found[2] or ("_" if "_" in found[0] else "~")
