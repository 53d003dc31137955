"""Whether the pages that an answer cites hold what it says, without a model."""

from collections import Counter
from collections.abc import Iterator

from research_eval.dataset import Case
from research_eval.ledger import url_key
from research_eval.schema import AnswerChecked, Score, TrialRecord, Unscored
from research_eval.scorer.claim import Claim, read_draft
from research_eval.scorer.measure import Measure, declares
from research_eval.scorer.page_cache import PageCache, Reading
from research_eval.scorer.protocol import Pages, broken, inapplicable, scored, trial_error
from research_eval.scorer.quotation import find_quotations
from research_eval.scorer.support import (
    Level,
    SupportSettings,
    SupportVerdict,
    judge_support,
)
from research_eval.scorer.trail import Trail, citations_of
from research_eval.scorer.verbatim import Share, absent_numbers, valid_quotations

__all__ = ["GroundingScorer", "pairs_of"]

LEVELS: tuple[Level, ...] = ("red", "green", "undecided")
PAIRS = "answers of which a sentence cites a page"
MEASURES = (
    Measure("support_red", "share", "lower", "RED",
        "Pairs of a sentence and a cited page that lacks its words, a number or a quotation.",
        "support", PAIRS, headline=True),
    Measure("support_green", "share", "higher", "GREEN",
        "Nothing of the claim is missing on the page.", "support", PAIRS),
    Measure("support_undecided", "share", "neither", "UNDECIDED",
        "Neither can be said.", "support", PAIRS),
    Measure("support_lenient", "share", "higher", "support, lenient",
        "GREEN, and UNDECIDED by one half, of the pairs with a readable page.", applies=PAIRS),
    Measure("support_unreadable", "share", "lower", "unreadable",
        "The page's text was not kept or is no text.", "support", PAIRS),
    Measure("support_pessimistic", "share", "higher", "support, pessimistic",
        "GREEN, of all pairs: an unreadable page supports nothing.", applies=PAIRS),
    Measure("effective_citations", "count", "higher", "effective citations",
        "GREEN pairs, mean a trial; an answer that cites nothing has none.", "support"),
    Measure("not_red_citations", "count", "higher", "citations not RED",
        "GREEN and UNDECIDED pairs, mean a trial."),
    Measure("number_absence", "share", "lower", "number absence",
        "Of the citing sentences with a number, those with one that no cited page holds.",
        "support", "answers with a number in a sentence that cites a readable page"),
    Measure("quote_validity", "share", "higher", "quote validity",
        "Of the quotations, those that stand word for word on a cited page.", "support",
        "answers with a quotation that can be looked for"),
)  # fmt: skip
NAMES = tuple(measure.name for measure in MEASURES)
PAIR_NAMES = NAMES[:6]


def pairs_of(attempt: AnswerChecked, trail: Trail) -> Iterator[tuple[Claim, str, str | None]]:
    """Yield each sentence with each URL that it cites and the digest of what was opened there."""
    for claim in read_draft(attempt.answer, citations_of(attempt)).claims:
        for url in claim.urls:
            yield claim, url, trail.text_digest(url_key(url).value)


@declares(*MEASURES, default=False)
class GroundingScorer:
    """Gives RED, GREEN or UNDECIDED to each pair of sentence and cited page of the last answer."""

    __name__ = "support"

    def __init__(
        self, settings: SupportSettings | None = None, page_cache: PageCache | None = None
    ) -> None:
        self._settings = settings or SupportSettings()
        self._page_cache = page_cache or PageCache()

    def __call__(self, case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
        """Give the share of each level; pairs whose page has no text are counted apart."""
        del case
        if error := trial_error(trial):
            yield from (broken(name, error) for name in NAMES)
            return
        reading = self._page_cache.read(trial, pages) or Reading((), ())
        verdicts = [
            None
            if page.text is None
            else judge_support(
                sentence.claim.text, page.text, self._settings, is_whole=page.is_whole
            )
            for sentence in reading.sentences
            for page in sentence.pages
        ]
        yield from _pair_scores(verdicts)
        counts = Counter(verdict.level for verdict in verdicts if verdict)
        yield scored("effective_citations", float(counts["green"]))
        yield scored("not_red_citations", float(counts["green"] + counts["undecided"]))
        absent = absent_numbers(reading.sentences, self._settings)
        yield _share("number_absence", absent, "no sentence with a number cites a readable page")
        valid = valid_quotations(find_quotations(reading.masked), reading.sentences)
        yield _share("quote_validity", valid, "no quotation can be looked for")


def _share(name: str, share: Share, otherwise: str) -> Score:
    if share.of == 0:
        return inapplicable(name, otherwise)
    return scored(name, share.part / share.of, float(share.of))


def _pair_scores(verdicts: list[SupportVerdict | None]) -> Iterator[Score]:
    """Turn verdicts into shares: with unreadable pages counted as unsupported, and without them."""
    n = len(verdicts)
    if n == 0:
        reason = "no sentence of an answer cites a page"
        yield from (inapplicable(name, reason) for name in PAIR_NAMES)
        return
    read = [verdict for verdict in verdicts if verdict is not None]
    levels = Counter(verdict.level for verdict in read)
    yield scored("support_unreadable", (n - len(read)) / n, float(n))
    yield scored("support_pessimistic", levels["green"] / n, float(n))
    if not read:
        reason = "no cited page has a text"
        yield from (Unscored(name=name, reason=reason) for name in PAIR_NAMES[:4])
        return
    for level in LEVELS:
        yield scored(f"support_{level}", levels[level] / len(read), float(len(read)))
    lenient = (levels["green"] + levels["undecided"] / 2) / len(read)
    yield scored("support_lenient", lenient, float(len(read)))
