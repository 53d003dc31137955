"""What a conversation searched and opened, as its log tells: the ledger, and how far it is believed."""

from collections.abc import Callable

from research_eval.ledger import SourceRegistry
from research_eval.logs.frame import opening_of
from research_eval.logs.mapping import Mapping, ToolMapping
from research_eval.logs.reading import clicked_url, first_of, part_of, urls_of
from research_eval.logs.step import Call, Opened, Result, Tally
from research_eval.schema import (
    Event,
    Fetched,
    LedgerFidelity,
    Searched,
    SearchHit,
    SourceRecord,
)
from research_eval.schema.outside import safe_text

__all__ = ["MAX_RESULT_CHARS", "Keep", "WebHistory"]

MAX_RESULT_CHARS = 200_000
"""Of a tool's result, how much is read and kept."""

Keep = Callable[[str], str]
"""Keeps a text in the run's folder and returns its digest."""


class WebHistory:
    """Searches and openings of one conversation; each becomes an event and a line of the ledger."""

    def __init__(
        self, mapping: Mapping, keep: Keep, tally: Tally, emit: Callable[[Event], None]
    ) -> None:
        self.ledger = SourceRegistry()
        self._mapping = mapping
        self._keep = keep
        self._tally = tally
        self._emit = emit
        self._fidelity: dict[str, LedgerFidelity] = {}
        """How it is known that a page was opened, by the key of its record."""
        self._page = ""
        """The text of the page that was opened last, for clicks."""

    def open_all(self, tool: ToolMapping, call: Call, text: str, result: Result) -> None:
        """Note the pages of a call that opens some, each by its part of the result."""
        urls = urls_of(first_of(call.arguments, tool.url))
        if not urls:
            self._tally.skip("openings whose URL the log does not say")
        for url in urls:
            part = part_of(text, url, urls)
            failed = result.is_error or not part.strip() or self._mapping.fails(part)
            page = opening_of(part, url, failed=failed, final_url=result.final_url)
            if page is None:
                continue
            if tool.gives == "summary":
                page = page._replace(text=None, fidelity="summary")
            self.opened(page if len(urls) == 1 else page._replace(text=None))

    def click(self, tool: ToolMapping, call: Call, text: str, *, failed: bool) -> None:
        """Note the page that an element of the page before leads to."""
        url = clicked_url(self._page, first_of(call.arguments, tool.element))
        if url is None:
            if not failed:
                self._page = text
            self._tally.skip("clicks whose target the log does not say")
            return
        self.opened(Opened(url, ok=not failed, error="failed" if failed else None, text=text))

    def searched(self, query: str, hits: tuple[tuple[str, str, str], ...], by: str | None) -> None:
        """Note a search with its hits: URL, title and snippet of each."""
        event = Searched(
            query=safe_text(query),
            max_results=len(hits),
            served_by=safe_text(by) if by else None,
            hits=tuple(
                SearchHit(
                    url=safe_text(url),
                    title=safe_text(title),
                    snippet=safe_text(snippet),
                    rank=rank,
                )
                for rank, (url, title, snippet) in enumerate(hits, start=1)
            ),
        )
        self._emit(event)
        for hit in event.hits:
            self.ledger.add_hit(hit)

    def opened(self, page: Opened) -> None:
        """Note a page that was asked for."""
        text = safe_text(page.text[:MAX_RESULT_CHARS]) if page.ok and page.text else None
        digest = self._keep(text) if text is not None else None
        event = Fetched(
            url=safe_text(page.url),
            final_url=safe_text(page.final_url) if page.final_url and page.ok else None,
            ok=page.ok,
            evidence=page.evidence,
            error=None if page.ok else safe_text(page.error or "failed"),
            title=safe_text(page.title) if page.title else None,
            content_sha256=digest,
            content_chars=len(text) if text is not None else None,
        )
        self._emit(event)
        key = self.ledger.add_page(event, None)
        if not page.ok:
            return
        self._page = text or self._page
        for name in (key.value, self.ledger.key(event.final_url or event.url).value):
            if self._fidelity.get(name) != "claimed":
                self._fidelity[name] = page.fidelity

    def records(self) -> tuple[SourceRecord, ...]:
        """Return the ledger, each page with how it is known that it was opened."""
        return tuple(
            record.model_copy(update={"fidelity": self._fidelity[record.key]})
            if record.key in self._fidelity
            else record
            for record in self.ledger.records()
        )

    def fidelity(self) -> LedgerFidelity:
        """Return the weakest way in which pages are known to be opened."""
        return "summary" if "summary" in self._fidelity.values() else "claimed"

    def carry_over(self) -> None:
        """Begin the next question with the pages that the conversation opened before."""
        for record in self.ledger.records():
            if record.state == "fetched":
                self._emit(Fetched(url=record.url, ok=True, from_ledger=True))
