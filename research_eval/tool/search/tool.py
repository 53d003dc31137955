"""The tool `web_search`: a query of the model in, titles, URLs and snippets out."""

from collections.abc import Mapping
from typing import Any

from research_eval.clock import Clock
from research_eval.ledger import SourceRegistry
from research_eval.schema import ProviderTry, Searched, SearchHit, ToolSpec
from research_eval.tool.protocol import EmitEvent, ToolOutcome
from research_eval.tool.search.outage import SearchOutages
from research_eval.tool.search.protocol import SearchError, SearchProvider
from research_eval.tool.search.query import clean_text, tidy_query

__all__ = ["WebSearchTool"]

MAX_QUERY_CHARS = 1000
DEFAULT_RESULTS = 5
MOST_RESULTS = 10

SPEC = ToolSpec(
    name="web_search",
    description=(
        "Search the web. Returns titles, URLs and snippets. "
        "Results are leads, not sources: open a page with fetch before you cite it."
    ),
    parameters={
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to search for."},
            "max_results": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_RESULTS,
                "default": DEFAULT_RESULTS,
                "description": "How many results to return.",
            },
        },
        "required": ["query"],
        "additionalProperties": False,
    },
)

_ADVICE: Mapping[str, str] = {
    "empty": "Try fewer or other words, without operators or quotation marks.",
    "bad_query": "Try a shorter query in plain words.",
    "rate_limited": "Go on with the pages you know, or search again later.",
    "unrecorded": "Try another query, or go on with the pages you know.",
}
"""What the model can do about a failure; the rest of them leave it only the last resort."""

_LAST_RESORT = "Go on with the pages you know, or fetch a URL that you expect to exist."


class WebSearchTool:
    """Searches, registers every hit as seen but not opened, and tells the transcript."""

    spec = SPEC

    def __init__(
        self,
        provider: SearchProvider,
        *,
        ledger: SourceRegistry,
        clock: Clock,
        emit: EmitEvent,
        outages: SearchOutages | None = None,
    ) -> None:
        self._outages = outages or SearchOutages()
        self._provider = provider
        self._ledger = ledger
        del clock  # the transcript stamps what it is told
        self._emit = emit

    async def __call__(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Return hits as text; a failure is an outcome that says what to try instead.

        Raises:
            SearchOutageError: If nothing but refused keys and spent quotas made the search fail.
        """
        raw = arguments.get("query")
        query = tidy_query(raw, max_chars=MAX_QUERY_CHARS) if isinstance(raw, str) else ""
        if not query:
            text = "web_search needs a query: one short line of plain words."
            return ToolOutcome(text=text, ok=False, error="bad_query")
        limit = _limit(arguments.get("max_results"))
        try:
            reply = await self._provider.search(query, limit)
        except SearchError as exc:
            return self._failed(query, limit, exc)
        hits = reply.hits[:limit]
        for hit in hits:
            self._ledger.add_hit(hit)
        self._tell(query, limit, reply.tries, served_by=reply.served_by, hits=hits)
        if not hits:
            text = f'No results for "{query}". {_ADVICE["empty"]}'
            return ToolOutcome(text=text, ok=False, error="empty")
        return ToolOutcome(text=_listing(query, hits))

    def _failed(self, query: str, limit: int, exc: SearchError) -> ToolOutcome:
        kinds = {tried.error for tried in exc.tries if tried.error}
        self._tell(query, limit, exc.tries, unrecorded="unrecorded" in kinds | {exc.kind})
        refused = self._outages.verdict(exc)
        if refused is not None:
            raise refused from exc
        error = next(iter(kinds)) if len(kinds) == 1 else exc.kind
        advice = _ADVICE.get(error, _LAST_RESORT)
        if error == "empty":
            text = f'No results for "{query}". {advice}'
        else:
            text = f'The search for "{query}" failed: {_reasons(exc)}. {advice}'
        return ToolOutcome(text=text, ok=False, error=error)

    def _tell(
        self,
        query: str,
        limit: int,
        tries: tuple[ProviderTry, ...],
        *,
        served_by: str | None = None,
        hits: tuple[SearchHit, ...] = (),
        unrecorded: bool = False,
    ) -> None:
        self._emit(
            Searched(
                query=query,
                max_results=limit,
                served_by=served_by,
                hits=hits,
                tries=tries,
                unrecorded=unrecorded,
            )
        )


def _limit(value: object) -> int:
    """Return how many results are wanted, within bounds, however the model wrote it."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value.strip()[:4])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return DEFAULT_RESULTS
    return max(1, min(value, MOST_RESULTS))


def _listing(query: str, hits: tuple[SearchHit, ...]) -> str:
    noun = "result" if len(hits) == 1 else "results"
    entries = [_entry(number, hit) for number, hit in enumerate(hits, 1)]
    return "\n\n".join([f'{len(hits)} {noun} for "{query}":', *entries])


def _entry(number: int, hit: SearchHit) -> str:
    lines = [f"{number}. {clean_text(hit.title) or '(no title)'}", f"   URL: {hit.url}"]
    if hit.date:
        lines.append(f"   Date: {clean_text(hit.date)}")
    if hit.snippet:
        lines.append(f"   {clean_text(hit.snippet)}")
    return "\n".join(lines)


def _reasons(exc: SearchError) -> str:
    """Name each provider and why it failed, in words that are the same in every replay."""
    if not exc.tries:
        return exc.kind.replace("_", " ")
    said = (f"{tried.provider} {(tried.error or 'error').replace('_', ' ')}" for tried in exc.tries)
    return ", ".join(said)
