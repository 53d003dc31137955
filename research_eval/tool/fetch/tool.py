"""The `fetch` tool: opens a page once, files it in the ledger, gives the model slices of it."""

import hashlib
from collections.abc import Mapping
from typing import Any, Protocol

import httpx

from research_eval.clock import Clock
from research_eval.schema import Fetched, SourceRecord
from research_eval.schema.outside import safe_text
from research_eval.tool.fetch.arguments import (
    DEFAULT_LENGTH,
    ArgumentError,
    FetchArguments,
    read_arguments,
)
from research_eval.tool.fetch.canonical import same_site_canonical
from research_eval.tool.fetch.download import Document, Downloader, DownloadError
from research_eval.tool.fetch.page import ExtractedPage
from research_eval.tool.fetch.politeness import Politeness
from research_eval.tool.fetch.reading import read_document
from research_eval.tool.fetch.settings import FetchSettings
from research_eval.tool.fetch.slice import boundary_after, boundary_at
from research_eval.tool.fetch.wording import error_outcome, frame, tool_spec
from research_eval.tool.protocol import EmitEvent, ToolOutcome
from research_eval.waiting import Waits

__all__ = ["FetchTool", "PageLedger"]


class PageLedger(Protocol):
    """What the tool needs of a ledger."""

    def add_page(self, fetched: Fetched, text: str | None) -> object:
        """File a page that was opened, or note what came instead."""
        ...

    def get(self, url: str) -> SourceRecord | None:
        """Return what is known of `url`."""
        ...

    def text(self, url: str) -> str | None:
        """Return the text of the page at `url`, if it was opened."""
        ...


class FetchTool:
    """Opens pages for one trial.

    Trials that run live side by side may share one `Politeness`, so that together they are as polite
    as one; without it each keeps its own.
    """

    def __init__(
        self,
        settings: FetchSettings,
        *,
        http: httpx.AsyncClient,
        ledger: PageLedger,
        clock: Clock,
        emit: EmitEvent,
        politeness: Politeness | None = None,
        waits: Waits | None = None,
    ) -> None:
        self.spec = tool_spec(max_length=DEFAULT_LENGTH, max_length_limit=settings.max_length_limit)
        self._settings = settings
        self._ledger = ledger
        self._clock = clock
        self._emit = emit
        self._downloader = Downloader(
            settings, http=http, clock=clock, politeness=politeness, waits=waits
        )
        self._pages: dict[str, ExtractedPage] = {}

    async def __call__(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Open the page that `arguments` name, or give a further slice of it."""
        try:
            asked = read_arguments(arguments, self._settings)
        except ArgumentError as exc:
            url = str(arguments.get("url") or "")[:200]
            return error_outcome("invalid_arguments", url=url, detail=str(exc))
        page = self._known_page(asked.url)
        if page is not None:
            return self._slice(page, asked)
        return await self._open(asked)

    def _known_page(self, url: str) -> ExtractedPage | None:
        """Return the page at `url` if this trial opened it before, and note that it is read on."""
        record = self._ledger.get(url)
        text = self._ledger.text(url)
        if record is None or record.state != "fetched" or record.alias_of or text is None:
            return None
        page = self._pages.get(record.key)
        if page is None:
            page = ExtractedPage(
                url=record.url, kind="html", title=record.title, evidence=record.evidence
            )
        page = page.model_copy(update={"content": text})
        self._emit(self._event(url, page).model_copy(update={"from_ledger": True}))
        return page

    async def _open(self, asked: FetchArguments) -> ToolOutcome:
        try:
            document = await self._downloader.get(asked.url)
        except DownloadError as exc:
            return self._failed(asked.url, exc.kind, detail=str(exc), hops=exc.hops)
        if not 200 <= document.status < 300:
            return self._failed(asked.url, f"http_{document.status}", document=document)
        page = await read_document(document, self._settings)
        if page.error == "damaged" and document.is_cut:
            return self._failed(asked.url, "too_large", document=document)
        if page.error is not None:
            return self._failed(asked.url, page.error, detail=page.message or "", document=document)
        event = self._event(asked.url, page, document)
        self._emit(event)
        self._ledger.add_page(event, page.content)
        record = self._ledger.get(page.url)
        if record is not None:
            self._pages[record.key] = page
        return self._slice(page, asked)

    def _event(self, url: str, page: ExtractedPage, document: Document | None = None) -> Fetched:
        flags = (*page.flags, "truncated") if page.truncated else page.flags
        return Fetched(
            url=url,
            final_url=page.url,
            hops=() if document is None else document.hops,
            canonical=same_site_canonical(page),
            status=None if document is None else document.status,
            ok=True,
            evidence=page.evidence,
            flags=flags,
            title=page.title,
            encoding=page.encoding,
            content_sha256=hashlib.sha256(safe_text(page.content).encode()).hexdigest(),
            content_chars=len(page.content),
            at_s=self._now(),
        )

    def _failed(
        self,
        url: str,
        kind: str,
        *,
        detail: str = "",
        hops: tuple[str, ...] = (),
        document: Document | None = None,
    ) -> ToolOutcome:
        event = Fetched(
            url=url,
            final_url=None if document is None else document.url,
            hops=hops if document is None else document.hops,
            status=None if document is None else document.status,
            ok=False,
            error=kind,
            unrecorded=kind == "unrecorded",
            at_s=self._now(),
        )
        self._emit(event)
        self._ledger.add_page(event, None)
        return error_outcome(kind, url=url, detail=detail)

    def _now(self) -> float | None:
        return self._clock.now() if self._clock.is_virtual else None

    @staticmethod
    def _slice(page: ExtractedPage, asked: FetchArguments) -> ToolOutcome:
        total = len(page.content)
        if asked.start_index > 0 and asked.start_index >= total:
            detail = f"start_index {asked.start_index} is not below content_length {total}"
            return error_outcome("out_of_range", url=asked.url, detail=detail)
        start = boundary_at(page.content, asked.start_index)
        end = boundary_at(page.content, start + asked.max_length)
        if end <= start:
            end = boundary_after(page.content, start + asked.max_length)
        text = frame(page, start=start, end=end, requested=asked.url, remarks=asked.remarks)
        return ToolOutcome(text=text)
