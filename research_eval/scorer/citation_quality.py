"""How well an answer's citations carry it: recall, precision, thoroughness, necessity.

The definitions are those of the field. Whether pages support a sentence, which they leave to a judge,
is told by counting words: GREEN alone counts as support, and an upper bound counts all but RED.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from research_eval.dataset import Case
from research_eval.schema import Record, Score, TrialRecord
from research_eval.scorer.measure import Measure, declares
from research_eval.scorer.page_cache import CitedPage, PageCache, Reading, Sentence
from research_eval.scorer.protocol import Pages, broken, inapplicable, scored, trial_error
from research_eval.scorer.support import Level, PageText, SupportSettings, judge_support
from research_eval.scorer.worthiness import is_check_worthy

__all__ = ["CitationQualityScorer", "CitationQualitySettings"]

QUALITY, USE = "citation-quality", "page-use"
GAO, DEEPTRACE = "Gao et al., arXiv:2305.14627", "Narayanan Venkit et al., arXiv:2509.04499"
MEASURES = (
    Measure("citation_recall", "share", "higher", "recall",
        "Sentences that the pages they cite support.", QUALITY, source=GAO),
    Measure("citation_recall_upper", "share", "higher", "recall, at most",
        "The same, UNDECIDED counted as support.", QUALITY, source=GAO),
    Measure("citation_recall_needed", "share", "higher", "recall, as needed",
        "The same as recall, where a sentence that needs no citation counts without one.", QUALITY,
        source="Zhang et al., arXiv:2409.02897"),
    Measure("citation_precision", "share", "higher", "precision",
        "Citations that support their sentence, alone or with others that need them.", QUALITY,
        "answers of which a sentence cites a page", GAO),
    Measure("citation_precision_upper", "share", "higher", "precision, at most",
        "The same, UNDECIDED counted as support.", QUALITY,
        "answers of which a sentence cites a page", GAO),
    Measure("thoroughness", "share", "higher", "thoroughness",
        "Of all pairs of a sentence and an opened page that supports it, the cited ones.", USE,
        "answers with a sentence that an opened page supports", DEEPTRACE),
    Measure("source_necessity", "share", "higher", "necessity",
        "Cited pages that are needed to support all that the cited pages support.", USE,
        "answers of which a sentence cites a page", DEEPTRACE),
    Measure("uncited_pages", "share", "neither", "uncited pages",
        "Opened pages that the answer does not cite.", USE, "trials that opened a page with a text"),
    Measure("support_f1", "share", "higher", "F1 at 8",
        "Harmonic mean of the supported share and of reaching 8 supported sentences.", USE,
        source="Wei et al., arXiv:2403.18802"),
)  # fmt: skip
NAMES = tuple(measure.name for measure in MEASURES)
EXACT_COVER = 12
"""With more sources than this, the smallest cover is built source by source, not by trying all."""


class CitationQualitySettings(Record):
    """Thresholds of the support check, and how many supported sentences an answer should have."""

    support: SupportSettings = SupportSettings()
    enough: int = 8
    """Supported sentences from which on `support_f1` asks for no more."""


@declares(*MEASURES, default=False)
class CitationQualityScorer:
    """Measures the citations of the last answer against the pages that the trial opened."""

    __name__ = "citation_quality"

    def __init__(
        self, settings: CitationQualitySettings | None = None, page_cache: PageCache | None = None
    ) -> None:
        self._settings = settings or CitationQualitySettings()
        self._page_cache = page_cache or PageCache()

    def __call__(self, case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
        """Give each share with the number of sentences, citations or pages that it is of.

        Sources: Gao et al., arXiv:2305.14627 (citation recall and precision); Zhang et al.,
        arXiv:2409.02897 (sentences that need no citation); Narayanan Venkit et al.,
        arXiv:2509.04499 (thoroughness, source necessity); Wei et al., arXiv:2403.18802 (F1 at K).
        """
        del case
        if error := trial_error(trial):
            yield from (broken(name, error) for name in NAMES)
            return
        reading = self._page_cache.read(trial, pages)
        if reading is None or not reading.sentences:
            yield from (inapplicable(name, "no answer was given") for name in NAMES)
            return
        table = _SupportTable(self._settings.support)
        yield from _recall(reading, table)
        yield from _precision(reading, table)
        yield _thoroughness(reading, table)
        yield _necessity(reading, table)
        yield _uncited(reading)
        yield _f1(reading, table, self._settings.enough)


class _SupportTable:
    """Says of a sentence and some pages how they judge it; asks once for each."""

    def __init__(self, settings: SupportSettings) -> None:
        self._settings = settings
        self._known: dict[tuple[int, tuple[int, ...]], Level] = {}
        self._joined: dict[tuple[int, ...], PageText] = {}
        """Pages that are cited together, as one text."""

    def level(self, sentence: Sentence, pages: Sequence[CitedPage]) -> Level:
        """Return GREEN if a page alone or all together hold the sentence; unreadable is UNDECIDED."""
        texts = [page.text for page in pages if page.text is not None]
        if not texts:
            return "undecided"
        place = (sentence.claim.start, tuple(map(id, texts)))
        if place not in self._known:
            is_whole = len(texts) == len(pages) and all(page.is_whole for page in pages)
            self._known[place] = self._judged(sentence.claim.text, texts, is_whole=is_whole)
        return self._known[place]

    def _judged(self, claim: str, texts: list[PageText], *, is_whole: bool) -> Level:
        levels = [judge_support(claim, t, self._settings, is_whole=is_whole).level for t in texts]
        if len(texts) == 1 or "green" in levels:
            return "green" if "green" in levels else levels[0]
        together = tuple(map(id, texts))
        if together not in self._joined:
            self._joined[together] = PageText("\n".join(text.text for text in texts))
        joined = self._joined[together]
        return judge_support(claim, joined, self._settings, is_whole=is_whole).level

    def holds(self, sentence: Sentence, pages: Sequence[CitedPage], *, upper: bool = False) -> bool:
        """Return whether the pages support the sentence; at most if UNDECIDED may count."""
        level = self.level(sentence, pages) if pages else "red"
        return level == "green" or (upper and level == "undecided")


def _share(name: str, count: float, of: float, otherwise: str) -> Score:
    return scored(name, count / of, float(of)) if of else inapplicable(name, otherwise)


def _recall(reading: Reading, table: _SupportTable) -> Iterator[Score]:
    """Give the share of sentences that the pages they cite support, all together."""
    sentences = reading.sentences
    n = len(sentences)
    held = [table.holds(s, s.pages) for s in sentences]
    most = [table.holds(s, s.pages, upper=True) for s in sentences]
    needless = sum(not s.pages and not is_check_worthy(s.claim.text) for s in sentences)
    yield _share("citation_recall", sum(held), n, "")
    yield _share("citation_recall_upper", sum(most), n, "")
    yield _share("citation_recall_needed", sum(held) + needless, n, "")


def _precision(reading: Reading, table: _SupportTable) -> Iterator[Score]:
    """Give the share of citations that a supported sentence needs, or that support it alone."""
    pairs = [(s, page) for s in reading.sentences for page in s.pages]
    for name, upper in (("citation_precision", False), ("citation_precision_upper", True)):
        count = sum(_is_precise(s, page, table, upper=upper) for s, page in pairs)
        yield _share(name, count, len(pairs), "no sentence cites a page")


def _is_precise(sentence: Sentence, page: CitedPage, table: _SupportTable, *, upper: bool) -> bool:
    if not table.holds(sentence, sentence.pages, upper=upper):
        return False
    if table.holds(sentence, (page,), upper=upper):
        return True
    rest = tuple(other for other in sentence.pages if other is not page)
    return not table.holds(sentence, rest)


def _thoroughness(reading: Reading, table: _SupportTable) -> Score:
    """Give the share of cited ones among the pairs of a sentence and an opened page that holds it."""
    cited = held = 0
    for sentence in reading.sentences:
        texts = {id(text) for text in sentence.texts}
        for page in reading.opened:
            if table.holds(sentence, (page,)):
                held += 1
                cited += id(page.text) in texts
    return _share("thoroughness", cited, held, "no opened page supports a sentence")


def _necessity(reading: Reading, table: _SupportTable) -> Score:
    """Give the size of the smallest set of cited pages that supports what all of them support."""
    name = "source_necessity"
    pages = {page.url: page for s in reading.sentences for page in s.pages}
    if not pages:
        return inapplicable(name, "no sentence cites a page")
    supporting = [
        {url for url, page in pages.items() if table.holds(sentence, (page,))}
        for sentence in reading.sentences
    ]
    needed = smallest_cover([found for found in supporting if found])
    return scored(name, needed / len(pages), float(len(pages)))


def smallest_cover(sets: Sequence[set[str]]) -> int:
    """Return how many elements it takes to meet every set.

    Tries all choices up to `EXACT_COVER` elements; beyond, it takes the most frequent one by one,
    which may need more than the smallest number.

    >>> smallest_cover([{"a", "b"}, {"b", "c"}, {"d"}])
    2
    """
    elements = sorted(set().union(*sets))
    if len(elements) <= EXACT_COVER:
        for size in range(len(elements) + 1):
            for chosen in combinations(elements, size):
                if all(not found.isdisjoint(chosen) for found in sets):
                    return size
    left, taken = list(sets), 0
    while left:
        best = max(elements, key=lambda e: sum(e in found for found in left))
        left = [found for found in left if best not in found]
        taken += 1
    return taken


def _uncited(reading: Reading) -> Score:
    """Give the share of opened pages that the answer does not cite."""
    cited = {id(text) for sentence in reading.sentences for text in sentence.texts}
    left = sum(id(page.text) not in cited for page in reading.opened)
    return _share("uncited_pages", left, len(reading.opened), "no page with a text was opened")


def _f1(reading: Reading, table: _SupportTable, enough: int) -> Score:
    """Give the harmonic mean of the supported share and of reaching `enough` supported sentences."""
    levels = [table.level(s, s.pages) if s.pages else "red" for s in reading.sentences]
    supported, unsupported = levels.count("green"), levels.count("red")
    if not supported:
        return scored("support_f1", 0.0)
    precision = supported / (supported + unsupported)
    recall = min(supported / enough, 1.0)
    return scored("support_f1", 2 * precision * recall / (precision + recall))
