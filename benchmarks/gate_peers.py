"""Other ways to find the URLs of an answer, put behind the same keys and verdicts."""

from collections.abc import Callable

from linkify_it import LinkifyIt
from markdown_it import MarkdownIt
from markdown_it.token import Token

from research_eval.ledger import SourceRegistry
from research_eval.schema import Verdict, Violation

__all__ = ["FindUrls", "linkify_urls", "markdown_urls", "urls_gate"]

FindUrls = Callable[[str], list[str]]

_LINKIFY = LinkifyIt(options={"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
_MARKDOWN = MarkdownIt("gfm-like")


def linkify_urls(text: str) -> list[str]:
    """Return what linkify-it-py finds, with schemes only."""
    found = [match.url for match in _LINKIFY.match(text) or []]
    return [url for url in found if url.lower().startswith(("http://", "https://"))]


def markdown_urls(text: str) -> list[str]:
    """Return where the links and images of markdown-it-py (GFM, linkify) lead."""
    urls: list[str] = []
    _collect(_MARKDOWN.parse(text), urls)
    return [url for url in urls if url.lower().startswith(("http://", "https://"))]


def _collect(tokens: list[Token], urls: list[str]) -> None:
    for token in tokens:
        target = token.attrGet("href") or token.attrGet("src")
        if target:
            urls.append(str(target))
        _collect(token.children or [], urls)


class _UrlsGate:
    """Rules like the default gate on URLs that something else found, one reading each."""

    id = "peer@1"

    def __init__(self, find: FindUrls) -> None:
        self._find = find

    def check(self, answer: str, ledger: SourceRegistry) -> Verdict:
        urls = self._find(answer)
        if not urls:
            return Verdict(gate=self.id, violations=(Violation(kind="no_citation"),))
        violations = []
        for url in dict.fromkeys(urls):
            record = ledger.get(url)
            if record is None:
                violations.append(Violation(kind="unknown_url", url=url))
            elif record.state == "searched":
                violations.append(Violation(kind="search_only", url=url))
        return Verdict(gate=self.id, violations=tuple(violations))

    def corrective(self, verdict: Verdict) -> str:
        return f"{len(verdict.violations)} violations"


def urls_gate(find: FindUrls) -> _UrlsGate:
    """Return a gate that rules on the URLs which `find` finds."""
    return _UrlsGate(find)
