"""A claim and the page that it cites in, RED, GREEN or UNDECIDED out, by counting words.

RED is a usable signal: the page lacks the claim's words, a number or a quotation of it. GREEN is not
proof: it only says that nothing is missing. `benchmarks/support.py` measures both against people.
"""

# ruff: noqa: RUF001  # marks of many scripts stand here on purpose

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Literal, NamedTuple

from research_eval.schema import Record
from research_eval.scorer.quotation import find_quotations, quotable, stands_in
from research_eval.scorer.words import (
    Number,
    content_words,
    names,
    normalise,
    numbers,
    sentences,
    spelled_numbers,
)

__all__ = [
    "Level",
    "PageText",
    "SupportSettings",
    "SupportVerdict",
    "checked_numbers",
    "is_verbatim",
    "judge_support",
]

Level = Literal["red", "green", "undecided"]
"""`red`: the page lacks what the claim says. `green`: nothing is missing. Else `undecided`."""


class SupportSettings(Record):
    """Thresholds of the support check."""

    red_below: float = 0.30
    """Window recall under which a claim is RED."""
    green_from: float = 0.60
    """Window recall from which a claim can be GREEN."""
    names_from: float = 0.80
    """Share of the claim's names that the page must hold for GREEN."""
    window: int = 3
    """Sentences that a window spans."""
    quote_red_below: float = 0.50
    """A quotation that is not verbatim makes RED if fewer of its words stand together."""
    least_number: float = 10.0
    """Smaller whole numbers are not looked for; decimals always are."""


class SupportVerdict(NamedTuple):
    """Whether one page supports a claim."""

    level: Level
    reason: str
    recall: float
    """Share of the claim's content words in the best window of the page."""


_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|nicht|kein\w*|nie|ohne|pas|jamais|sans|inte"
    r"|aldrig|ingen|ikke|nunca|ningún\w*)\b|n['’]t\b|(?:ない|ません|なかった|ず、)",
    re.IGNORECASE,
)
_HEDGED_NUMBER = re.compile(
    r"(?:about|around|nearly|almost|roughly|approximately|approx\.?|over|more than|some|up to|"
    r"less than|under|etwa|rund|über|fast|environ|cirka|omkring|約|およそ|~|≈|<|>)\s*[£$€¥]?\s*$",
    re.IGNORECASE,
)


class PageText:
    """The text of one page, taken apart once for many claims."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._sentences = sentences(text)
        self._places: dict[str, list[int]] = {}
        for place, sentence in enumerate(self._sentences):
            for word in content_words(sentence):
                self._places.setdefault(word, []).append(place)

    @property
    def is_empty(self) -> bool:
        """Whether there is no word to compare with."""
        return not self._places

    @cached_property
    def folded(self) -> str:
        """The text without differences of case, width, quotes and dashes."""
        return normalise(self.text)

    @cached_property
    def quotable(self) -> str:
        """The text as quotations are looked for in it."""
        return quotable(self.folded)

    @cached_property
    def numbers(self) -> frozenset[float]:
        """Every reading of every number of the page."""
        return _values(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the page, folded, names among them."""
        return frozenset(re.findall(r"[^\W_]+(?:['’][^\W_]+)?", self.folded))

    def best_window(self, words: set[str], window: int) -> tuple[float, int]:
        """Return the largest share of `words` in adjacent sentences, and where they begin."""
        held: dict[int, set[str]] = {}
        for word in words:
            for place in self._places.get(word, ()):
                for start in range(max(0, place - window + 1), place + 1):
                    held.setdefault(start, set()).add(word)
        if not held or not words:
            return 0.0, 0
        start = max(held, key=lambda s: (len(held[s]), -s))
        return len(held[start]) / len(words), start

    def passage(self, start: int, length: int) -> str:
        """Return `length` sentences from `start`, with one more on either side."""
        return "\n".join(self._sentences[max(0, start - 1) : start + length + 1])


def judge_support(
    claim: str,
    page: PageText,
    settings: SupportSettings | None = None,
    *,
    is_whole: bool = True,
) -> SupportVerdict:
    """Return whether `page` lacks what `claim` says.

    Args:
        claim: One sentence without citation markers, whose digits would count as numbers.
        page: What it cites.
        settings: Thresholds, if not the defaults.
        is_whole: Whether `page` holds the whole text: what a cut text lacks, the page may hold.

    The rules and their measured errors stand in docs/scores.md.
    """
    verdict = _judge(claim, page, settings or SupportSettings())
    if verdict.level == "red" and not is_whole:
        return SupportVerdict("undecided", f"the text was cut; {verdict.reason}", verdict.recall)
    return verdict


def _judge(claim: str, page: PageText, settings: SupportSettings) -> SupportVerdict:
    words = content_words(claim)
    recall, start = page.best_window(words, settings.window)
    missing = _missing(claim, page, settings)
    if missing is not None:
        return SupportVerdict("red", missing, recall)
    if recall < settings.red_below:
        return SupportVerdict("red", "the page lacks the words of the claim", recall)
    doubt = _doubt(claim, page, start, recall, settings)
    if doubt is not None:
        return SupportVerdict("undecided", doubt, recall)
    return SupportVerdict("green", "words, numbers and names stand together", recall)


def _missing(claim: str, page: PageText, settings: SupportSettings) -> str | None:
    """Return what the page does not hold and would have to: a number or a quotation."""
    for number in checked_numbers(claim, settings):
        if number.readings.isdisjoint(page.numbers):
            return f"the page lacks the number {number.text}"
    for quoted in _quoted(claim):
        if not is_verbatim(quoted, page):
            recall, _ = page.best_window(content_words(quoted), settings.window)
            if recall < settings.quote_red_below:
                return "the page lacks the quotation"
    return None


def _quoted(claim: str) -> list[str]:
    return [quotation.text for quotation in find_quotations(claim)]


def is_verbatim(quoted: str, page: PageText) -> bool:
    """Return whether a quotation stands on the page, the parts between omissions in their order."""
    return stands_in(quoted, page.quotable)


def _doubt(
    claim: str, page: PageText, start: int, recall: float, settings: SupportSettings
) -> str | None:
    """Return why a claim that is not RED is not GREEN either."""
    if recall < settings.green_from:
        return "only some of the words stand together"
    if not all(is_verbatim(quoted, page) for quoted in _quoted(claim)):
        return "the quotation is not verbatim"
    passage = page.passage(start, settings.window)
    near = _values(passage)
    if any(n.readings.isdisjoint(near) for n in checked_numbers(claim, settings)):
        return "a number stands elsewhere on the page"
    called = names(claim)
    if called and len(called & page.words) < settings.names_from * len(called):
        return "the page lacks names of the claim"
    if _denies(claim) != _denies(passage):
        return "one of the two denies something"
    return None


def _denies(text: str) -> bool:
    return _NEGATION.search(text) is not None


def checked_numbers(claim: str, settings: SupportSettings) -> Iterable[Number]:
    """Yield the numbers that must stand on the page, but for those that claim to be rough."""
    for number in numbers(claim):
        if _HEDGED_NUMBER.search(claim, max(0, number.start - 20), number.start):
            continue
        if max(number.readings) >= settings.least_number or any(r % 1 for r in number.readings):
            yield number


def _values(text: str) -> frozenset[float]:
    found: set[float] = set().union(*(number.readings for number in numbers(text)))
    return frozenset(found | spelled_numbers(text))
