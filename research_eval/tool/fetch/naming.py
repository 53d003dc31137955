"""The words that a person wrote into class names and ids; what a tool made of letters is none."""

import re
from functools import lru_cache

__all__ = ["names_in", "words_in"]

_ABOUT_STATE = re.compile(
    r"(?:^|[-_])(?:has|with|no|without|is|js|wp|layout|page|theme|open)[-_]|[-_]open$"
    r"|[-_](?:position|align|alignment|placement|style|type)[-_]"
)
"""Names that tell how something looks, and not what it is."""
_GENERATED = re.compile(
    r"(?:^|\s)(?:sc|css|jss|svelte|astro|emotion|jsx|makeStyles)-?[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$"
)
"""Names that tools for styles make up whole."""
_HASH_AT_END = re.compile(r"(?:__|--|_)([A-Za-z0-9+/]{5,8})$")
_PART = re.compile(r"[A-Za-z0-9]+")
_NUMBERED = re.compile(r"[A-Z]?[a-z]{4,}\d{1,2}$|[a-z]{2,3}\d$")
"""A word and its number, as a person writes it: `sidebar2`."""
_HEX = re.compile(r"[0-9a-f]{6,}$")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MAX_NAMES = 30
_MAX_CHARS = 80
_SHORT = 3


@lru_cache(maxsize=4096)
def words_in(classes: str, name: str = "") -> frozenset[str]:
    """Return the words of the class names `classes` and of the id `name`, in lower case.

    >>> sorted(words_in("site-footer Card_body__aD3kQ elementor-element-ad3e790"))
    ['body', 'card', 'element', 'elementor', 'footer', 'site']
    """
    return frozenset(names_in(classes, name).replace("-", " ").split())


@lru_cache(maxsize=4096)
def names_in(classes: str, name: str = "") -> str:
    """Return the names of `classes` and the id `name`, each as its words between hyphens.

    >>> names_in("site-footer Card_body__aD3kQ")
    '-site-footer- -card-body-'
    """
    found = (
        _words(given[:_MAX_CHARS])
        for given in [*classes.split()[:_MAX_NAMES], name]
        if given and not _ABOUT_STATE.search(given)
    )
    return " ".join(f"-{'-'.join(words)}-" for words in found if words)


def _words(name: str) -> list[str]:
    if _GENERATED.match(name):
        return []
    ending = _HASH_AT_END.search(name)
    if ending is not None and _is_mixed(ending[1]):
        name = name[: ending.start()]
    return [
        word.lower()
        for part in _PART.findall(name)
        if _is_written(part)
        for word in _WORD.findall(part)
    ]


def _is_written(part: str) -> bool:
    """Say whether a person wrote `part`: no digits among its letters, and no number in hex."""
    if part.isalpha():
        return not _HEX.match(part)
    return _NUMBERED.match(part) is not None


def _is_mixed(text: str) -> bool:
    """Say whether letters in `text` change their case as no person changes it."""
    if not text.isalpha():
        return not _NUMBERED.match(text)
    pieces = _WORD.findall(text)
    return len(pieces) > 1 and sum(len(piece) < _SHORT for piece in pieces) > len(pieces) // 3
