"""`SourceRegistry`: every URL that a trial saw, and whether it was really opened."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple, Protocol, Self, get_args

from research_eval.ledger.key import SourceKey, url_key
from research_eval.ledger.site import is_same_site
from research_eval.schema import (
    Event,
    Evidence,
    Fetched,
    Searched,
    SearchHit,
    SourceRecord,
    SourceState,
)
from research_eval.schema.outside import safe_text

__all__ = ["MAX_TEXT_CHARS", "KeyFunction", "OpenedPage", "SeenHit", "SourceRegistry"]

MAX_TEXT_CHARS = 200_000
"""The text of a page beyond this many characters is not kept."""

KeyFunction = Callable[[str], SourceKey]
"""Names a URL; equal names mean the same source."""


class SeenHit(Protocol):
    """What a ledger reads of a search hit; `schema.SearchHit` is one, and says what its fields mean."""

    @property
    def url(self) -> str: ...  # noqa: D102  # see above
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def snippet(self) -> str: ...  # noqa: D102


class OpenedPage(Protocol):
    """What a ledger reads of a fetch; `schema.Fetched` is one, and says what its fields mean."""

    @property
    def url(self) -> str: ...  # noqa: D102  # see above
    @property
    def ok(self) -> bool: ...  # noqa: D102
    @property
    def error(self) -> str | None: ...  # noqa: D102
    @property
    def final_url(self) -> str | None: ...  # noqa: D102
    @property
    def canonical(self) -> str | None: ...  # noqa: D102
    @property
    def title(self) -> str | None: ...  # noqa: D102
    @property
    def evidence(self) -> Evidence: ...  # noqa: D102
    @property
    def content_sha256(self) -> str | None: ...  # noqa: D102
    @property
    def content_chars(self) -> int | None: ...  # noqa: D102


class _Content(NamedTuple):
    """Of the text that was kept of a page."""

    sha256: str | None
    chars: int | None


class _Filed(NamedTuple):
    """A successful fetch as it was recorded."""

    page: OpenedPage
    content: _Content


class _Tried(NamedTuple):
    """A fetch that failed."""

    page: OpenedPage


class _Given(NamedTuple):
    """A URL of the question."""

    url: str


_FURTHER: tuple[SourceState, ...] = get_args(SourceState)
"""States, each further than the one before."""


@lru_cache(maxsize=4096)
def _met(
    key: SourceKey, url: str, title: str | None, snippet: str | None, state: SourceState
) -> SourceRecord:
    """Return the record of a source that is new; trials that meet it alike share one."""
    return SourceRecord(
        key=key.value,
        is_canonical=key.is_canonical,
        url=url,
        title=title,
        snippet=snippet,
        state=state,
    )


class SourceRegistry:
    """The ledger of one trial; its tools write it, its gate reads it."""

    def __init__(self, key: KeyFunction = url_key) -> None:
        self.key = key
        self._records: dict[SourceKey, SourceRecord] = {}
        self._texts: dict[str, str] = {}
        self._history: list[SeenHit | _Filed | _Tried | _Given | SourceRecord] = []
        self._views: dict[KeyFunction, tuple[int, SourceRegistry]] = {}

    @classmethod
    def from_events(
        cls, events: Iterable[Event], key: KeyFunction = url_key, *, given: Iterable[str] = ()
    ) -> Self:
        """Return the ledger as it stood after `events`; texts are not in events.

        Args:
            events: What happened.
            key: Names a URL.
            given: The URLs of the question.
        """
        ledger = cls(key)
        for url in given:
            ledger.add_given(url)
        for event in events:
            if isinstance(event, Searched):
                for hit in event.hits:
                    ledger.add_hit(hit)
            elif isinstance(event, Fetched):
                ledger.add_page(event, None)
        return ledger

    @classmethod
    def from_urls(
        cls,
        fetched: Iterable[str] = (),
        searched: Iterable[str] = (),
        failed: Iterable[str] = (),
        given: Iterable[str] = (),
    ) -> Self:
        """Return a ledger in which `fetched` were opened, and the others were not.

        Args:
            fetched: Pages that were opened.
            searched: Search hits.
            failed: Pages that were tried and did not open.
            given: URLs of the question.
        """
        ledger = cls()
        for url in given:
            ledger.add_given(safe_text(url))
        for rank, url in enumerate(searched, start=1):
            ledger.add_hit(SearchHit(url=safe_text(url), rank=rank))
        for url in failed:
            ledger.add_page(Fetched(url=safe_text(url), ok=False), None)
        for url in fetched:
            ledger.add_page(Fetched(url=safe_text(url), ok=True), None)
        return ledger

    @classmethod
    def from_records(cls, records: Iterable[SourceRecord], key: KeyFunction = url_key) -> Self:
        """Return a ledger that holds `records`, filed again under each URL that was observed."""
        ledger = cls(key)
        for record in records:
            ledger._file_record(record)
        return ledger

    def add_given(self, url: str) -> SourceKey:
        """Record a URL that stands in the question; it changes no record that is there."""
        self._history.append(_Given(url))
        return self._observe(url, title=None, state="given")

    def add_hit(self, hit: SeenHit) -> SourceKey:
        """Record a search hit: it fills what is missing and never demotes a fetched record."""
        self._history.append(hit)
        return self._observe(hit.url, title=hit.title or None, snippet=hit.snippet or None)

    def add_page(self, fetched: OpenedPage, text: str | None) -> SourceKey:
        """Record a fetch under its requested, its final and its own canonical URL.

        Of one that failed, the requested and the final URL are marked with what came, unless they
        were opened before. The canonical URL counts on the same registrable domain alone, and of a
        page that is evidence.
        """
        if not fetched.ok:
            return self._file_failure(fetched)
        return self._file_fetch(fetched, self._keep_text(fetched, text))

    def _file_failure(self, fetched: OpenedPage) -> SourceKey:
        self._history.append(_Tried(fetched))
        came = fetched.error or "failed"
        for url in dict.fromkeys((fetched.url, fetched.final_url or fetched.url)):
            key = self._observe(url, title=None, state="failed")
            self._keep_failure(key, came)
        return self.key(fetched.url)

    def _file_fetch(self, fetched: OpenedPage, content: _Content) -> SourceKey:
        self._history.append(_Filed(fetched, content))
        final = fetched.final_url or fetched.url
        page = self._file_page(final, fetched, content)
        requested = page if fetched.url == final else self._file_page(fetched.url, fetched, content)
        canonical = fetched.canonical
        if canonical and fetched.evidence == "ok" and is_same_site(canonical, final):
            self._file_alias(canonical, page)
        return requested

    def get(self, url: str) -> SourceRecord | None:
        """Return the record of `url` under this ledger's key function, if there is one."""
        return self._records.get(self.key(url))

    def text(self, url: str) -> str | None:
        """Return the text of the page at `url`, if it was kept here."""
        record = self.get(url)
        if record is None or record.content_sha256 is None:
            return None
        return self._texts.get(record.content_sha256)

    def texts(self) -> Mapping[str, str]:
        """Return all texts that were kept, by digest."""
        return MappingProxyType(self._texts)

    def records(self) -> tuple[SourceRecord, ...]:
        """Return all records, in the order in which their sources were first met."""
        return tuple(self._records.values())

    def references(self, urls: Iterable[str]) -> tuple[SourceRecord, ...]:
        """Return the records of `urls` in that order, each once; unknown URLs are left out."""
        found = (self._records.get(key) for key in dict.fromkeys(map(self.key, urls)))
        return tuple(record for record in found if record is not None)

    def keyed_by(self, key: KeyFunction) -> "SourceRegistry":
        """Return this ledger filed under another key function, from the URLs as observed."""
        if key is self.key:
            return self
        size, view = self._views.get(key, (-1, self))
        if size != len(self._history):
            view = self._filed_anew(key)
            self._views[key] = (len(self._history), view)
        return view

    def _filed_anew(self, key: KeyFunction) -> "SourceRegistry":
        view = SourceRegistry(key)
        for entry in self._history:
            if isinstance(entry, _Filed):
                view._file_fetch(*entry)
            elif isinstance(entry, _Tried):
                view._file_failure(entry.page)
            elif isinstance(entry, _Given):
                view.add_given(entry.url)
            elif isinstance(entry, SourceRecord):
                view._file_record(entry)
            else:
                view.add_hit(entry)
        view._texts = self._texts
        return view

    def _keep_text(self, fetched: OpenedPage, text: str | None) -> _Content:
        if text is None:
            return _Content(fetched.content_sha256, fetched.content_chars)
        kept = safe_text(text[:MAX_TEXT_CHARS])
        digest = hashlib.sha256(kept.encode()).hexdigest()
        self._texts[digest] = kept
        return _Content(digest, len(kept))

    def _observe(
        self,
        url: str,
        *,
        title: str | None,
        snippet: str | None = None,
        state: SourceState = "searched",
    ) -> SourceKey:
        """Make sure that `url` has a record, at least in `state`; fill only what is missing."""
        key = self.key(url)
        old = self._records.get(key)
        if old is None:
            self._records[key] = _met(key, url, title, snippet, state)
            return key
        missing: dict[str, object] = {}
        if _FURTHER.index(old.state) < _FURTHER.index(state):
            missing["state"] = state
        if url != old.url and url not in old.observed:
            missing["observed"] = (*old.observed, url)
        if old.title is None and title is not None:
            missing["title"] = title
        if old.snippet is None and snippet is not None:
            missing["snippet"] = snippet
        if missing:
            self._records[key] = old.model_copy(update=missing)
        return key

    def _file_page(self, url: str, fetched: OpenedPage, content: _Content) -> SourceKey:
        key = self._observe(url, title=fetched.title)
        old = self._records[key]
        if old.state == "fetched" and old.evidence == "ok" and fetched.evidence != "ok":
            return key
        update: dict[str, object] = {"state": "fetched", "evidence": fetched.evidence}
        update["alias_of"] = update["failure"] = None
        update["title"] = fetched.title or old.title
        if old.evidence != fetched.evidence or (content.chars or 0) >= (old.content_chars or 0):
            update["content_sha256"], update["content_chars"] = content
        self._records[key] = old.model_copy(update=update)
        return key

    def _file_alias(self, url: str, page: SourceKey) -> None:
        key = self._observe(url, title=None)
        old, target = self._records[key], self._records[page]
        if old.state == "fetched":
            return
        self._records[key] = old.model_copy(
            update={
                "state": "fetched",
                "failure": None,
                "alias_of": page.value,
                "title": target.title or old.title,
                "content_sha256": target.content_sha256,
                "content_chars": target.content_chars,
            }
        )

    def _keep_failure(self, key: SourceKey, failure: str | None) -> None:
        old = self._records[key]
        if old.state != "fetched" and failure is not None:
            self._records[key] = old.model_copy(update={"failure": failure})

    def _file_record(self, record: SourceRecord) -> None:
        self._history.append(record)
        for url in (record.url, *record.observed):
            key = self.key(url)
            old = self._records.get(key)
            if old is not None and (old.state == "fetched" or record.state != "fetched"):
                self._observe(url, title=record.title, snippet=record.snippet, state=record.state)
                self._keep_failure(key, record.failure)
                continue
            first = old.url if old else url
            observed = () if first == url else (url,)
            self._records[key] = record.model_copy(
                update={
                    "key": key.value,
                    "is_canonical": key.is_canonical,
                    "url": first,
                    "observed": (*(old.observed if old else ()), *observed),
                }
            )
