"""Query hygiene: what a model typed in, what a search API will take out."""

import re
from typing import NamedTuple

__all__ = ["Query", "clean_text", "split_sites", "tidy_query"]

_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]+")
_SITE = re.compile(r"(?<!\S)(-?)site:([\w.-]+\.[\w-]+)(/\S*)?", re.IGNORECASE)


class Query(NamedTuple):
    """A query whose `site:` operators stand apart, for an API that has fields for them."""

    text: str
    sites: tuple[str, ...]
    excluded_sites: tuple[str, ...]


def clean_text(text: str) -> str:
    r"""Return `text` on one line, without control, zero-width or unpaired surrogate characters.

    >>> clean_text(" a\x00b\u200b \n c ")
    'a b c'
    """
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    return _SPACE.sub(" ", text.encode("utf-8", "replace").decode()).strip()


def tidy_query(text: str, *, max_chars: int, max_words: int | None = None) -> str:
    r"""Return `text` as an API accepts it: one line, cut between words where it is too long.

    >>> tidy_query("one  two\nthree", max_chars=9)
    'one two'
    """
    words = clean_text(text).split(" ")[:max_words]
    query = " ".join(words)
    if len(query) <= max_chars:
        return query
    cut = query[: max_chars + 1]
    return (cut.rpartition(" ")[0] or cut[:max_chars]).strip()


def split_sites(query: str) -> Query:
    """Take the `site:` and `-site:` operators out of `query`.

    >>> split_sites("tides site:sea.example -site:ads.example")
    Query(text='tides', sites=('sea.example',), excluded_sites=('ads.example',))
    """
    found = [(minus, host.lower()) for minus, host, _ in _SITE.findall(query)]
    text = clean_text(_SITE.sub(" ", query))
    if not found or not text:
        return Query(query, (), ())
    return Query(
        text,
        tuple(dict.fromkeys(host for minus, host in found if not minus)),
        tuple(dict.fromkeys(host for minus, host in found if minus)),
    )
