"""What names and headings say of a part of a page, read from `furniture.txt`."""

import re
from functools import cache, lru_cache
from importlib.resources import files

from research_eval.tool.fetch.dom import Element
from research_eval.tool.fetch.naming import names_in

__all__ = ["heading_pattern", "is_called", "words_called"]

_NAMING = ("class", "id", "data-testid", "data-qa", "data-component")
"""Attributes in which people name the parts of a page; the last three are for tests and tools."""


@cache
def words_called(section: str) -> frozenset[str]:
    """Return the single words of a list of names.

    Raises:
        KeyError: If there is no such list.
    """
    return frozenset(entry for entry in _sections()[f"names {section}"] if " " not in entry)


def is_called(section: str, element: Element) -> bool:
    """Say whether a class name, id or test id of `element` holds an entry of a list of names.

    Raises:
        KeyError: If there is no such list.
    """
    given = [element.attrs[name] or "" for name in _NAMING if name in element.attrs]
    return bool(given) and _is_called(section, " ".join(given))


@lru_cache(maxsize=8192)
def _is_called(section: str, names: str) -> bool:
    """Say whether one of `names` holds an entry of a list.

    >>> _is_called("article", "c-AuthorBio__x9f3a wide"), _is_called("article", "bio author")
    (True, False)
    """
    return _name_pattern(section).search(names_in(names)) is not None


@cache
def heading_pattern(section: str) -> re.Pattern[str]:
    """Return one pattern for all expressions of a list.

    Raises:
        KeyError: If there is no such list.
    """
    expressions = "|".join(f"(?:{expression})" for expression in _sections()[section])
    return re.compile(rf"[\W_]*(?:{expressions})", re.IGNORECASE)


@cache
def _name_pattern(section: str) -> re.Pattern[str]:
    entries = sorted(entry.replace(" ", "-") for entry in _sections()[f"names {section}"])
    return re.compile(f"-(?:{'|'.join(map(re.escape, entries))})-")


@cache
def _sections() -> dict[str, list[str]]:
    text = files("research_eval.tool.fetch").joinpath("furniture.txt").read_text(encoding="utf-8")
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        if line.startswith("[") and line.endswith("]"):
            current = sections.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            current.append(line)
    return sections
