"""A misspelt word and the legal ones in, words that name the nearest out."""

from collections.abc import Iterable

__all__ = ["did_you_mean", "nearest"]


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the word of `known` that `word` was probably meant to be; `None` where none is near."""
    from difflib import get_close_matches  # noqa: PLC0415  # only of a mistake

    by_folded = {one.casefold(): one for one in known}
    found = get_close_matches(word.casefold(), list(by_folded), 1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question to put behind an error; nothing where no word is near.

    >>> did_you_mean("max_retrys", ["max_turns", "max_retries"])
    "; did you mean 'max_retries'?"
    """
    found = nearest(word, known)
    return f"; did you mean {found!r}?" if found else ""
