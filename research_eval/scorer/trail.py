"""What a trial had touched by the time of each attempt, read from its transcript alone."""

from collections.abc import Iterator
from functools import lru_cache

from research_eval.gate import extract_citations
from research_eval.ledger import url_key
from research_eval.schema import (
    AnswerChecked,
    Citation,
    Event,
    Fetched,
    Searched,
    TrialRecord,
)

__all__ = ["Trail", "attempts_with_trails", "citation_keys", "citations_of", "key_of"]


@lru_cache(maxsize=16_384)
def key_of(url: str) -> str:
    """Return the value of a URL's key; trials of a run meet the same URLs over and over."""
    return url_key(url).value


class Trail:
    """The keys of the URLs that were touched so far, by what came of them."""

    def __init__(self) -> None:
        self.opened: dict[str, str | None] = {}
        """Key of each page that was opened and is evidence, with the digest of its text."""
        self.empty: set[str] = set()
        """Reached, but no evidence: soft 404, walls, empty shells."""
        self.failed: set[str] = set()
        self.blocked: set[str] = set()
        """Kept from the trial by the harness's SSRF guard."""
        self.aliases: dict[str, str | None] = {}
        """Redirect hops and canonical URLs of opened pages, with the digest of the page's text."""
        self.searched: set[str] = set()
        self.truncated: set[str] = set()
        """Digests of texts that do not hold the whole page."""

    def take(self, event: Event) -> None:
        """Add what one event touched."""
        if type(event) is Searched:
            self.searched.update([key_of(hit.url) for hit in event.hits])
        elif type(event) is Fetched:
            self._take_fetch(event)

    def _take_fetch(self, event: Fetched) -> None:
        keys = [key_of(event.url)]
        if event.final_url and event.final_url != event.url:
            keys.append(key_of(event.final_url))
        if not event.ok:
            (self.blocked if event.error == "blocked" else self.failed).update(keys)
            return
        if event.evidence != "ok":
            self.empty.update(keys)
            return
        for key in keys:
            self.opened[key] = event.content_sha256
        for url in (*event.hops, *((event.canonical,) if event.canonical else ())):
            self.aliases.setdefault(key_of(url), event.content_sha256)
        if event.content_sha256 and "truncated" in event.flags:
            self.truncated.add(event.content_sha256)

    def text_digest(self, key: str) -> str | None:
        """Return the digest of the text behind a key, if a page with a text was opened there."""
        return self.opened.get(key) or self.aliases.get(key)

    def touched(self) -> Iterator[str]:
        """Yield every key that was touched in any way."""
        yield from self.opened
        for keys in (self.empty, self.failed, self.blocked, self.aliases, self.searched):
            yield from keys


def attempts_with_trails(trial: TrialRecord) -> Iterator[tuple[AnswerChecked, Trail]]:
    """Yield each attempt with what had been touched before it; the trail grows from one to the next."""
    trail = Trail()
    for event in trial.transcript:
        if type(event) is AnswerChecked:
            yield event, trail
        else:
            trail.take(event)


def citations_of(attempt: AnswerChecked) -> tuple[Citation, ...]:
    """Return what an attempt cites, read the same way whichever gate ruled on it."""
    if attempt.verdict.gate.startswith("default@"):
        return attempt.verdict.citations
    return extract_citations(attempt.answer)


def citation_keys(citation: Citation) -> tuple[str, ...]:
    """Return the keys of the URL that is meant and of its other readings."""
    if not citation.readings:
        return (key_of(citation.url),)
    return tuple(map(key_of, (citation.url, *citation.readings)))
