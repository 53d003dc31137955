"""A provider that somebody wrote: whatever it raises or returns is an outcome of that search."""

from collections.abc import Awaitable, Callable

from research_eval.plugin import fault_of, is_shutdown
from research_eval.tool.search.protocol import (
    BoundedProvider,
    SearchError,
    SearchProvider,
    SearchReply,
)

__all__ = ["PluggedProvider"]


class PluggedProvider:
    """Passes searches on, and turns what no provider may do into a `SearchError`."""

    def __init__(self, inner: SearchProvider, *, entry: str) -> None:
        """Keep the provider.

        Args:
            inner: What the user's code made.
            entry: What the chain calls it; its name where it has none of its own.
        """
        name = getattr(inner, "name", None)
        self.name = name if isinstance(name, str) and name else entry
        self._inner = inner

    async def search(self, query: str, max_results: int) -> SearchReply:
        """Return the provider's reply.

        Raises:
            SearchError: Its own, or one of kind `crashed` for anything else that it raises, and for
                a reply that is none.
        """
        return await self._checked(lambda: self._inner.search(query, max_results))

    async def search_within(self, query: str, max_results: int, within_s: float) -> SearchReply:
        """Return what `search` does; in no more than `within_s` seconds if the provider can be told so.

        Raises:
            SearchError: As `search` does.
        """
        inner = self._inner
        if not isinstance(inner, BoundedProvider):
            return await self.search(query, max_results)
        return await self._checked(lambda: inner.search_within(query, max_results, within_s))

    async def _checked(self, ask: Callable[[], Awaitable[object]]) -> SearchReply:
        try:
            reply = await ask()
        except SearchError:
            raise
        except BaseException as exc:
            if is_shutdown(exc):
                raise
            raise SearchError(f"{self.name} raised {fault_of(exc)}", kind="crashed") from exc
        if not isinstance(reply, SearchReply):
            said = f"{self.name} returned {type(reply).__name__}, expected SearchReply"
            raise SearchError(said, kind="crashed")
        return reply
