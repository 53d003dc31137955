"""The sentences of a trial's last answer with the texts of the pages that each cites."""

from collections import OrderedDict
from typing import NamedTuple

from research_eval.ledger import MAX_TEXT_CHARS
from research_eval.schema import TrialRecord
from research_eval.scorer.claim import Claim, mask_urls, read_draft
from research_eval.scorer.protocol import Pages
from research_eval.scorer.support import PageText
from research_eval.scorer.trail import Trail, attempts_with_trails, citations_of, key_of

__all__ = ["CitedPage", "PageCache", "Reading", "Sentence"]


class CitedPage(NamedTuple):
    """One page that a sentence cites."""

    url: str
    text: PageText | None
    """`None` where the page was not opened, not kept or holds no words."""
    is_whole: bool
    """Whether the text is all that the page holds."""


class Sentence(NamedTuple):
    """One sentence of an answer with what it cites; often nothing."""

    claim: Claim
    pages: tuple[CitedPage, ...]

    @property
    def texts(self) -> list[PageText]:
        """The texts that there are."""
        return [page.text for page in self.pages if page.text is not None]

    @property
    def is_whole(self) -> bool:
        """Whether every cited page can be read to its end."""
        return all(page.text is not None and page.is_whole for page in self.pages)


class Reading(NamedTuple):
    """The last answer of a trial beside what the trial had opened."""

    sentences: tuple[Sentence, ...]
    opened: tuple[CitedPage, ...]
    """Every page with a text that the trial had opened, cited or not."""
    masked: str = ""
    """The answer with its URLs masked."""


class PageCache:
    """Keeps pages taken apart, since the trials of a case read the same ones."""

    CACHED_PAGES = 256

    def __init__(self) -> None:
        self._texts: OrderedDict[str, PageText] = OrderedDict()

    def read(self, trial: TrialRecord, pages: Pages) -> Reading | None:
        """Return the last answer's sentences with their pages; `None` without any answer."""
        last = trial.attempts[-1] if trial.attempts else None
        for attempt, trail in attempts_with_trails(trial):
            if attempt is last:
                citations = sorted(citations_of(attempt), key=lambda c: c.start)
                masked = mask_urls(attempt.answer, citations)
                claims = read_draft(attempt.answer, citations).claims
                found = {u: self._cited(u, trail, pages) for c in claims for u in c.urls}
                sentences = (Sentence(c, tuple(found[u] for u in c.urls)) for c in claims)
                return Reading(tuple(sentences), self._opened(trail, pages), masked)
        return None

    def _cited(self, url: str, trail: Trail, pages: Pages) -> CitedPage:
        return self._page(url, trail.text_digest(key_of(url)), trail, pages)

    def _opened(self, trail: Trail, pages: Pages) -> tuple[CitedPage, ...]:
        by_digest = {digest: key for key, digest in trail.opened.items() if digest}
        found = (self._page(key, digest, trail, pages) for digest, key in by_digest.items())
        return tuple(page for page in found if page.text is not None)

    def _page(self, url: str, digest: str | None, trail: Trail, pages: Pages) -> CitedPage:
        text = self._text(digest, pages) if digest else None
        is_whole = (
            text is not None and digest not in trail.truncated and len(text.text) < MAX_TEXT_CHARS
        )
        return CitedPage(url, text, is_whole)

    def _text(self, digest: str, pages: Pages) -> PageText | None:
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
