"""Pick the sentence of a page that says most about a question, as a script's stand-in for reading."""

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

__all__ = ["Quote", "best_quote", "plain_words"]

_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)+")
_URL = re.compile(r"\S*://\S*", re.IGNORECASE)
_NO_MARKS = str.maketrans(dict.fromkeys("<>[]`*_", ""))
_ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_WORD = re.compile(r"[0-9]+|[^\W\d_\u3040-\u30ff\u4e00-\u9fff]{3,}")
_CJK = re.compile(r"[\u30a0-\u30ff\u4e00-\u9fff]{2,}")
LONGEST = 400
"""Characters of a sentence that may be quoted."""


class Quote(NamedTuple):
    """A sentence and how much of the question it speaks of."""

    text: str
    coverage: float
    """Share of the question's words that stand in the sentence, from 0 to 1."""


@lru_cache(maxsize=1024)
def best_quote(question: str, text: str) -> Quote:
    """Return the sentence of `text` that shares most of the rarer words with `question`.

    >>> best_quote("How tall is the tower?", "Visit us! The tower is 41 m tall.").text
    'The tower is 41 m tall.'
    """
    wanted = _words(question)
    sentences = [s for s in map(str.strip, _ENDS.split(plain_words(text))) if _is_statement(s)]
    found = [(sentence, wanted & _words(sentence)) for sentence in sentences]
    rarity = Counter(word for _, words in found for word in words)
    best = max(found, key=lambda f: sum(1 / rarity[word] for word in f[1]), default=("", set()))
    return Quote(best[0], len(best[1]) / len(wanted) if wanted else 0.0)


def plain_words(text: str) -> str:
    """Return `text` with its links as words, so that quoting it cites nothing."""
    return _URL.sub("", _LINK.sub(r"\1", text)).translate(_NO_MARKS)


def _is_statement(sentence: str) -> bool:
    return 12 <= len(sentence) <= LONGEST and sentence[0] != "#" and sentence[-1] not in "?\uff1f:"


def _words(text: str) -> set[str]:
    folded = text.casefold()
    words = {word[:6] for word in _WORD.findall(folded)}
    pairs = {run[i : i + 2] for run in _CJK.findall(folded) for i in range(len(run) - 1)}
    return words | pairs
