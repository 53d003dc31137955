"""DuckDuckGo's page without scripts: no key, no promise, a page to be read like any other."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_eval.schema import SearchHit
from research_eval.tool.search.protocol import SearchError
from research_eval.tool.search.query import clean_text
from research_eval.tool.search.wire import (
    ProviderDetails,
    WireAnswer,
    WireRequest,
    kind_of,
    make_hit,
    refuse,
)
from research_eval.waiting import retry_after

__all__ = ["DuckDuckGoWire"]

_ROBOT_CHECK = "form#challenge-form, form[action*='anomaly.js'], .anomaly-modal__modal"
_NO_RESULTS = ".no-results, .result--no-result, .no-results-message"


class DuckDuckGoWire:
    """The wire format of `html.duckduckgo.com/html/`."""

    details = ProviderDetails(
        name="duckduckgo",
        endpoint="https://html.duckduckgo.com/html/",
        key_name=None,
        max_results=30,
        max_query_chars=499,
    )

    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return the form's POST; how many results come back the page decides."""
        del max_results, key
        form = {"q": query, "b": "", **{name: str(value) for name, value in extra.items()}}
        return WireRequest("POST", form=form)

    def hits(self, answer: WireAnswer) -> list[SearchHit]:
        """Return the results that are no advertisements.

        Raises:
            SearchError: If the page asks whether we are a robot, or is not a page of results.
        """
        page = LexborHTMLParser(answer.body.decode("utf-8", "replace"))
        if answer.status == 202 or page.css_first(_ROBOT_CHECK) is not None:
            raise refuse(self.details.name, "rate_limited", answer, "asks for proof of a human")
        results = (node for node in page.css(".result:not(.result--ad)"))
        links = [(node, link) for node in results if (link := node.css_first("a.result__a"))]
        found = [_hit(node, link, rank) for rank, (node, link) in enumerate(links, 1)]
        if not found and page.css_first(_NO_RESULTS) is None:
            raise refuse(self.details.name, "malformed", answer, "no page of results")
        return found

    def refusal(self, answer: WireAnswer) -> SearchError:
        """Return the error by its status; 403 is how it turns robots away."""
        kind = "rate_limited" if answer.status == 403 else kind_of(answer.status, "")
        return refuse(self.details.name, kind, answer, "", retry_after(answer.headers))

    def pause_s(self, answer: WireAnswer) -> float | None:
        """Return `None`: the page says nothing of pauses."""
        del answer
        return None


def _hit(node: LexborNode, link: LexborNode, rank: int) -> SearchHit:
    snippet = node.css_first(".result__snippet")
    return make_hit(
        _target(link.attributes.get("href") or ""),
        clean_text(link.text()),
        clean_text(snippet.text()) if snippet is not None else "",
        rank,
    )


def _target(href: str) -> str:
    """Return where a link leads: results stand behind a redirect that names them."""
    try:
        parts = urlsplit(href)
        behind = parse_qs(parts.query).get("uddg") if parts.path == "/l/" else None
    except ValueError:
        return ""
    return clean_text(behind[0] if behind else href)
