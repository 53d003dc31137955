"""What must stand on a cited page as it is: numbers and quotations."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from research_eval.scorer.claim import Claim
from research_eval.scorer.page_cache import Sentence
from research_eval.scorer.quotation import Quotation
from research_eval.scorer.support import SupportSettings, checked_numbers, is_verbatim

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


def valid_quotations(quotations: Iterable[Quotation], sentences: Sequence[Sentence]) -> Share:
    """Count quotations of five words or more that stand word for word on a cited page.

    They are looked for on the pages that their sentences cite; where those cite none, on every page
    that the answer cites. A quotation that is missing from pages which cannot all be read to the end
    is left out, and so is one that is in no sentence, as the title of a listed source.
    """
    cited = [sentence for sentence in sentences if sentence.pages]
    valid = of = 0
    for quotation in quotations:
        around = [s for s in sentences if _overlap(quotation, s.claim)]
        if not around:
            continue
        looked_in = [s for s in around if s.pages] or cited
        found = any(is_verbatim(quotation.text, t) for s in looked_in for t in s.texts)
        if found or all(s.is_whole for s in looked_in):
            valid += found
            of += 1
    return Share(valid, of)


def _overlap(quotation: Quotation, claim: Claim) -> bool:
    return claim.start < quotation.end and quotation.start < claim.end
