"""Report: records in, pages out."""

from research_eval.report.aggregate import build_view, load_view
from research_eval.report.table import terminal_table
from research_eval.report.view import ReportSettings, RunView
from research_eval.report.write import FORMATS, shows_details, write_report

__all__ = [
    "FORMATS",
    "ReportSettings",
    "RunView",
    "build_view",
    "load_view",
    "shows_details",
    "terminal_table",
    "write_report",
]
