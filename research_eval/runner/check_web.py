"""Ask a search provider once, and open a few pages: whether server and key work, and what is blocked."""

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import httpx
from pydantic import Field

from research_eval.clock import SystemClock
from research_eval.experiment import Configuration
from research_eval.ledger import SourceRegistry
from research_eval.plugin import fault_of
from research_eval.runner.check_model import MOST_WORDS, Key
from research_eval.schema import Event, Fetched, Record
from research_eval.schema.display import one_line
from research_eval.tool.fetch import FetchTool, Politeness
from research_eval.tool.search import (
    ProviderSettings,
    ResilienceSettings,
    SearchError,
    SearchReply,
    SearchSettings,
    build_search,
    missing_secrets,
    needs_key,
)

__all__ = ["PagesAnswer", "SearchAnswer", "ask_provider", "known_of_provider", "open_pages"]

ANY_PAGE = "https://example.com/"
"""Opened where no search gives an address."""

MOST_PAGES = 3
MOST_RESULTS = 5
QUERY_CHARS = 100
ONCE = ResilienceSettings(request_retries=0, rate_per_s=None)


class SearchAnswer(Record):
    """What came of asking one search provider."""

    configurations: tuple[str, ...]
    provider: str
    is_reachable: bool | None = None
    key: Key
    results: int | None = None
    fault: str | None = None
    urls: tuple[str, ...] = Field(default=(), exclude=True)
    """What it found."""


class PagesAnswer(Record):
    """What came of opening pages under the settings that some configurations share."""

    configurations: tuple[str, ...]
    asked: int
    reached: int
    """Pages whose server answered, whatever it answered."""
    blocked: int
    """Pages that the SSRF guard, or a list of hosts or ports, keeps closed."""
    faults: tuple[str, ...] = ()
    """Why pages were not reached, one line each."""


def known_of_provider(
    entry: ProviderSettings, names: tuple[str, ...], secrets: Mapping[str, str], *, is_world: bool
) -> SearchAnswer:
    """Return what is known of a search provider without asking it.

    Args:
        entry: The provider.
        names: The configurations whose chains it stands in.
        secrets: API keys by name.
        is_world: Whether the bundled web, which needs no key, stands in for the network.
    """
    key: Key = "none needed"
    if needs_key(entry) and not is_world:
        alone = SearchSettings(chain=(entry,))
        key = "not set" if missing_secrets(alone, secrets) else "set"
    return SearchAnswer(configurations=names, provider=entry.provider, key=key)


async def ask_provider(
    answer: SearchAnswer,
    entry: ProviderSettings,
    query: str,
    *,
    transport: httpx.AsyncBaseTransport,
    secrets: Mapping[str, str],
    base: Path,
) -> SearchAnswer:
    """Send one search to one provider, and tell what came of it.

    Args:
        answer: What is known of it.
        entry: The provider.
        query: What is searched for; its beginning is sent.
        transport: The way to it.
        secrets: API keys by name.
        base: The experiment's folder.
    """
    alone = SearchSettings(chain=(entry.model_copy(update={"resilience": ONCE}),))
    async with httpx.AsyncClient(transport=transport, trust_env=False, timeout=30.0) as http:
        try:
            provider = build_search(
                alone,
                http=http,
                clock=SystemClock(),
                secrets=secrets,
                rng=random.Random(0),
                base=base,
            )
            reply = await provider.search(query[:QUERY_CHARS], MOST_RESULTS) if provider else None
        except SearchError as exc:
            found = _search_fault(exc)
        except Exception as exc:  # noqa: BLE001  # a provider of the user's own raises anything
            found = {"fault": one_line(fault_of(exc), MOST_WORDS)}
        else:
            found = _found(reply)
    if answer.key == "none needed":
        found.pop("key", None)
    return answer.model_copy(update=found)


async def open_pages(
    group: Sequence[Configuration],
    urls: Iterable[str],
    *,
    transport: httpx.AsyncBaseTransport,
    politeness: Politeness | None,
) -> PagesAnswer:
    """Open some pages under the settings that the configurations of `group` share.

    Args:
        group: Configurations with the same `fetch` settings.
        urls: What their searches found; where that is nothing, a page that the settings allow.
        transport: The way to the web, behind the SSRF guard.
        politeness: When each host may be asked again.
    """
    fetch = group[0].fetch
    chosen = list(dict.fromkeys(urls))[:MOST_PAGES] or [_any_page(group[0])]
    events: list[Event] = []
    async with httpx.AsyncClient(transport=transport, trust_env=False, timeout=30.0) as http:
        tool = FetchTool(
            fetch,
            http=http,
            ledger=SourceRegistry(),
            clock=SystemClock(),
            emit=events.append,
            politeness=politeness,
        )
        said = [await _opened(tool, url) for url in chosen]
    fetched = [event for event in events if isinstance(event, Fetched)]
    return PagesAnswer(
        configurations=tuple(item.name for item in group),
        asked=len(chosen),
        reached=sum(event.ok or event.status is not None for event in fetched),
        blocked=sum(event.error == "blocked" for event in fetched),
        faults=tuple(words for words in said if words is not None),
    )


def _search_fault(exc: SearchError) -> dict[str, object]:
    """Return what an error tells of a search provider: what was reached before it went wrong."""
    tried = exc.tries[-1] if exc.tries else None
    kind = str(tried.error if tried is not None and tried.error else exc.kind)
    found: dict[str, object] = {"fault": one_line(str(exc), MOST_WORDS)}
    if kind == "unconfigured":
        return found
    if kind in {"connection", "timeout"}:
        return found | {"is_reachable": False}
    if kind == "empty":
        found["results"] = 0
    told = {"auth": "refused", "quota": "works", "rate_limited": "works", "empty": "works"}
    return found | {"is_reachable": True} | ({"key": told[kind]} if kind in told else {})


def _found(reply: SearchReply | None) -> dict[str, object]:
    hits = reply.hits if reply else ()
    return {
        "is_reachable": True,
        "key": "works",
        "results": len(hits),
        "urls": tuple(hit.url for hit in hits),
        "fault": None if hits else "it found nothing",
    }


async def _opened(tool: FetchTool, url: str) -> str | None:
    """Open a page; return why its server was not reached, if it was not."""
    try:
        outcome = await tool({"url": url, "max_length": 100})
    except Exception as exc:  # noqa: BLE001  # an extractor of the user's own raises anything
        return one_line(f"{url}: {fault_of(exc)}", MOST_WORDS)
    return None if outcome.ok else one_line(f"{url}: {outcome.error or outcome.text}", MOST_WORDS)


def _any_page(configuration: Configuration) -> str:
    """Return an address that its settings allow, where no search gave one."""
    hosts = configuration.fetch.allow_hosts
    return f"https://{hosts[0].lstrip('.')}/" if hosts else ANY_PAGE
