"""How the sources of an answer are written: damaged, shortened, without a page, under another site's name."""

import re
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import urlsplit

from research_eval.dataset import Case
from research_eval.gate.malformed import find_malformed, is_domain
from research_eval.ledger import is_same_site, site_of_url
from research_eval.schema import Citation, Score, TrialRecord
from research_eval.scorer.measure import Measure, declares
from research_eval.scorer.protocol import Pages, broken, inapplicable, scored, trial_error
from research_eval.scorer.trail import citations_of

__all__ = [
    "citation_form",
    "front_pages",
    "hash_routes",
    "identifiers",
    "mislabelled_links",
    "shortened",
]

MEASURES = (
    Measure("malformed_urls", "count", "lower", "malformed",
        "What a reader of the last answer takes for a URL and no renderer links: a damaged scheme, a "
        "space behind it, a defanged host, a host with a path and no scheme. Code is left out.",
        applies="trials that gave an answer"),
    Measure("other_site_labels", "share", "lower", "label of another site",
        "Links of the last answer whose text is the address of another site than they lead to.",
        applies="answers with a link whose text is an address"),
    Measure("bare_identifiers", "count", "neither", "identifiers alone",
        "DOIs, PMIDs and arXiv numbers of the last answer that no cited URL holds.",
        applies="trials that gave an answer"),
    Measure("hash_routes", "share", "lower", "hash routes",
        "Cited URLs whose page is named behind `#/` or `#!`, which no server and no ledger sees.",
        applies="answers that cite a URL"),
    Measure("shortened_urls", "share", "lower", "shortened",
        "Cited URLs that were cut and hold an ellipsis: they lead nowhere.",
        applies="answers that cite a URL"),
    Measure("front_pages", "share", "lower", "front pages",
        "Cited URLs that name no page, but the front page of a host.",
        applies="answers that cite a URL"),
    Measure("cited_sites", "count", "neither", "sites",
        "Sites that the last answer cites, by the domain that somebody registered.",
        applies="trials that gave an answer"),
)  # fmt: skip
NAMES = tuple(measure.name for measure in MEASURES)

LABEL_CHARS = 300
"""A longer text of a link is no address."""
_MARKDOWN = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*<?$")
_HTML = re.compile(r"[^<>]*>(.*?)</a\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_ADDRESS = re.compile(
    r"(?P<scheme>https?://)?(?P<host>(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24})(?P<rest>[/?#:]\S*)?",
    re.IGNORECASE,
)
_AROUND = " \t\r\n*_`~.,;:()[]<>\u2026"

_IDENTIFIERS = (
    re.compile(r"(?<![\w/.])(10\.\d{4,9}/[^\s\"<>|\[\]]*[^\s\"<>|\[\].,;:!?)}*_])"),
    re.compile(r"(?<!\w)PMID:?\s{0,3}(\d{4,9})(?!\d)", re.IGNORECASE),
    re.compile(r"(?<!\w)(PMC\d{4,9})(?!\d)"),
    re.compile(
        r"(?<!\w)arXiv:\s{0,3}(\d{4}\.\d{4,5}(?:v\d{1,2})?|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7})",
        re.IGNORECASE,
    ),
)
_ROUTE = re.compile(r"!|!?/[^\s/]")
_ELLIPSIS = re.compile(r"…|\.\.\.|%E2%80%A6", re.IGNORECASE)
_CUT = re.compile(r"…|(?<=/)\.\.\.")
"""An ellipsis behind a URL that stands in text; three dots may also end the sentence."""


@declares(*MEASURES, default=False, needs_ledger=False)
def citation_form(case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
    """Say of the last answer how its sources are written."""
    del case, pages
    if error := trial_error(trial):
        yield from (broken(name, error) for name in NAMES)
        return
    if not trial.attempts:
        yield from (inapplicable(name, "no answer was given") for name in NAMES)
        return
    last = trial.attempts[-1]
    text, citations = last.answer, citations_of(last)
    yield scored("malformed_urls", float(len(find_malformed(text, citations))))
    labels = tuple(mislabelled_links(text, citations))
    yield _share("other_site_labels", sum(labels), len(labels), "no link's text is an address")
    yield scored("bare_identifiers", float(len(identifiers(text, citations))))
    urls = {citation.url for citation in citations}
    for name, found in (
        ("hash_routes", hash_routes(citations)),
        ("shortened_urls", shortened(text, citations)),
        ("front_pages", front_pages(citations)),
    ):
        yield _share(name, len(found), len(urls), "the answer cites nothing")
    yield scored("cited_sites", float(len({site_of_url(url) or url for url in urls})))


def _share(name: str, count: int, of: int, otherwise: str) -> Score:
    return scored(name, count / of, float(of)) if of else inapplicable(name, otherwise)


def mislabelled_links(text: str, citations: tuple[Citation, ...]) -> Iterator[bool]:
    """Yield for each link whose text is an address whether it leads to another site than that."""
    for citation in citations:
        address = _ADDRESS.fullmatch(_label(text, citation).strip(_AROUND))
        if address is None or not _is_address(address):
            continue
        yield not is_same_site(f"https://{address['host']}/", citation.url)


def _label(text: str, citation: Citation) -> str:
    """Return the text of the link that leads to a citation; empty where there is none."""
    if citation.form == "markdown":
        before = text[max(0, citation.start - LABEL_CHARS) : citation.start]
        found = _MARKDOWN.search(before)
        return found[1] if found else ""
    if citation.form == "html":
        anchor = _HTML.match(text, citation.end, citation.end + 2 * LABEL_CHARS)
        return _TAG.sub("", anchor[1]) if anchor else ""
    return ""


def _is_address(address: re.Match[str]) -> bool:
    """Return whether it is no name such as ASP.NET, and no file."""
    is_plain = address["scheme"] is None and address["rest"] is None
    return is_domain(address["host"]) and not (is_plain and address["host"] != address[0].lower())


@lru_cache(maxsize=256)
def identifiers(text: str, citations: tuple[Citation, ...]) -> frozenset[str]:
    """Return the DOIs, PMIDs and arXiv numbers in a text that no cited URL holds."""
    cited = " ".join(
        url.casefold() for citation in citations for url in (citation.url, *citation.readings)
    ).replace("%2f", "/")
    spans = [(citation.start, citation.end) for citation in citations]
    found = set()
    for pattern in _IDENTIFIERS:
        for match in pattern.finditer(text):
            is_inside = any(start <= match.start() < end for start, end in spans)
            name = match[1].casefold()
            if not is_inside and name not in cited:
                found.add(name)
    return frozenset(found)


def hash_routes(citations: tuple[Citation, ...]) -> set[str]:
    """Return the cited URLs whose fragment names a page, as programs that run in a browser do."""
    return {one.url for one in citations if _ROUTE.match(_fragment(one.url))}


def _fragment(url: str) -> str:
    try:
        return urlsplit(url).fragment
    except ValueError:
        return ""


def shortened(text: str, citations: tuple[Citation, ...]) -> set[str]:
    """Return the cited URLs that an ellipsis cuts."""
    return {
        one.url
        for one in citations
        if _ELLIPSIS.search(one.url) or (one.form == "bare" and _CUT.match(text, one.end))
    }


def front_pages(citations: tuple[Citation, ...]) -> set[str]:
    """Return the cited URLs without a path, a query and a route of a program in the browser."""
    return {one.url for one in citations if _is_front(one.url)} - hash_routes(citations)


def _is_front(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return bool(parts.hostname) and parts.path in {"", "/"} and not parts.query
