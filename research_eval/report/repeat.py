"""How the trials of one case agree: pass^k and pass@k."""

from collections.abc import Sequence

from research_eval.report.row import TrialRow
from research_eval.report.view import RepeatView
from research_eval.schema import ConfigurationSummary, RunRecord
from research_eval.stats.interval import CONFIDENCE, wilson_of_share
from research_eval.stats.passk import mean_pass_at_k, mean_pass_hat_k

__all__ = ["Groups", "repeats"]

Groups = Sequence[tuple[ConfigurationSummary, Sequence[TrialRow]]]
"""Configurations with their rows."""


def repeats(
    manifest: RunRecord, groups: Groups, confidence: float = CONFIDENCE
) -> tuple[RepeatView, ...]:
    """Return how often all, and any, of a case's trials passed in the end."""
    k = manifest.trials
    if k < 2:
        return ()
    views = []
    for summary, rows in groups:
        counts = _counts(rows)
        cases = sum(n >= k for n, _ in counts)
        every, some = mean_pass_hat_k(counts, k), mean_pass_at_k(counts, k)
        every_bounds, any_bounds = (_bounds(share, cases, confidence) for share in (every, some))
        views.append(
            RepeatView(
                name=summary.name,
                k=k,
                cases=cases,
                every=every,
                every_low=every_bounds[0],
                every_high=every_bounds[1],
                any=some,
                any_low=any_bounds[0],
                any_high=any_bounds[1],
            )
        )
    return tuple(views)


def _bounds(
    share: float | None, cases: int, confidence: float
) -> tuple[float | None, float | None]:
    """Return Wilson's interval: with k trials a case, each case has passed or not."""
    return (None, None) if share is None else wilson_of_share(share, cases, confidence)


def _counts(rows: Sequence[TrialRow]) -> list[tuple[int, int]]:
    """Return the judged trials of each case, and how many of them passed in the end."""
    found: dict[str, tuple[int, int]] = {}
    for row in rows:
        passed = row.fact("final_passed")
        if isinstance(passed, int):
            n, c = found.get(row.key.case_id, (0, 0))
            found[row.key.case_id] = (n + 1, c + passed)
    return list(found.values())
