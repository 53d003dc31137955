"""The provider that stands where a key is missing."""

from research_eval.tool.search.protocol import SearchError, SearchReply

__all__ = ["UnconfiguredSearchProvider"]


class UnconfiguredSearchProvider:
    """Refuses every search without a request, and says what is missing."""

    def __init__(self, name: str, missing: str) -> None:
        self.name = name
        self._missing = missing

    async def search(self, query: str, max_results: int) -> SearchReply:
        """Refuse.

        Raises:
            SearchError: Always, of kind `unconfigured`.
        """
        del query, max_results
        raise SearchError(f"{self.name} is not configured: {self._missing}", kind="unconfigured")
