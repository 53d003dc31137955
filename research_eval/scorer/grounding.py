"""Whether the pages that an answer cites hold what it says, without a model."""

from collections import Counter, OrderedDict
from collections.abc import Iterator

from research_eval.dataset import Case
from research_eval.ledger import MAX_TEXT_CHARS, url_key
from research_eval.schema import AnswerChecked, Score, TrialRecord, Unscored
from research_eval.scorer.claim import Claim, read_draft
from research_eval.scorer.protocol import Pages, broken, inapplicable, scored, trial_error
from research_eval.scorer.support import (
    PageText,
    SupportSettings,
    SupportVerdict,
    judge_support,
)
from research_eval.scorer.trail import Trail, attempts_with_trails, citations_of

__all__ = ["GroundingScorer", "pairs_of"]

LEVELS = ("red", "green", "undecided")
NAMES = (
    *(f"support_{level}" for level in LEVELS),
    "support_unreadable",
    "support_lenient",
    "support_pessimistic",
    "effective_citations",
    "not_red_citations",
    "number_absence",
)


def pairs_of(attempt: AnswerChecked, trail: Trail) -> Iterator[tuple[Claim, str, str | None]]:
    """Yield each sentence with each URL that it cites and the digest of what was opened there."""
    for claim in read_draft(attempt.answer, citations_of(attempt)).claims:
        for url in claim.urls:
            yield claim, url, trail.text_digest(url_key(url).value)


class GroundingScorer:
    """Gives RED, GREEN or UNDECIDED to each pair of sentence and cited page of the last answer."""

    __name__ = "support"
    CACHED_PAGES = 256
    """Pages kept taken apart, since the trials of a case read the same ones."""

    def __init__(self, settings: SupportSettings | None = None) -> None:
        self._settings = settings or SupportSettings()
        self._texts: OrderedDict[str, PageText | None] = OrderedDict()

    def __call__(self, case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
        """Give the share of each level; pairs whose page has no text are counted apart."""
        del case
        if error := trial_error(trial):
            yield from (broken(name, error) for name in NAMES)
            return
        verdicts = self._verdicts(trial, pages)
        if not verdicts:
            reason = "no sentence of an answer cites a page"
            yield from (inapplicable(n, reason) for n in NAMES)
            return
        yield from _scores(verdicts)

    def _verdicts(self, trial: TrialRecord, pages: Pages) -> list[SupportVerdict | None]:
        found: list[SupportVerdict | None] = []
        attempts = list(trial.attempts)
        for attempt, trail in attempts_with_trails(trial):
            if attempt is attempts[-1]:
                found = [
                    self._verdict(claim, digest, trail, pages)
                    for claim, _, digest in pairs_of(attempt, trail)
                ]
        return found

    def _verdict(
        self, claim: Claim, digest: str | None, trail: Trail, pages: Pages
    ) -> SupportVerdict | None:
        page = self._page(digest, pages) if digest else None
        if page is None:
            return None
        is_whole = digest not in trail.truncated and len(page.text) < MAX_TEXT_CHARS
        return judge_support(claim.text, page, self._settings, is_whole=is_whole)

    def _page(self, digest: str, pages: Pages) -> PageText | None:
        if digest in self._texts:
            self._texts.move_to_end(digest)
            return self._texts[digest]
        text = pages(digest)
        page = PageText(text) if text else None
        if page is None or page.is_empty:
            return None
        self._texts[digest] = page
        if len(self._texts) > self.CACHED_PAGES:
            self._texts.popitem(last=False)
        return page


def _scores(verdicts: list[SupportVerdict | None]) -> Iterator[Score]:
    """Turn verdicts into shares: with unreadable pages counted as unsupported, and without them."""
    n = len(verdicts)
    read = [verdict for verdict in verdicts if verdict is not None]
    levels = Counter(verdict.level for verdict in read)
    yield scored("support_unreadable", (n - len(read)) / n, float(n))
    yield scored("support_pessimistic", levels["green"] / n, float(n))
    yield scored("effective_citations", float(levels["green"]))
    yield scored("not_red_citations", float(levels["green"] + levels["undecided"]))
    names = (*(f"support_{level}" for level in LEVELS), "support_lenient", "number_absence")
    if not read:
        reason = "no cited page has a text"
        yield from (Unscored(name=name, reason=reason) for name in names)
        return
    for level in LEVELS:
        share = levels[level] / len(read)  # type: ignore[index]  # the levels are these three
        yield scored(f"support_{level}", share, float(len(read)))
    lenient = (levels["green"] + levels["undecided"] / 2) / len(read)
    yield scored("support_lenient", lenient, float(len(read)))
    absent = sum("lacks the number" in verdict.reason for verdict in read)
    yield scored("number_absence", absent / len(read), float(len(read)))
