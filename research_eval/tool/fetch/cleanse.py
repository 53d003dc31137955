"""Take out of a text what a person cannot see: controls, marks of direction, smuggled letters."""

import re

__all__ = ["cleanse", "one_line"]

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff]"
    "|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0000-\U000e007f]+"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
)
_SPACES = re.compile(r"\s+")


def cleanse(text: str) -> str:
    """Return `text` without characters that show nothing."""
    return text if text.isascii() and text.isprintable() else _INVISIBLE.sub("", text)


def one_line(text: str) -> str:
    """Return `text` on one line, without what cannot be seen."""
    return _SPACES.sub(" ", cleanse(text)).strip()
