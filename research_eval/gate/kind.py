"""What a gate can find wrong: each kind of violation, declared once for model, report and scorer."""

from collections.abc import Iterable

from research_eval.schema import Verdict, ViolationKind

__all__ = ["KINDS", "is_harness_alone", "kinds_of"]

KINDS: dict[str, ViolationKind] = {
    kind.name: kind
    for kind in (
        ViolationKind(
            name="no_citation",
            label="no citation",
            meaning="Answers that cite no URL.",
            words="Your answer cites no source. Give the full URL, beginning with http:// or "
            "https://, of a page that you opened.",
        ),
        ViolationKind(
            name="unknown_url",
            label="unknown URL",
            meaning="Answers with a URL that the trial never saw.",
            words="{url}: you never opened this page.",
        ),
        ViolationKind(
            name="user_given",
            label="user given",
            meaning="Answers with a URL of the question that the trial never opened.",
            words="{url}: this URL stands in the question, but you never opened it. Open it with "
            "`fetch` before you cite it.",
        ),
        ViolationKind(
            name="search_only",
            label="search only",
            meaning="Answers with a URL that was a search hit and never opened.",
            words="{url}: you saw this page in search results only. Open it before you cite it.",
        ),
        ViolationKind(
            name="fetch_failed",
            label="fetch failed",
            meaning="Answers with a page that the trial tried to open, and could not.",
            words="{url}: you tried to open this page, and it failed: {came}. You have not read it. "
            "{advice}",
        ),
        ViolationKind(
            name="fetch_blocked",
            label="fetch blocked",
            meaning="Answers with a page that the harness's SSRF guard kept the trial from opening; "
            "an answer with nothing else is not held against the model.",
            words="{url}: this address cannot be opened from here, so you have not read it. "
            "Cite another page that you opened.",
            better="neither",
        ),
        ViolationKind(
            name="not_evidence",
            label="not evidence",
            meaning="Answers with a page that shows nothing: soft 404, wall, empty shell.",
            words="{url}: you opened this page, but {why}. Cite another page.",
        ),
    )
}
"""The kinds of the gates that are built in, in the order of every table."""


def is_harness_alone(verdict: Verdict) -> bool:
    """Return whether an answer was rejected for nothing but pages that the SSRF guard blocked."""
    return {violation.kind for violation in verdict.violations} == {"fetch_blocked"}


def kinds_of(gate: object) -> tuple[ViolationKind, ...]:
    """Return the kinds of a gate of the user's own, which declares them in its attribute `kinds`."""
    own: Iterable[ViolationKind] = getattr(gate, "kinds", ())
    return tuple(kind for kind in own if kind.name not in KINDS)
