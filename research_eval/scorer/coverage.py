"""How much of an answer rests on citations, and on how many sites."""

# ruff: noqa: RUF001  # a typographic apostrophe stands here on purpose

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from research_eval.dataset import Case
from research_eval.ledger import site_of_url, url_key
from research_eval.schema import Score, TrialRecord
from research_eval.scorer.abstention import is_abstention
from research_eval.scorer.claim import Draft, read_draft
from research_eval.scorer.measure import Measure, declares
from research_eval.scorer.protocol import Pages, broken, inapplicable, scored, trial_error
from research_eval.scorer.trail import citations_of
from research_eval.scorer.worthiness import is_check_worthy

__all__ = ["coverage", "last_draft"]

MEASURES = (
    Measure("cited_claim_share", "share", "higher", "cited claims",
        "Check-worthy sentences that carry a citation.", "coverage",
        "answers with a check-worthy sentence", headline=True),
    Measure("check_worthy_claims", "count", "neither", "check-worthy",
        "Check-worthy sentences, mean.", "coverage"),
    Measure("uncited_assertion", "yes_no", "lower", "asserts uncited",
        "Answers that assert and cite nothing.", "coverage"),
    Measure("unresolved_markers", "count", "lower", "unresolved markers",
        "Markers such as [3] that no entry of the list of sources has, or several with different sources."),
    Measure("unused_sources", "count", "lower", "unused sources",
        "Entries of the list of sources that no sentence points at."),
    Measure("non_url_references", "count", "lower", "references without URL",
        "Sources named by DOI, arXiv id, ISBN or author and year alone."),
    Measure("domain_concentration", "share", "neither", "concentration",
        "Largest share of one site in the citations.", "coverage", "answers that cite a URL"),
)  # fmt: skip
NAMES = tuple(measure.name for measure in MEASURES)

_NON_URL = re.compile(
    r"\b(?:doi:\s*|DOI\s+)?10\.\d{4,9}/[^\s)\]]+|\barXiv:\s?\d{4}\.\d{4,5}|\bISBN[\s:-]*[\d-]{10,17}"
    r"|\((?:[A-Z][\w'’-]+(?:,? (?:and|&|et al\.?) ?[A-Z]?[\w'’-]*)*),? (?:19|20)\d\d[a-z]?\)"
)


def last_draft(trial: TrialRecord) -> Draft | None:
    """Return the last attempt's sentences with their citations; `None` without any attempt."""
    attempts = trial.attempts
    if not attempts:
        return None
    return read_draft(attempts[-1].answer, citations_of(attempts[-1]))


@declares(*MEASURES, default=False, needs_ledger=False)
def coverage(case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
    """Say which share of the check-worthy sentences of the last answer carries a citation."""
    del case, pages
    if error := trial_error(trial):
        yield from (broken(name, error) for name in NAMES)
        return
    draft = last_draft(trial)
    if draft is None:
        reason = "no answer was given"
        yield from (inapplicable(n, reason) for n in NAMES)
        return
    answer = trial.attempts[-1].answer
    worthy = [claim for claim in draft.claims if is_check_worthy(claim.text)]
    cited = sum(bool(claim.urls) for claim in worthy)
    yield _share("cited_claim_share", cited, len(worthy), "no sentence is worth a check")
    yield scored("check_worthy_claims", float(len(worthy)))
    urls = [c.url for c in citations_of(trial.attempts[-1])]
    asserts_alone = bool(worthy) and not urls and not is_abstention(answer)
    yield scored("uncited_assertion", float(asserts_alone))
    yield scored("unresolved_markers", float(draft.unresolved))
    yield scored("unused_sources", float(len(draft.unused)))
    yield scored("non_url_references", float(_non_url_references(answer, urls)))
    yield _concentration(urls)


def _share(name: str, count: int, of: int, otherwise: str) -> Score:
    if of == 0:
        return inapplicable(name, otherwise)
    return scored(name, count / of, float(of))


def _non_url_references(answer: str, urls: list[str]) -> int:
    """Count sources that are named by DOI, arXiv id, ISBN or author and year alone."""
    for url in urls:
        answer = answer.replace(url, " ")
    return len(set(_NON_URL.findall(answer)))


def _concentration(urls: list[str]) -> Score:
    name = "domain_concentration"
    keys = {url_key(url).value for url in urls}
    if not keys:
        return inapplicable(name, "the answer cites nothing")
    sites = Counter(_site(key) for key in keys)
    return scored(name, max(sites.values()) / len(keys))


@lru_cache(maxsize=4096)
def _site(key: str) -> str:
    return site_of_url(key) or key
