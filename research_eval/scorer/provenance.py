"""Where cited URLs come from: opened, failed, only searched, only linked, or from nowhere."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from research_eval.dataset import Case
from research_eval.gate import extract_citations
from research_eval.schema import (
    AnswerChecked,
    Citation,
    Score,
    TrialRecord,
)
from research_eval.scorer.measure import Better, Measure, declares
from research_eval.scorer.protocol import Pages, broken, inapplicable, scored, trial_error
from research_eval.scorer.trail import (
    Trail,
    attempts_with_trails,
    citation_keys,
    citations_of,
    key_of,
)

__all__ = ["CLASSES", "Provenance", "provenance", "source_classes"]

Provenance = Literal[
    "opened",
    "fetch_failed",
    "no_evidence",
    "alias",
    "snippet_only",
    "link_only",
    "fetch_blocked",
    "user_given",
    "sibling",
    "known_host",
    "fabricated",
]
"""Where a cited URL comes from; the first that fits.

`opened`: fetched, under the requested or the final URL. `fetch_failed`: every fetch failed.
`no_evidence`: reached, but a soft 404, a wall or an empty shell. `alias`: a redirect hop, or the
canonical URL, of an opened page. `snippet_only`: a search hit, never opened. `link_only`: stands in
the text of an opened page. `fetch_blocked`: the SSRF guard let no fetch of it out. `user_given`: stands in the question. `sibling`: beside or above a URL
that was touched. `known_host`: elsewhere on a host that was touched. `fabricated`: none of these.
"""

CLASSES: tuple[Provenance, ...] = get_args(Provenance)
NEVER_SEEN = frozenset[Provenance]({"sibling", "known_host", "fabricated"})
"""The trial never met these URLs in any form."""
CREDIT: dict[Provenance, float] = {"opened": 1.0, "alias": 1.0, "snippet_only": 0.5}
CITED = "answers that cite a URL"
BETTER: dict[str, Better] = {"opened": "higher", "alias": "higher", "fetch_blocked": "neither"}
"""Whether more of a class is better; of every other class fewer are."""
MEANINGS: dict[str, str] = {
    "opened": "opened in the trial, under the URL asked for or the one it ended at",
    "fetch_failed": "asked for, but every fetch failed",
    "no_evidence": "reached, but a soft 404, a wall or an empty shell",
    "alias": "the canonical URL, or a redirect, of a page that was opened",
    "snippet_only": "search hits that were never opened",
    "link_only": "only linked from a page that was opened",
    "fetch_blocked": "asked for, and blocked by the harness's SSRF guard",
    "user_given": "given in the question",
    "sibling": "beside or above a URL that was touched",
    "known_host": "elsewhere on a host that was touched",
    "fabricated": "on a host that was never touched",
    "never_seen": "met nowhere in the trial in any form",
}
"""What is cited, by its class."""
IN_TABLE = ("opened", "alias", "no_evidence", "fetch_failed", "snippet_only", "link_only",
            "never_seen")  # fmt: skip
FIRST_SHOWN = frozenset({"first_cited_never_seen", "first_cited_snippet_only"})


def _measures(when: str) -> Iterator[Measure]:
    """Yield what is measured of the first or of the final answer."""
    answer = "last" if when == "final" else when
    section = f"citations-{when}"
    yield Measure(
        f"{when}_citations", "count", "neither", "cited",
        f"Distinct URLs that the {answer} answer cites, mean.", section, needs_ledger=False,
    )  # fmt: skip
    for name, meaning in MEANINGS.items():
        share, better = f"{when}_cited_{name}", BETTER.get(name, "lower")
        yield Measure(
            share, "share", better, name.replace("_", " "),
            f"Of the URLs that {answer} answers cite: {meaning}.",
            section if name in IN_TABLE else "", CITED, headline=share in FIRST_SHOWN,
        )  # fmt: skip
        yield Measure(
            f"{when}_any_{name}", "yes_no", better,
            f"any {name.replace('_', ' ')}", f"{answer.capitalize()} answers that cite any: {meaning}.",
        )  # fmt: skip
    yield Measure(
        f"{when}_provenance_credit", "share", "higher", "provenance credit",
        "1 for an opened page or its alias, one half for a search hit, 0 for the rest.",
        applies=CITED, source="AstaBench",
    )  # fmt: skip


URL_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/%_-=&?~+")


@declares(*(measure for when in ("first", "final") for measure in _measures(when)))
def provenance(case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
    """Give the share of each class among the cited URLs, and whether an answer cites any of it.

    Of the first answer and of the last; a URL that an answer cites twice counts once.
    """
    del case
    if error := trial_error(trial):
        for when in ("first", "final"):
            yield from (broken(name, error) for name in _every(NAMES[when]))
        return
    first: list[Provenance] | None = None
    last: list[Provenance] | None = None
    for attempt, trail in attempts_with_trails(trial):
        last = source_classes(attempt, trail, trial.question, pages)
        first = last if first is None else first
    yield from _scores("first", None if first is None else tuple(first))
    yield from _scores("final", None if last is None else tuple(last))


class _Names(NamedTuple):
    """The names of the scores of the first or of the last answer."""

    citations: str
    credit: str
    by_class: tuple[tuple[str, str, str], ...]
    """Each class with the name of its share, and that of whether an answer cites any of it."""


def _names(when: str) -> _Names:
    return _Names(
        f"{when}_citations",
        f"{when}_provenance_credit",
        tuple((c, f"{when}_cited_{c}", f"{when}_any_{c}") for c in (*CLASSES, "never_seen")),
    )


NAMES = {when: _names(when) for when in ("first", "final")}


def _every(names: _Names) -> Iterator[str]:
    yield names.citations
    for _, share, some in names.by_class:
        yield share
        yield some
    yield names.credit


@lru_cache(maxsize=4096)
def _scores(when: str, classes: tuple[Provenance, ...] | None) -> tuple[Score, ...]:
    """Return the scores of one answer; answers that cite alike share them."""
    names = NAMES[when]
    if classes is None:
        return tuple(inapplicable(name, "no answer was given") for name in _every(names))
    n = len(classes)
    counts: Counter[str] = Counter(classes)
    counts["never_seen"] = sum(counts[name] for name in NEVER_SEEN)
    scores: list[Score] = [scored(names.citations, float(n))]
    for name, share, some in names.by_class:
        scores += [_share(share, counts[name], n), scored(some, float(counts[name] > 0))]
    credit = sum(CREDIT.get(name, 0.0) for name in classes)
    return (*scores, _share(names.credit, credit, n))


def _share(name: str, total: float, n: int) -> Score:
    return (
        scored(name, total / n, float(n)) if n else inapplicable(name, "the answer cites nothing")
    )


def source_classes(
    attempt: AnswerChecked, trail: Trail, question: str, pages: Pages
) -> list[Provenance]:
    """Return the class of each distinct URL that an attempt cites, in citation order."""
    found: dict[str, Provenance] = {}
    for citation in citations_of(attempt):
        keys = citation_keys(citation)
        if keys[0] not in found:
            found[keys[0]] = _classify(citation, keys, trail, question, pages)
    return list(found.values())


def _classify(
    citation: Citation, keys: tuple[str, ...], trail: Trail, question: str, pages: Pages
) -> Provenance:
    """Return the class of a citation's best reading."""
    touched = _touched_class(keys[0], trail)
    if touched == "opened":
        return touched
    known = [touched, *(_touched_class(key, trail) for key in keys[1:])]
    if any(known):
        return min(filter(None, known), key=CLASSES.index)
    if _is_linked(citation.url, trail, pages):
        return "link_only"
    if not trail.blocked.isdisjoint(keys):
        return "fetch_blocked"
    if "://" in question and not _given(question).isdisjoint(keys):
        return "user_given"
    return min((_host_class(key, trail.touched()) for key in keys), key=CLASSES.index)


@lru_cache(maxsize=1024)
def _given(question: str) -> frozenset[str]:
    return frozenset(key_of(citation.url) for citation in extract_citations(question))


def _touched_class(key: str, trail: Trail) -> Provenance | None:
    if key in trail.opened:
        return "opened"
    if key in trail.failed:
        return "fetch_failed"
    if key in trail.empty:
        return "no_evidence"
    if key in trail.aliases:
        return "alias"
    return "snippet_only" if key in trail.searched else None


def _is_linked(url: str, trail: Trail, pages: Pages) -> bool:
    """Return whether the URL stands, whole, in the text of an opened page."""
    bare = url.partition("://")[2].rstrip("/") or url
    digests = dict.fromkeys(digest for digest in trail.opened.values() if digest)
    return any(_holds(pages(digest) or "", bare) for digest in digests)


def _holds(text: str, url: str) -> bool:
    at = text.find(url)
    while at >= 0:
        rest = text[at + len(url) : at + len(url) + 2].removeprefix("/")
        if not rest or rest[0] not in URL_CHARS:
            return True
        at = text.find(url, at + 1)
    return False


def _host_class(key: str, touched: Iterable[str]) -> Provenance:
    host, folder = _host_and_folder(key)
    best: Provenance = "fabricated"
    for other in touched:
        other_host, other_folder = _host_and_folder(other)
        if not host or other_host != host:
            continue
        if other_folder == folder or other.startswith(key):
            return "sibling"
        best = "known_host"
    return best


def _host_and_folder(key: str) -> tuple[str, str]:
    _, _, rest = key.partition("://")
    host, _, path = rest.partition("/")
    return host, path.partition("?")[0].rpartition("/")[0]
