"""Characters: which end a bare URL, which are invisible, which belong to which script.

The constants are bodies of regular-expression character classes.
"""

import re

__all__ = [
    "ENDING",
    "INVISIBLE",
    "INVISIBLE_EDGE",
    "SPACED_LETTER",
    "TITLE_MARK",
    "UNSPACED_LETTER",
    "has_invisible",
]

INVISIBLE = (
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0001-\U000e007f"
)
"""Soft hyphen, zero width, direction marks, variation selectors, tags."""

ENDING = (
    # ASCII and Unicode white space, controls, and the ASCII delimiters
    r"\s\x00-\x20\x7f-\xa0<>\"`|"
    # quotation marks, bullet, daggers, reference marks, arrows, box drawing
    "\u00ab\u00bb\u2016\u2018\u201a-\u201f\u2020-\u2022\u2028-\u202f\u2039-\u203b\u2190-\u21ff\u2500-\u25a1\u25aa\u25ab\u25b6\u25c0\u25cf\u25e6\u27e6-\u27ef"
    # full stops and commas of other scripts
    "\u0589\u060c\u061b\u061f\u06d4\u0964\u0965\u104a\u104b\u1362-\u1368\u17d4\u17d5"
    # CJK, full-width, vertical and small forms (iteration marks are letters)
    "\u3000-\u3004\u3008-\u3020\u3030\u303d\ufe10-\ufe1f\ufe30-\ufe6f\uff01-\uff0f\uff1a-\uff20"
    "\uff3b-\uff40\uff5b-\uff65\uffe0-\uffee"
    # citation marks of chat products
    "\ue000-\uf8ff\U000f0000-\U0010ffff"
    # what cannot be decoded
    "\ufffc\ufffd"
)
"""What ends a bare URL wherever it stands."""

TITLE_MARK = (
    "\u3001-\u3003\u3008-\u3011\u3014-\u301f\uff01\uff05\uff06\uff08\uff09\uff0a\uff0b\uff0c\uff0d\uff0e\uff0f"
    "\uff1a\uff1b\uff1d\uff1f\uff20\uff5e\uff61-\uff65"
)
"""CJK and full-width punctuation that titles hold."""

UNSPACED_LETTER = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u3131-\u318e"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff10-\uff19\uff21-\uff3a"
    "\uff41-\uff5a\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Letters of scripts that are written without spaces, or that glue particles to foreign words."""

SPACED_LETTER = "\u0600-\u0605\u0608-\u060b\u060d-\u061a\u0620-\u06d3\u06d5-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc"
"""Arabic letters: words are spaced, yet often glued to a URL."""

INVISIBLE_EDGE = re.compile(f"[{INVISIBLE}]+")
"""A stretch that nobody sees."""

_INVISIBLE = re.compile(f"[{INVISIBLE}]")


def has_invisible(text: str) -> bool:
    """Whether `text` holds a character that nobody sees."""
    return not text.isascii() and _INVISIBLE.search(text) is not None
