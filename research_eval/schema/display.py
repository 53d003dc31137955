"""Text of models, pages and files in, the same text as it may be shown to a person out."""

import re

__all__ = ["one_line", "visible"]

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What steers a terminal, turns the text beside it around, or hides words from a reader."""


def visible(text: str) -> str:
    r"""Return `text` with a replacement mark for each character that acts instead of being seen.

    Line feeds and tabs stay.

    >>> visible("a\x1b[31mb").count("\N{REPLACEMENT CHARACTER}")
    1
    """
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str, limit: int | None = None) -> str:
    r"""Return `text` made visible, on one line, cut after `limit` characters.

    >>> one_line("a\n b", 2)
    'a …'
    """
    line = visible(" ".join(text.split()))
    return line if limit is None or len(line) <= limit else f"{line[:limit]}…"
