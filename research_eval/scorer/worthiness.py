"""Whether a sentence says something that a reader would want to see a source for."""

# ruff: noqa: RUF001  # marks of many scripts stand here on purpose

import re
from typing import NamedTuple

from research_eval.scorer.abstention import is_abstention
from research_eval.scorer.words import content_words
from research_eval.stats.agreement import cohen_kappa

__all__ = ["MEASURED", "Agreement", "is_check_worthy"]

LONG = 8
"""Words that carry meaning from which on a statement is worth a check whatever it holds."""

_DIGIT = re.compile(r"\d")
_CAPITAL = re.compile(r"(?<=\S\s)[A-ZÀ-ÖØ-Þ][\w'’-]+")
_FOREIGN_NAME = re.compile(r"[\u30a0-\u30ff]{3,}|「[^」]+」|[\u4e00-\u9fff]{4,}")
_SUPERLATIVE = re.compile(
    r"\b(?:most|least|best|worst|first|last|only|\w{3,}est|never|always|all|none)\b", re.IGNORECASE
)
_PROCESS = re.compile(
    r"\s*(?:I|We|Let me|Here (?:is|are)|In summary|Below|Ich|Wir|Jag|Vi|Je|Nous|Yo)\b"
    r"|\s*(?:以下|まとめ)",
)
_HEDGE = re.compile(
    r"\b(?:might|may|perhaps|possibly|probably|unclear|it depends)\b", re.IGNORECASE
)
_LEAD_IN = re.compile(r"[:：]\s*(?:\d+\.?|[-*•])?\s*$")


def is_check_worthy(claim: str) -> bool:
    """Return whether a sentence says something that a reader would want to check.

    A proxy. No question, lead-in to a list, account of the search or abstention is worth a check.
    Of what is left, a sentence is if it holds a number or is a statement of some length; a shorter
    one is if it holds a name or a superlative and is no mere conjecture. `MEASURED` says how far
    that agrees with people.
    """
    if claim.rstrip().endswith(("?", "？")) or _PROCESS.match(claim) or is_abstention(claim):
        return False
    if _DIGIT.search(claim) and not _LEAD_IN.search(claim):
        return True
    if _LEAD_IN.search(claim):
        return False
    if len(content_words(claim)) >= LONG:
        return True
    if _HEDGE.search(claim):
        return False
    return any(p.search(claim) for p in (_CAPITAL, _FOREIGN_NAME, _SUPERLATIVE))


class Agreement(NamedTuple):
    """What the proxy said of sentences, against what people said."""

    labelled_set: str
    both: int
    """Worth a check for people and proxy."""
    people_alone: int
    proxy_alone: int
    neither: int

    @property
    def total(self) -> int:
        """All sentences."""
        return self.both + self.people_alone + self.proxy_alone + self.neither

    @property
    def agreement(self) -> float:
        """The share of sentences on which they agree."""
        return (self.both + self.neither) / self.total

    @property
    def precision(self) -> float:
        """Of the sentences that the proxy takes for worthy, the share that people do."""
        return self.both / (self.both + self.proxy_alone)

    @property
    def recall(self) -> float:
        """Of the sentences that people take for worthy, the share that the proxy does."""
        return self.both / (self.both + self.people_alone)

    @property
    def kappa(self) -> float | None:
        """The agreement beyond chance."""
        return cohen_kappa([[self.neither, self.people_alone], [self.proxy_alone, self.both]])


MEASURED = Agreement(
    "ExpertQA a, questions that were held out",
    both=213,
    people_alone=22,
    proxy_alone=56,
    neither=24,
)
"""`benchmarks/support.py FOLDER` measures it again; the rule was chosen on the other questions."""
