"""What must stand on a cited page as it is: numbers and quotations."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from research_eval.scorer.shelf import Sentence
from research_eval.scorer.support import PageText, SupportSettings, checked_numbers, is_verbatim
from research_eval.scorer.words import quotations

__all__ = ["Share", "absent_numbers", "valid_quotations"]


class Share(NamedTuple):
    """Some of so many."""

    part: int
    of: int


def absent_numbers(sentences: Iterable[Sentence], settings: SupportSettings) -> Share:
    """Count sentences with a number that no page they cite holds, of the citing ones with numbers.

    Numbers from 10 on and decimals count, those that claim to be rough do not. A sentence whose
    pages cannot all be read to the end is left out where its number is missing: they may hold it.
    """
    absent = of = 0
    for sentence in sentences:
        texts = sentence.texts
        wanted = list(checked_numbers(sentence.claim.text, settings)) if texts else []
        if not wanted:
            continue
        known = frozenset().union(*(text.numbers for text in texts))
        lacks = any(number.readings.isdisjoint(known) for number in wanted)
        if lacks and not sentence.is_whole:
            continue
        of += 1
        absent += lacks
    return Share(absent, of)


def valid_quotations(sentences: Sequence[Sentence]) -> Share:
    """Count quotations of five words or more that stand word for word on a cited page.

    Those of a sentence that cites nothing are looked for on every page that the answer cites. A
    quotation that is missing from pages which cannot all be read to the end is left out.
    """
    cited = [sentence for sentence in sentences if sentence.pages]
    everywhere = [text for sentence in cited for text in sentence.texts]
    is_whole = all(sentence.is_whole for sentence in cited)
    valid = of = 0
    for sentence in sentences:
        texts = sentence.texts if sentence.pages else everywhere
        readable = sentence.is_whole if sentence.pages else is_whole
        for quoted in quotations(sentence.claim.text):
            found = _stands(quoted, texts)
            if found or readable:
                valid += found
                of += 1
    return Share(valid, of)


def _stands(quoted: str, texts: Iterable[PageText]) -> bool:
    return any(is_verbatim(quoted, text) for text in texts)
