"""How the trials of one case agree: pass^k and pass@k."""

from collections.abc import Sequence

from research_eval.report.row import TrialRow
from research_eval.report.view import RepeatView
from research_eval.schema import ConfigurationSummary, RunRecord
from research_eval.stats.passk import mean_pass_at_k, mean_pass_hat_k

__all__ = ["Groups", "repeats"]

Groups = Sequence[tuple[ConfigurationSummary, Sequence[TrialRow]]]
"""Configurations with their rows."""


def repeats(manifest: RunRecord, groups: Groups) -> tuple[RepeatView, ...]:
    """Return how often all, and any, of a case's trials passed in the end."""
    k = manifest.trials
    if k < 2:
        return ()
    views = []
    for summary, rows in groups:
        counts = _counts(rows)
        views.append(
            RepeatView(
                name=summary.name,
                k=k,
                cases=sum(n >= k for n, _ in counts),
                every=mean_pass_hat_k(counts, k),
                any=mean_pass_at_k(counts, k),
            )
        )
    return tuple(views)


def _counts(rows: Sequence[TrialRow]) -> list[tuple[int, int]]:
    """Return the judged trials of each case, and how many of them passed in the end."""
    found: dict[str, tuple[int, int]] = {}
    for row in rows:
        passed = row.fact("final_passed")
        if isinstance(passed, int):
            n, c = found.get(row.key.case_id, (0, 0))
            found[row.key.case_id] = (n + 1, c + passed)
    return list(found.values())
