"""Find what is wrong with a dataset beyond its form: cases that nobody could answer, or that tell."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from research_eval.dataset.case import Case, Fact

__all__ = ["Finding", "Hit", "Web", "lint_cases"]

_TOP = 10


class Finding(NamedTuple):
    """One thing that is wrong with a case."""

    case_id: str
    message: str


class Hit(NamedTuple):
    """One search hit: the page's own name, and the text that the search shows."""

    page: str
    snippet: str


class Web(Protocol):
    """The web that the cases ask about."""

    def page_name(self, url: str) -> str | None:
        """Return the web's own name of the page at `url`, one for all its spellings."""
        ...

    def text(self, url: str) -> str | None:
        """Return what can be read at `url`; `None` where nothing can."""
        ...

    def hits(self, query: str, limit: int) -> Sequence[Hit]:
        """Return the best pages for `query`, redirects followed."""
        ...


def lint_cases(cases: Iterable[Case], web: Web | None = None) -> list[Finding]:
    """Return what is wrong with `cases`, in their order; with `web`, whether each can be answered."""
    findings: list[Finding] = []
    first_with: dict[str, str] = {}
    cases = tuple(cases)
    has_facts = any(case.expected for case in cases)
    for case in cases:
        question = " ".join(case.question.split()).casefold()
        earlier = first_with.setdefault(question, case.id)
        if earlier != case.id:
            findings.append(Finding(case.id, f"asks the same question as {earlier}"))
        if has_facts and case.answerable and not case.expected:
            findings.append(Finding(case.id, "is answerable but expects no fact, unlike others"))
        findings += [Finding(case.id, message) for message in _alone(case)]
        if web is not None:
            findings += [Finding(case.id, message) for message in _against(case, web)]
    return findings


def _alone(case: Case) -> Iterator[str]:
    """Yield what can be seen without looking anything up."""
    if case.expected and all(fact.is_in(case.question) for fact in case.expected):
        yield "the question gives the answer away"
    for url in (*case.sources, *case.canaries):
        if not url.startswith(("http://", "https://")):
            yield f"{url!r} is no http or https URL"
    for url in sorted(set(case.sources) & set(case.canaries)):
        yield f"{url} is both a source and a canary"


def _against(case: Case, web: Web) -> Iterator[str]:
    """Yield where the web and the case disagree."""
    hits = web.hits(case.question, _TOP)
    if not hits:
        yield "a search for the question finds nothing"
    found = {hit.page for hit in hits}
    for url in case.sources:
        name = web.page_name(url)
        if name is None:
            yield f"source {url} does not exist"
        elif name not in found:
            yield f"a search for the question does not find {url} within the first {_TOP}"
    for url in case.canaries:
        if web.text(url) is not None:
            yield f"canary {url} is a page that can be read"
    yield from _readable(case, web) if case.answerable else _unreadable(case, web, hits)


def _readable(case: Case, web: Web) -> Iterator[str]:
    if case.expected and not case.sources:
        yield "names no source that holds the expected facts"
        return
    texts = [web.text(url) for url in case.sources]
    for url, text in zip(case.sources, texts, strict=True):
        if text is None:
            yield f"source {url} cannot be read"
        elif not any(fact.is_in(text) for fact in case.expected):
            yield f"source {url} states none of the expected facts"
    yield from _missing(case.expected, "\n".join(text or "" for text in texts), "no source states")


def _unreadable(case: Case, web: Web, hits: Sequence[Hit]) -> Iterator[str]:
    for url in case.sources:
        if web.text(url) is not None:
            yield f"is not answerable, yet {url} can be read"
    names = {web.page_name(url) for url in case.sources}
    snippets = "\n".join(hit.snippet for hit in hits if hit.page in names)
    yield from _missing(case.expected, snippets, "no snippet states")


def _missing(facts: Sequence[Fact], text: str, words: str) -> Iterator[str]:
    for fact in facts:
        if not fact.is_in(text):
            yield f"{words} {fact.value!r}"
