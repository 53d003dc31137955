"""How a rejected answer was repaired: claim by claim, from one attempt to the next."""

from collections import Counter
from typing import Literal, NamedTuple, get_args

from research_eval.ledger import url_key
from research_eval.schema import AnswerChecked, TrialRecord, Violation
from research_eval.scorer.abstention import is_abstention
from research_eval.scorer.claim import Claim, Draft, read_draft
from research_eval.scorer.trail import Trail, attempts_with_trails, citation_keys, citations_of
from research_eval.scorer.words import content_words, normalise

__all__ = ["REPAIR_OUTCOMES", "RepairOutcome", "Step", "repair_outcomes", "steps"]

RepairOutcome = Literal[
    "refetched",
    "replaced",
    "claim_removed",
    "citation_stripped",
    "relabelled",
    "swapped",
    "unchanged",
    "gave_up",
]
"""What became of one violating claim in the next attempt.

`refetched`: the URL was opened meanwhile and is still cited. `replaced`: the claim now cites another
page that was opened. `claim_removed`: the claim is gone. `citation_stripped`: the claim stayed, its
citation went. `relabelled`: the same URL in other words or spelling, still not opened. `swapped`:
another URL that was not opened either. `unchanged`: the same sentence with the same URL. `gave_up`:
an abstention instead of an answer, or no further answer at all.
"""

REPAIR_OUTCOMES: tuple[RepairOutcome, ...] = get_args(RepairOutcome)
SAME_CLAIM = 0.6
"""Share of a claim's content words that a sentence of the next attempt must hold to be the same."""


class Step(NamedTuple):
    """One attempt of a repair, with what had been opened before it."""

    attempt: AnswerChecked
    draft: Draft
    opened: frozenset[str]
    """Keys that could be cited when the attempt was made."""

    @property
    def cited(self) -> dict[str, tuple[str, ...]]:
        """Every key that the attempt cites, with its readings' keys."""
        found: dict[str, tuple[str, ...]] = {}
        for citation in citations_of(self.attempt):
            keys = citation_keys(citation)
            found.setdefault(keys[0], keys)
        return found

    def is_open(self, url: str) -> bool:
        """Return whether `url`, as cited, leads to a page that was opened."""
        key = url_key(url).value
        return any(k in self.opened for k in self.cited.get(key, (key,)))


def steps(trial: TrialRecord) -> list[Step]:
    """Return the attempts with their sentences and what had been opened before each."""
    return [
        Step(attempt, read_draft(attempt.answer, citations_of(attempt)), _opened(trail))
        for attempt, trail in attempts_with_trails(trial)
    ]


def _opened(trail: Trail) -> frozenset[str]:
    return frozenset(trail.opened.keys() | trail.aliases.keys())


def repair_outcomes(trial: TrialRecord, attempts: list[Step]) -> Counter[RepairOutcome]:
    """Return what became of each violation that a corrective was sent for, over all rounds."""
    found: Counter[RepairOutcome] = Counter()
    for place, step in enumerate(attempts):
        if step.attempt.corrective is None:
            continue
        after = attempts[place + 1] if place + 1 < len(attempts) else None
        for violation in step.attempt.verdict.violations:
            if after is not None:
                found[_outcome(violation, step, after)] += 1
            elif trial.status != "error":
                found["gave_up"] += 1
    return found


def _outcome(violation: Violation, before: Step, after: Step) -> RepairOutcome:
    if violation.url is None or violation.kind == "no_citation":
        return _outcome_of_uncited(before, after)
    key = url_key(violation.url).value
    claims = [claim for claim in before.draft.claims if _rests_on(claim, key)]
    if key in after.cited:
        if after.is_open(violation.url):
            return "refetched"
        return "unchanged" if _same_words(claims, after, violation.url) else "relabelled"
    return _outcome_without(key, claims, after)


def _outcome_of_uncited(before: Step, after: Step) -> RepairOutcome:
    """Say what became of a whole answer that cited nothing."""
    if not after.cited:
        if is_abstention(after.attempt.answer):
            return "gave_up"
        same = normalise(before.attempt.answer) == normalise(after.attempt.answer)
        return "unchanged" if same else "relabelled"
    opened = [k for k, readings in after.cited.items() if not after.opened.isdisjoint(readings)]
    if len(opened) < len(after.cited):
        return "swapped"
    return "replaced" if before.opened.issuperset(opened) else "refetched"


def _outcome_without(key: str, claims: list[Claim], after: Step) -> RepairOutcome:
    """Say what became of claims whose URL is no longer cited."""
    kept = [found for claim in claims if (found := _same_claim(claim, after.draft)) is not None]
    if not kept:
        if any(_is_same_page(key, other) for other in after.cited):
            return "relabelled"
        return "gave_up" if is_abstention(after.attempt.answer) else "claim_removed"
    urls = [url for claim in kept for url in claim.urls]
    if any(after.is_open(url) for url in urls):
        return "replaced"
    if any(_is_same_page(key, url_key(url).value) for url in urls):
        return "relabelled"
    return "swapped" if urls else "citation_stripped"


def _rests_on(claim: Claim, key: str) -> bool:
    return any(url_key(url).value == key for url in claim.urls)


def _same_words(claims: list[Claim], after: Step, url: str) -> bool:
    """Return whether a sentence and the spelling of its URL both stayed as they were."""
    spelled = {u for claim in after.draft.claims for u in claim.urls} | set(after.draft.unused)
    texts = {normalise(claim.text) for claim in after.draft.claims}
    return url in spelled and all(normalise(claim.text) in texts for claim in claims)


def _same_claim(claim: Claim, draft: Draft) -> Claim | None:
    """Return the sentence of the next attempt that says the same, if there is one."""
    words = content_words(claim.text)
    if not words:
        return None
    best = max(draft.claims, key=lambda c: len(words & content_words(c.text)), default=None)
    if best is None or len(words & content_words(best.text)) < SAME_CLAIM * len(words):
        return None
    return best


def _is_same_page(key: str, other: str) -> bool:
    """Return whether two keys differ in scheme or query alone."""

    def place(of: str) -> str:
        return of.partition("://")[2].partition("?")[0]

    return place(key) == place(other)
