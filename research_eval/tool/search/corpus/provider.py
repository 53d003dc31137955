"""Search in a collection: no key, no network, the same answer every time."""

from research_eval.schema import ProviderTry
from research_eval.tool.search.corpus.collection import Corpus
from research_eval.tool.search.protocol import SearchError, SearchReply
from research_eval.tool.search.query import split_sites, tidy_query
from research_eval.tool.search.wire import make_hit

__all__ = ["CorpusSearchProvider"]

MAX_QUERY_CHARS = 1000


class CorpusSearchProvider:
    """Answers from a fixed collection of documents."""

    name = "corpus"

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    async def search(self, query: str, max_results: int) -> SearchReply:
        """Return the best pages; `site:` keeps to a host.

        Raises:
            SearchError: If the query is empty.
        """
        asked = split_sites(tidy_query(query, max_chars=MAX_QUERY_CHARS))
        if not asked.text:
            raise SearchError("corpus was not asked: the query is empty", kind="bad_query")
        found = self._corpus.index.search(asked.text, max_results, site=asked.sites)
        hits = tuple(
            make_hit(match.url, match.title, match.snippet, rank, match.date)
            for rank, match in enumerate(found, 1)
        )
        tried = ProviderTry(provider=self.name, outcome="served")
        return SearchReply(hits=hits, served_by=self.name, tries=(tried,))
