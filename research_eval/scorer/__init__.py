"""Scorer: a case and a finished trial in, scores out."""

from research_eval.scorer.aggregate import CaseSum, Summary, Tally
from research_eval.scorer.catalog import BUILT_IN, DEFAULT_SCORERS, load_scorer
from research_eval.scorer.protocol import Pages, Scorer, no_pages, score_trial

__all__ = [
    "BUILT_IN",
    "DEFAULT_SCORERS",
    "CaseSum",
    "Pages",
    "Scorer",
    "Summary",
    "Tally",
    "load_scorer",
    "no_pages",
    "score_trial",
]
