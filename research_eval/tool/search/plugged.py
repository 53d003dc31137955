"""A provider that somebody wrote: whatever it raises or returns is an outcome of that search."""

from research_eval.plugin import fault_of
from research_eval.tool.search.protocol import SearchError, SearchProvider, SearchReply

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
        try:
            reply: object = await self._inner.search(query, max_results)
        except SearchError:
            raise
        except Exception as exc:
            raise SearchError(f"{self.name} raised {fault_of(exc)}", kind="crashed") from exc
        if not isinstance(reply, SearchReply):
            said = f"{self.name} returned {type(reply).__name__}, expected SearchReply"
            raise SearchError(said, kind="crashed")
        return reply
