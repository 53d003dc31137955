"""What report.json holds: the manifest, every score, the comparisons; its form is versioned."""

from typing import Literal

from research_eval.analysis.comparison import Comparison, Rank
from research_eval.analysis.output import ScoreOutput, score_output
from research_eval.analysis.resilience import Resilience
from research_eval.report.view import ReportSettings, RunView
from research_eval.schema import Record, Requirements, RunRecord

__all__ = ["ReportOutput", "report_output"]


class ReportOutput(Record):
    """A report for programs."""

    schema_version: Literal[1] = 1
    manifest: RunRecord
    settings: ReportSettings
    is_conclusive: bool
    """Whether every configuration reached the coverage floor."""
    scores: ScoreOutput
    differences: tuple[Comparison, ...]
    """Each model against the first one."""
    ranks: tuple[Rank, ...]
    resilience: tuple[Resilience, ...]
    requirements: Requirements | None = None
    """What came of the experiment's requirements; null where it has none."""


def report_output(view: RunView) -> ReportOutput:
    """Return what report.json holds."""
    run, floor = view.run, view.settings.coverage_floor
    return ReportOutput(
        manifest=view.manifest,
        settings=view.settings,
        is_conclusive=view.is_conclusive,
        scores=score_output(run.table, run.table, run.manifest, run.known, floor),
        differences=view.differences,
        ranks=view.ranks,
        resilience=view.resilience,
        requirements=view.requirements,
    )
