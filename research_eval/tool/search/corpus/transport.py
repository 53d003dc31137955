"""Open the pages of a collection as if they were on the web."""

import httpx
from typing_extensions import override

from research_eval.ledger import url_key
from research_eval.tool.search.corpus.collection import Corpus

__all__ = ["CorpusTransport"]


class CorpusTransport(httpx.AsyncBaseTransport):
    """Answers GET for every address of a collection, in whatever equal spelling, and 404 for others."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._urls = {url_key(url).value: url for url in reversed(corpus.index.urls())}

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method not in {"GET", "HEAD"}:
            return httpx.Response(405, text="a collection can only be read")
        url = self._urls.get(url_key(str(request.url)).value)
        page = None if url is None else self._corpus.index.page(url)
        if page is None:
            return httpx.Response(404, text="not in this collection")
        content_type, body = page
        return httpx.Response(200, headers={"content-type": content_type}, content=body)
