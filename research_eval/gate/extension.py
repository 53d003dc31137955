"""Extensions of file names: nothing of a title follows one, so words behind it are the sentence's."""

import re

__all__ = ["AFTER_EXTENSION", "EXTENSION", "after_extension"]

_NAMES = "html?|shtml|xhtml|pdf|aspx?|php|jsp|txt|csv|json|xml|docx?|xlsx?|pptx?|md|png|jpe?g|gif|svg|webp|do|cgi"
EXTENSION = re.compile(rf"[^/]\.(?:{_NAMES})$", re.IGNORECASE)
"""A URL that ends with the extension of a file."""

_SUFFIX = r"['\u2019](?:s|[a-z\u00e7\u011f\u0131\u00f6\u015f\u00fc]{1,5})(?![A-Za-z0-9/_=&#%~+-])"
"""A possessive, or a suffix as Turkish and Finnish write it behind a name."""

AFTER_EXTENSION = re.compile(rf"[^\x00-\x7f]|\([^()/]*$|\([^()/]*\)|{_SUFFIX}")
_GLUED = re.compile(
    rf"\.(?:{_NAMES})(?=[.,;:]?[^\x00-\x7f](?:(?!\.[A-Za-z0-9])[^/?#=&])*$|{_SUFFIX}[.,;:!?]*$)",
    re.IGNORECASE,
)


def after_extension(run: str) -> int | None:
    """Return where words begin that are glued behind an extension, if there are any."""
    glued = _GLUED.search(run)
    return None if glued is None else glued.end()
