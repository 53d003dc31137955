"""Corpus: a folder of documents in, a search provider and the pages themselves out."""

from research_eval.tool.search.corpus.collection import Corpus, CorpusPage, open_corpus
from research_eval.tool.search.corpus.provider import CorpusSearchProvider
from research_eval.tool.search.corpus.transport import CorpusTransport

__all__ = ["Corpus", "CorpusPage", "CorpusSearchProvider", "CorpusTransport", "open_corpus"]
