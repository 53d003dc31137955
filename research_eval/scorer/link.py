"""Whether cited URLs led anywhere when the trial asked for them."""

from collections.abc import Iterator

from research_eval.dataset import Case
from research_eval.schema import Fetched, Score, TrialRecord
from research_eval.scorer.measure import Better, Measure, declares
from research_eval.scorer.protocol import Pages, broken, inapplicable, scored, trial_error
from research_eval.scorer.trail import citation_keys, citations_of, key_of

__all__ = ["links"]

_SHARES: tuple[tuple[str, Better, str, str], ...] = (
    ("dead_links", "lower", "dead", "Every fetch ended in a missing page or host."),
    ("withheld_links", "lower", "withheld", "Every fetch failed, for instance 403, 429, time-out."),
    ("untried_links", "neither", "untried", "Never fetched."),
)
MEASURES = tuple(
    Measure(
        name, "share", better, heading, meaning, "links", "answers that cite a URL", "Rao, 2026"
    )
    for name, better, heading, meaning in _SHARES
)
NAMES = tuple(measure.name for measure in MEASURES)
GONE = frozenset({"http_404", "http_410", "unknown_host", "soft_404"})
"""The address leads nowhere; every other failure may pass, or the page is there and withheld."""


@declares(*MEASURES, default=False)
def links(case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
    """Give the shares of the last answer's URLs that are dead, withheld, or were never tried.

    Dead: every fetch in this trial ended in a missing page or host. Withheld: every fetch failed, one
    at least in another way (403, 429, time-outs, walls), which says nothing of the address. Only the
    trial's own fetches are looked at, never the network. A fetch that the harness's SSRF guard blocked
    never left, and says nothing of the address either.

    Source: Rao, 2026, which keeps both kinds of failure apart.
    """
    del case, pages
    if error := trial_error(trial):
        yield from (broken(name, error) for name in NAMES)
        return
    attempts = trial.attempts
    cited = (
        {citation_keys(c)[0]: citation_keys(c) for c in citations_of(attempts[-1])}
        if attempts
        else {}
    )
    if not cited:
        reason = "the answer cites nothing" if attempts else "no answer was given"
        yield from (inapplicable(name, reason) for name in NAMES)
        return
    ends = _endings(trial)
    found = [set().union(*(ends.get(key, set()) for key in keys)) for keys in cited.values()]
    n = len(found)
    yield scored("dead_links", sum(bool(e) and e <= GONE for e in found) / n, n)
    withheld = sum("ok" not in e and not e <= GONE for e in found)
    yield scored("withheld_links", withheld / n, n)
    yield scored("untried_links", sum(not e for e in found) / n, n)


def _endings(trial: TrialRecord) -> dict[str, set[str]]:
    """Return how the fetches of each key ended; `ok` for a page that shows something."""
    ends: dict[str, set[str]] = {}
    for event in trial.transcript:
        if type(event) is Fetched and event.error != "blocked":
            word = event.evidence if event.ok else event.error or "failed"
            for url in {event.url, event.final_url or event.url}:
                ends.setdefault(key_of(url), set()).add(word)
    return ends
